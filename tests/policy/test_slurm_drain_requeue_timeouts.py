"""How Slurm nodes with accelerators end."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.platform.slurm_node_sets import GRACE_SECONDS
from policies.rules.slurm_drain_requeue_timeouts import DEFAULT_SECONDS, POLICY
from tests.policy.slurm_samples import CONTROLLER, NODE_SET, RELEASE, controller, node_set, slurm

pytestmark = pytest.mark.policy

GRACE = "terminationGracePeriodSeconds"


def both(value):
    """A NodeSet and a release whose pods take so long to end."""
    return (
        (NODE_SET, node_set(f"spec.template.spec.{GRACE}", value), "NodeSet 'slurm-worker-gpu'", "spec.template.spec"),
        (RELEASE, slurm(f"nodesets.gpu.podSpec.{GRACE}", value), "Release 'slurm'", "nodesets.gpu.podSpec"),
    )


@pytest.mark.parametrize("seconds", [GRACE_SECONDS, "300", 31, 86400.0])
def test_a_grace_period_above_the_default_passes(check, seconds):
    for kind, props, _, _ in both(seconds):
        assert check(POLICY, kind, props) == []


@pytest.mark.parametrize("seconds", [None, DEFAULT_SECONDS, "30", 5.0, 0, "soon", []])
def test_the_default_or_less_is_refused_with_two_ways_out(check, seconds):
    for kind, props, title, where in both(seconds):
        [message] = check(POLICY, kind, props)
        assert f"{title} gives its Slurm nodes" in message
        assert f"{where}.{GRACE}" in message
        assert "Set it above KillWait, such as 300, or take the accelerators out" in message


@pytest.mark.parametrize("off", [False, "false"])
def test_protection_that_is_off_is_refused(check, off):
    for kind, props in (
        (NODE_SET, node_set("spec.workloadDisruptionProtection", off)),
        (RELEASE, slurm("nodesets.gpu.workloadDisruptionProtection", off)),
    ):
        [message] = check(POLICY, kind, props)
        assert "switches workloadDisruptionProtection off" in message
        assert "Remove the line, or set it to true" in message


def test_defaults_of_the_release_count_for_its_node_sets_and_passes(check):
    bare = slurm("nodesets.gpu.podSpec", None)
    assert len(check(POLICY, RELEASE, bare)) == 1
    bare["values"]["nodesetDefaults"] = {"podSpec": {GRACE: 300}}
    assert check(POLICY, RELEASE, bare) == []


def test_a_number_that_a_preview_does_not_know_passes(check):
    for kind, props, _, _ in both(UNKNOWN):
        assert check(POLICY, kind, props) == []


def test_a_count_of_devices_that_a_preview_does_not_know_is_a_count_and_refused(check):
    props = node_set(f"spec.template.spec.{GRACE}", None)
    props["spec"]["slurmd"] = {"resources": {"limits": {"nvidia.com/gpu": UNKNOWN}}}
    assert len(check(POLICY, NODE_SET, props)) == 1


def test_nodes_without_accelerators_and_other_things_are_not_its_business(check):
    plain = node_set(f"spec.template.spec.{GRACE}", None)
    plain["spec"]["slurmd"] = {"resources": {"limits": {"cpu": "8"}}}
    assert check(POLICY, NODE_SET, plain) == ["not applicable"]
    for path in ("spec", "spec.slurmd", "spec.template"):
        assert check(POLICY, NODE_SET, node_set(path, [])) in (["not applicable"], check(POLICY, *both(None)[0][:2]))
    assert check(POLICY, CONTROLLER, controller()) == ["not applicable"]
    assert check(POLICY, RELEASE, {"chart": "volcano", "values": slurm()["values"]}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    kind, props, _, _ = both(None)[0]
    [found] = [d for d in analyzer.analyze(kind, props).diagnostics if d.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
