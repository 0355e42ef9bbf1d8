"""No replicas in mode DaemonSet."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_daemonset_mode_no_replicas import POLICY
from tests.policy.slurm_object_samples import CONTROLLER, NODE_SET, ODD, controller, node_set
from tests.policy.workload_samples import BUCKET, RELEASE, slurm_values

pytestmark = pytest.mark.policy


def test_replicas_in_mode_statefulset_pass(check):
    assert check(POLICY, NODE_SET, node_set()) == []
    assert check(POLICY, NODE_SET, node_set(scalingMode=None)) == []
    assert check(POLICY, RELEASE, slurm_values()) == []


def test_mode_daemonset_without_replicas_passes(check):
    assert check(POLICY, NODE_SET, node_set(scalingMode="DaemonSet", replicas=None)) == []


@pytest.mark.parametrize("replicas", [4, "4", 4.0, 1, 0])
def test_mode_daemonset_with_replicas_is_refused_with_ways_out(check, replicas):
    [message] = check(POLICY, NODE_SET, node_set(scalingMode="DaemonSet", replicas=replicas))
    assert f"NodeSet 'slurm-worker-p5' has scalingMode DaemonSet and replicas {int(float(replicas))}" in message
    assert "Remove replicas, or use scalingMode StatefulSet" in message


def test_a_node_set_in_values_is_refused_too(check):
    values = slurm_values(nodesetDefaults={"scalingMode": "DaemonSet"})
    [message] = check(POLICY, RELEASE, values)
    assert "Release 'slurm' (nodesets.gpu) has scalingMode DaemonSet and replicas 2" in message


@pytest.mark.parametrize("spec", [{"replicas": UNKNOWN}, {"scalingMode": UNKNOWN}])
def test_a_preview_that_does_not_know_one_of_them_passes(check, spec):
    assert check(POLICY, NODE_SET, node_set(**{"scalingMode": "DaemonSet", "replicas": 4, **spec})) == []


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_passes(check, odd):
    assert check(POLICY, NODE_SET, odd if isinstance(odd, dict) else {"spec": odd}) == []


def test_other_kinds_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, CONTROLLER, controller()) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_SET, node_set(scalingMode="DaemonSet"), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
