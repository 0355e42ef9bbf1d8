"""NodeSets describe pods."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_nodeset_pod_template import POLICY
from policies.slurm_fields import MACHINE_FIELDS
from tests.policy.slurm_object_samples import CONTROLLER, NODE_SET, ODD, controller, node_set
from tests.policy.workload_samples import BUCKET, RELEASE, slurm_values

pytestmark = pytest.mark.policy


def test_a_node_set_with_devices_and_a_selector_passes(check):
    assert check(POLICY, NODE_SET, node_set()) == []
    assert check(POLICY, RELEASE, slurm_values()) == []


@pytest.mark.parametrize("field", MACHINE_FIELDS)
def test_a_field_of_a_machine_is_refused_with_ways_out(check, field):
    [message] = check(POLICY, NODE_SET, node_set(**{field: {"count": 8}}))
    assert f"NodeSet 'slurm-worker-p5' describes a machine (spec.{field})" in message
    assert "slurmd.resources.limits" in message
    assert ", or let platform.slurm.nodeSets write them" in message


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"slurmd": {"gpus": 8}}, "spec.slurmd.gpus"),
        ({"template": {"spec": {"nodeTemplate": {"gpus": "8"}}}}, "spec.template.spec.nodeTemplate"),
        ({"template": {"nodeCount": 4.0}}, "spec.template.nodeCount"),
        ({"partition": "gpu"}, "spec.partition"),
        ({"partition": ["gpu"]}, "spec.partition"),
    ],
)
def test_it_is_refused_wherever_it_stands(check, spec, path):
    [message] = check(POLICY, NODE_SET, node_set(**spec))
    assert f"({path})" in message


def test_a_kind_of_old_examples_is_refused_for_its_fields_too(check):
    old = node_set(nodeCount="4", nodeTemplate={"gpus": {"type": "a100", "count": 8}})
    [message] = check(POLICY, "kubernetes:slinky.slurm.net/v1alpha1:SlurmNodeSet", old)
    assert "(spec.nodeCount, spec.nodeTemplate)" in message


def test_a_node_set_in_values_is_refused_too(check):
    values = slurm_values()
    values["values"]["nodesets"]["gpu"]["gpus"] = 8
    [message] = check(POLICY, RELEASE, values)
    assert "Release 'slurm' (nodesets.gpu) describes a machine (nodesets.gpu.gpus)" in message


def test_a_preview_that_does_not_know_the_value_goes_by_the_name(check):
    assert len(check(POLICY, NODE_SET, node_set(nodeCount=UNKNOWN))) == 1
    assert check(POLICY, NODE_SET, node_set(slurmd=UNKNOWN, template=UNKNOWN, partition=UNKNOWN)) == []


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_passes(check, odd):
    assert check(POLICY, NODE_SET, odd if isinstance(odd, dict) else {"spec": odd}) == []


def test_other_kinds_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, CONTROLLER, controller()) == ["not applicable"]
    assert check(POLICY, RELEASE, {"name": "x", "chart": "x", "values": {"nodes": 3}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_SET, node_set(nodeCount=4), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
