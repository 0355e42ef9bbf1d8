"""Slurm objects are of kinds that exist."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.slurm import KINDS, OLD_KINDS
from policies.rules.slurm_object_known_kind import POLICY
from tests.policy.slurm_object_samples import CONTROLLER, LIST, NODE_SET, ODD, controller, listed, node_set
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy


def type_of(kind, version="v1beta1"):
    return f"kubernetes:slinky.slurm.net/{version}:{kind}"


@pytest.mark.parametrize("kind", KINDS)
def test_each_of_the_six_kinds_passes(check, kind):
    assert check(POLICY, type_of(kind), {"metadata": {"name": "x"}, "spec": {}}) == []


@pytest.mark.parametrize("kind", OLD_KINDS)
def test_a_kind_of_old_examples_is_refused_with_ways_out(check, kind):
    [message] = check(POLICY, type_of(kind, "v1alpha1"), {"metadata": {"name": "x"}})
    assert f"{kind} 'x' is of a kind that Slinky does not have" in message
    assert "NodeSet for each kind of node, or set platform.slurm" in message


@pytest.mark.parametrize("kind", ["SlurmPartition", "SlurmWorker", "Nodeset"])
def test_any_other_kind_is_refused_with_the_six(check, kind):
    [message] = check(POLICY, type_of(kind), {"metadata": {"name": "x"}})
    assert "Controller, NodeSet, Accounting, LoginSet, RestApi, Token" in message
    assert ", or remove the object" in message


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta2", "v1"])
def test_another_version_is_refused_with_the_right_one(check, version):
    [message] = check(POLICY, type_of("NodeSet", version), node_set())
    assert f"NodeSet 'slurm-worker-p5' is written in slinky.slurm.net/{version}" in message
    assert "Set apiVersion: slinky.slurm.net/v1beta1" in message


def test_objects_inside_a_list_and_a_release_are_refused_too(check):
    old = {**node_set(), "apiVersion": "slinky.slurm.net/v1alpha1"}
    [message] = check(POLICY, LIST, listed(controller(), old))
    assert "NodeSet 'slurm-worker-p5' in List 'all' (items[1])" in message
    [message] = check(POLICY, RELEASE, slurm_values(extraObjects=[old]))
    assert "in Release 'slurm' (extraObjects[0])" in message


def test_a_reference_to_an_object_is_none(check):
    target = {"apiVersion": "slinky.slurm.net/v1alpha1", "kind": "NodeSet", "name": "slurm-worker-p5"}
    scaled = {"metadata": {"name": "p5"}, "spec": {"scaleTargetRef": target}}
    assert check(POLICY, "kubernetes:keda.sh/v1alpha1:ScaledObject", scaled) == ["not applicable"]


def test_a_preview_that_knows_nothing_else_goes_by_the_type(check):
    assert check(POLICY, NODE_SET, {"metadata": UNKNOWN, "spec": UNKNOWN}) == []
    assert len(check(POLICY, type_of("SlurmCluster"), {"metadata": UNKNOWN, "spec": UNKNOWN})) == 1


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_passes(check, odd):
    assert check(POLICY, CONTROLLER, odd if isinstance(odd, dict) else {"spec": odd}) == []


def test_other_objects_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]
    assert check(POLICY, "kubernetes:slurm.nebius.ai/v1:SlurmCluster", {"spec": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(type_of("SlurmCluster"), {"metadata": {"name": "x"}}, "x").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
