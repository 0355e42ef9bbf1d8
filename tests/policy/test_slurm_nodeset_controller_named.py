"""NodeSets name their Controller."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_nodeset_controller_named import POLICY
from tests.policy.slurm_object_samples import CONTROLLER, LIST, NODE_SET, ODD, controller, listed, node_set
from tests.policy.workload_samples import BUCKET, RELEASE, slurm_values

pytestmark = pytest.mark.policy


def test_a_node_set_with_its_controller_passes(check):
    assert check(POLICY, NODE_SET, node_set()) == []


@pytest.mark.parametrize("reference", [None, {}, {"name": ""}, {"name": " "}, {"name": None}, [], "slurm"])
def test_without_a_name_it_is_refused_with_ways_out(check, reference):
    [message] = check(POLICY, NODE_SET, node_set(controllerRef=reference))
    assert "NodeSet 'slurm-worker-p5' names no Controller (spec.controllerRef.name)" in message
    assert "controllerRef: {name: <Controller in the same namespace>}, or let platform.slurm.nodeSets" in message


def test_a_node_set_in_a_list_is_refused_too(check):
    [message] = check(POLICY, LIST, listed(controller(), node_set(controllerRef={})))
    assert "NodeSet 'slurm-worker-p5' in List 'all' (items[1]) names no Controller" in message


@pytest.mark.parametrize("spec", [{"controllerRef": {"name": UNKNOWN}}, {"controllerRef": UNKNOWN}])
def test_a_preview_that_does_not_know_the_name_passes(check, spec):
    assert check(POLICY, NODE_SET, node_set(**spec)) == []


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_is_refused_and_stops_nothing(check, odd):
    assert len(check(POLICY, NODE_SET, odd if isinstance(odd, dict) else {"spec": odd})) == 1


def test_other_kinds_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, CONTROLLER, controller()) == ["not applicable"]
    # The chart writes the reference of its own node sets.
    assert check(POLICY, RELEASE, slurm_values()) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_SET, node_set(controllerRef={}), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
