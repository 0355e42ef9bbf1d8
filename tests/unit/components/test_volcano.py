"""The Volcano release and its values."""

import pytest
import yaml

from components.catalog.chart_values import unknown_keys
from components.platform import Volcano, VolcanoArgs
from components.platform.volcano_values import scheduler_config, volcano_values

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def release(build):
    recorder = build(lambda: Volcano("volcano", VolcanoArgs(charts=None, images=None)))
    return recorder.only("kubernetes:helm.sh/v3:Release")


@pytest.mark.parametrize("images", [None, "registry.example.com/mirror"])
def test_every_value_is_one_that_the_chart_reads(images):
    assert unknown_keys("volcano", volcano_values(images)) == []


def test_the_scheduler_does_not_hold_jobs_back_until_nodes_exist():
    actions = yaml.safe_load(scheduler_config())["actions"]
    assert actions == "allocate, backfill"


def test_the_scheduler_still_starts_gangs_as_a_whole():
    tiers = yaml.safe_load(scheduler_config())["tiers"]
    plugins = {plugin["name"]: plugin for tier in tiers for plugin in tier["plugins"]}
    assert plugins["gang"] == {"name": "gang", "enablePreemptable": False}
    assert "overcommit" not in plugins


def test_volcano_runs_on_the_system_nodes():
    assert volcano_values(None)["custom"]["default_ns"] == {"eks-training-platform/role": "system"}


def test_replicas_without_an_election_stay_at_one():
    custom = volcano_values(None)["custom"]
    replicas = {custom[f"{part}_replicas"] for part in ("admission", "controller", "scheduler")}
    assert custom["leader_elect_enable"] == (replicas != {1})


def test_images_come_from_the_mirror_when_there_is_one():
    assert "image_registry" not in volcano_values(None)["basic"]
    assert volcano_values("registry.example.com/m")["basic"]["image_registry"] == "registry.example.com/m"


def test_the_release_is_pinned_named_and_rolls_back(release):
    assert release.inputs["name"] == "volcano"
    assert release.inputs["version"] == "1.15.2"
    assert release.inputs["atomic"] is True
    assert release.inputs["timeout"] == 600
    assert release.inputs["namespace"] == "volcano-system"
    assert release.inputs["createNamespace"] is True
    assert release.inputs["repositoryOpts"] == {"repo": "https://volcano-sh.github.io/helm-charts"}


def test_the_old_release_goes_before_a_new_one_of_its_name(release):
    assert release.request.deleteBeforeReplace is True


def test_a_mirror_needs_no_repository(build):
    recorder = build(lambda: Volcano("volcano", VolcanoArgs(charts="/srv/charts", images=None)))
    inputs = recorder.only("kubernetes:helm.sh/v3:Release").inputs
    assert inputs["chart"] == "/srv/charts/volcano"
    assert "repositoryOpts" not in inputs
