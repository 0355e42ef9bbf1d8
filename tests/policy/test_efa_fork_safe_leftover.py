"""Switches of rdma-core for fork()."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_fork_safe_leftover import LEFTOVERS, POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, mpi_job

pytestmark = pytest.mark.policy


def test_a_job_without_it_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job(env={"FI_EFA_FORK_SAFE": "1"})) == []


@pytest.mark.parametrize("name", LEFTOVERS)
def test_a_leftover_is_named_and_never_refused(check, name):
    [message] = check(POLICY, MPI_JOB, mpi_job(env={name: "1"}))
    assert f"MPIJob 'train' sets {name} in container 'mpi'" in message
    assert "Remove it, or write" in message


def test_a_reason_passes(check):
    job = mpi_job(env={"RDMAV_FORK_SAFE": "1"})
    job["metadata"]["annotations"] = {"eks-training-platform/nccl-evidence": "kernel 5.10"}
    assert check(POLICY, MPI_JOB, job) == []


def test_a_preview_that_does_not_know_the_value_goes_by_the_name(check):
    assert len(check(POLICY, MPI_JOB, mpi_job(env={"RDMAV_FORK_SAFE": UNKNOWN}))) == 1


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_warning(analyzer):
    found = analyzer.analyze(MPI_JOB, mpi_job(env={"RDMAV_FORK_SAFE": "1"}), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.ADVISORY
