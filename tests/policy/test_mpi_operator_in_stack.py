"""MPIJobs of a stack have their operator in it."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.mpi_operator import COMPONENT, DEFINITION, DEPLOYMENT
from policies.rules.mpi_operator_in_stack import POLICY
from tests.policy.planned import Planned
from tests.policy.workload_samples import MPI_JOB, RELEASE, mpi_job

pytestmark = pytest.mark.policy

CLUSTER = Planned(type="aws:eks/cluster:Cluster", name="train", props={"name": "train"})
JOB = Planned(type=MPI_JOB, name="train", props=mpi_job())


def deployment(name="mpi-operator"):
    return Planned(type=DEPLOYMENT, name="mpi", props={"metadata": {"name": name}})


def definition(name="mpijobs.kubeflow.org"):
    return Planned(type=DEFINITION, name="crd", props={"metadata": {"name": name}})


def release(chart):
    return Planned(type=RELEASE, name="release", props={"name": chart, "chart": chart})


@pytest.mark.parametrize(
    "parts",
    [
        [Planned(type=COMPONENT, name="mpi-operator", props={})],
        [deployment(), definition()],
        [deployment(UNKNOWN), definition(UNKNOWN)],
        [deployment(), release("mpi-operator-definitions")],
        [release("mpi-operator")],
    ],
)
def test_a_job_beside_its_operator_passes(check_stack, parts):
    assert check_stack(POLICY, [CLUSTER, *parts, JOB]) == []


@pytest.mark.parametrize(
    ("parts", "missing"),
    [
        ([], "operator and definition"),
        ([deployment()], "definition"),
        ([definition()], "operator"),
        ([release("mpi-operator-definitions")], "operator"),
        ([deployment("other"), definition("rayjobs.ray.io"), release("volcano")], "operator and definition"),
    ],
)
def test_a_job_without_it_is_refused_with_ways_out(check_stack, parts, missing):
    [message] = check_stack(POLICY, [CLUSTER, *parts, JOB])
    assert f"MPIJob 'train' stands in a stack without the MPI Operator's {missing}:" in message
    assert "Add platform.mpiOperator to the environment, or take the job out of the stack." in message


def test_a_first_preview_without_properties_is_judged_by_types(check_stack):
    bare = Planned(type=MPI_JOB, name="train", props={})
    assert len(check_stack(POLICY, [CLUSTER, bare])) == 1


def test_a_stack_without_a_cluster_or_without_a_job_is_not_its_business(check_stack):
    assert check_stack(POLICY, [JOB]) == ["not applicable"]
    assert check_stack(POLICY, [CLUSTER]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_job(analyzer):
    found = [d for d in analyzer.analyze_stack([CLUSTER, JOB]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, JOB.urn)]
