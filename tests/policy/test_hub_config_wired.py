"""The hub's configuration reaches the hub."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.hub_config_wired import POLICY
from tests.policy.hub_samples import pool, release, values
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy


def config_map(name="jupyterhub-gpu-profiles", **data):
    props = {"metadata": {"name": name, "namespace": "jupyterhub"}, "data": data}
    return Planned(type="kubernetes:core/v1:ConfigMap", name="profiles", props=props)


def mounting(name):
    return release(values(hub__extraVolumes=[{"name": "profiles", "configMap": {"name": name}}]))


def test_values_that_the_chart_reads_pass(check_stack):
    assert check_stack(POLICY, [release()]) == []


def test_a_mounted_config_map_passes(check_stack):
    assert check_stack(POLICY, [mounting("jupyterhub-gpu-profiles"), config_map()]) == []


def test_one_that_nothing_names_is_refused_with_ways_out(check_stack):
    [message] = check_stack(POLICY, [release(), config_map()])
    assert "ConfigMap 'jupyterhub-gpu-profiles' is written for a JupyterHub" in message
    assert "values of the hub's release, or mount it" in message


def test_one_without_any_hub_and_one_known_by_its_data_are_refused(check_stack):
    assert len(check_stack(POLICY, [config_map()])) == 1
    told = config_map("gpu-profiles", **{"x.py": "c.KubeSpawner.profile_list = []"})
    assert len(check_stack(POLICY, [release(), told])) == 1


@pytest.mark.parametrize(
    ("path", "said"), [("gpuProfiles", "gpuProfiles"), ("singleuser__profilelist", "singleuser.profilelist")]
)
def test_values_that_the_chart_does_not_read_are_refused(check_stack, path, said):
    [message] = check_stack(POLICY, [release(values(**{path: [{"slug": "a"}]}))])
    assert f"Release 'jupyterhub' says {said}, which its chart does not read" in message
    assert ", or remove it" in message


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check_stack):
    bare = Planned(type="kubernetes:core/v1:ConfigMap", name="jupyterhub-profiles", props={})
    assert check_stack(POLICY, [release(), bare]) == []
    assert check_stack(POLICY, [release(), config_map(UNKNOWN, a="kubespawner")]) == []
    joined = dataclasses.replace(mounting(UNKNOWN), sources={"values": ["profiles"]})
    assert check_stack(POLICY, [joined, config_map()]) == []


def test_other_config_maps_are_not_its_business(check_stack):
    dashboard = config_map("dashboard", **{"hub.json": '{"title": "JupyterHub"}'})
    assert check_stack(POLICY, [pool(), dashboard]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_config_map(analyzer):
    told = config_map()
    found = [d for d in analyzer.analyze_stack([told]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, told.urn)]
