"""Slurm objects say nothing about EC2."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_object_no_ec2_fields import POLICY
from policies.slurm_fields import EC2_FIELDS
from tests.policy.slurm_object_samples import CONTROLLER, NODE_SET, ODD, controller, node_set
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy


def test_a_node_set_that_selects_its_pool_passes(check):
    assert check(POLICY, NODE_SET, node_set()) == []
    assert check(POLICY, CONTROLLER, controller()) == []
    assert check(POLICY, RELEASE, slurm_values()) == []


@pytest.mark.parametrize("field", EC2_FIELDS)
def test_a_field_of_karpenters_objects_is_refused_with_ways_out(check, field):
    [message] = check(POLICY, NODE_SET, node_set(**{field: "x"}))
    assert f"NodeSet 'slurm-worker-p5' says spec.{field}" in message
    assert "nodeSelector and tolerations, or remove it" in message


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"template": {"spec": {"placementGroup": "training"}}}, "spec.template.spec.placementGroup"),
        ({"slurmd": {"instanceType": "p5.48xlarge"}}, "spec.slurmd.instanceType"),
        ({"nodeTemplate": {"instanceType": "p4d.24xlarge"}}, "spec.nodeTemplate.instanceType"),
    ],
)
def test_it_is_refused_wherever_it_stands(check, spec, path):
    assert path in check(POLICY, NODE_SET, node_set(**spec))[0]


def test_other_kinds_of_slinky_are_refused_too(check):
    [message] = check(POLICY, CONTROLLER, controller(template={"spec": {"nodePool": "system"}}))
    assert "Controller 'slurm' says spec.template.spec.nodePool" in message
    old = node_set(placementGroup="training")
    assert len(check(POLICY, "kubernetes:slinky.slurm.net/v1alpha1:SlurmNodeSet", old)) == 1


def test_a_node_set_in_values_is_refused_too(check):
    values = slurm_values()
    values["values"]["nodesetDefaults"] = {"podSpec": {"placementGroup": "training"}}
    [message] = check(POLICY, RELEASE, values)
    assert "Release 'slurm' (nodesets.gpu) says nodesets.gpu.podSpec.placementGroup" in message


def test_a_preview_that_does_not_know_the_value_goes_by_the_name(check):
    assert len(check(POLICY, NODE_SET, node_set(placementGroup=UNKNOWN))) == 1
    assert check(POLICY, NODE_SET, node_set(template=UNKNOWN)) == []


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_passes(check, odd):
    assert check(POLICY, NODE_SET, odd if isinstance(odd, dict) else {"spec": odd}) == []


def test_karpenters_own_objects_are_not_its_business(check):
    node_class = {"metadata": {"name": "p5"}, "spec": {"placementGroup": "training"}}
    assert check(POLICY, "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", node_class) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_SET, node_set(placementGroup="x"), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
