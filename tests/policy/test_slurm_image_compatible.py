"""Releases of Slurm in images."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.slurm import IMAGE_TAG
from policies.rules.slurm_image_compatible import POLICY
from policies.slurm_images import release_of
from tests.policy.slurm_samples import ACCOUNTING, CONTROLLER, NODE_SET, RELEASE, controller, node_set, slurm

pytestmark = pytest.mark.policy

SLURMD = "nodesets.gpu.slurmd.image"


@pytest.mark.parametrize(
    ("image", "release"),
    [
        (f"ghcr.io/slinkyproject/slurmctld:{IMAGE_TAG}", (26, 5)),
        ("registry.example:5000/slurmd:gpu-25.11@sha256:" + "1" * 64, (25, 11)),
        ("slurmd:v24.05.3", (24, 5)),
        ("slurmd:25.11.1-rocky9", (25, 11)),
        ("registry.example/slurmd@sha256:" + "1" * 64, None),
        ("registry.example/24.05/slurmd", None),
        ("slurmd:1.24.05", None),
        ("slurmd:2024.05", None),
        ("slurmd:latest", None),
        ("", None),
    ],
)
def test_a_tag_says_the_release_or_nothing(image, release):
    assert release_of(image) == release


def test_images_of_one_release_pass(check):
    assert check(POLICY, RELEASE, slurm()) == []
    assert check(POLICY, NODE_SET, node_set()) == []
    assert check(POLICY, RELEASE, slurm(SLURMD, "registry.example/slurmd@sha256:" + "1" * 64)) == []


@pytest.mark.parametrize("tag", ["25.05-ubuntu24.04", "24.11", "v23.02.1"])
def test_a_release_before_the_operators_parser_is_refused_wherever_it_stands(check, tag):
    image = {"repository": "registry.example/x", "tag": tag}
    for path in (SLURMD, "controller.slurmctld.image", "loginsets.main.login.image", "accounting.slurmdbd.image"):
        [message, _] = check(POLICY, RELEASE, slurm(path, image))
        assert "Release 'slurm' runs Slurm 2" in message
        assert f"({path}: registry.example/x:{tag})" in message
        assert "25.11 or later, or an operator of that older release" in message


@pytest.mark.parametrize(
    ("kind", "props", "where"),
    [
        (NODE_SET, node_set("spec.slurmd.image", "registry.example/slurmd:24.11"), "spec.slurmd.image"),
        (CONTROLLER, controller("spec.slurmctld.image", "slurmctld:24.11"), "spec.slurmctld.image"),
        (ACCOUNTING, {"spec": {"slurmdbd": {"image": "slurmdbd:24.11"}}}, "spec.slurmdbd.image"),
    ],
)
def test_an_old_release_in_an_object_is_refused(check, kind, props, where):
    [message] = check(POLICY, kind, props, name="x")
    assert f"runs Slurm 24.11 ({where}:" in message


def test_mixed_releases_are_refused_with_where_each_stands(check):
    [message] = check(POLICY, RELEASE, slurm(SLURMD, "registry.example/slurmd:25.11-gpu"))
    assert f"Release 'slurm' mixes releases of Slurm (controller.slurmctld.image 26.05, {SLURMD} 25.11)" in message
    assert "26.05 for all, or of one older release for all" in message


def test_a_node_set_that_is_off_is_not_looked_at_and_passes(check):
    assert check(POLICY, RELEASE, slurm("nodesets.old", {"enabled": False, "slurmd": {"image": "x:24.05"}})) == []


def test_defaults_of_node_sets_are_refused_in_each(check):
    old = slurm("nodesetDefaults", {"slurmd": {"image": {"repository": "x", "tag": "24.05"}}})
    old["values"]["nodesets"]["cpu"] = None
    assert any("nodesets.cpu.slurmd.image: x:24.05" in message for message in check(POLICY, RELEASE, old))


@pytest.mark.parametrize("image", [UNKNOWN, None, [], 26.05, {"tag": UNKNOWN}, {"tag": 26.05}])
def test_an_image_that_a_preview_does_not_know_passes(check, image):
    assert check(POLICY, RELEASE, slurm(SLURMD, image)) == []
    assert check(POLICY, NODE_SET, node_set("spec.slurmd.image", image)) == []


def test_what_runs_no_slurm_is_not_its_business(check):
    assert check(POLICY, "kubernetes:apps/v1:Deployment", {"spec": {}}) == ["not applicable"]
    assert check(POLICY, RELEASE, {"chart": "volcano", "values": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    response = analyzer.analyze(NODE_SET, node_set("spec.slurmd.image", "registry.example/slurmd:24.11"))
    [found] = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
