"""FI_PROVIDER=efa comes with devices."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_provider_needs_devices import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, devices, mpi_job, slurm_values, variables

pytestmark = pytest.mark.policy


def job_with(value, resources):
    job = mpi_job(resources=resources)
    worker = job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    worker["env"] = variables({"FI_PROVIDER": value})
    return job


def test_with_devices_it_passes(check):
    assert check(POLICY, MPI_JOB, job_with("efa", devices(gpu=8, efa=32))) == []
    assert check(POLICY, RELEASE, slurm_values(env={"FI_PROVIDER": "efa"})) == []


def test_a_launcher_of_workers_with_efa_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job(env={"FI_PROVIDER": "efa"})) == []


@pytest.mark.parametrize("value", ["tcp", "^efa", "", UNKNOWN])
def test_another_provider_passes(check, value):
    assert check(POLICY, MPI_JOB, job_with(value, devices(gpu=8))) == []


@pytest.mark.parametrize("value", ["efa", "EFA", "efa, tcp"])
@pytest.mark.parametrize("resources", [devices(gpu=8), devices(gpu=8, efa=0), None, []], ids=str)
def test_without_devices_it_is_refused_with_ways_out(check, value, resources):
    [message] = check(POLICY, MPI_JOB, job_with(value, resources))
    assert "MPIJob 'train' sets FI_PROVIDER=efa in container 'worker'" in message
    assert "limits, or drop" in message


def test_an_export_of_the_launcher_is_refused_where_no_worker_has_efa(check):
    job = mpi_job(resources=devices(gpu=8))
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["command"] += ["-x", "FI_PROVIDER=efa"]
    [message] = check(POLICY, MPI_JOB, job)
    assert "container 'mpi'" in message


def test_a_count_that_the_preview_does_not_know_is_no_violation(check):
    resources = {"limits": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": UNKNOWN}}
    assert check(POLICY, MPI_JOB, job_with("efa", resources)) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {"FI_PROVIDER": "efa"}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    job = job_with("efa", devices(gpu=8))
    [found] = [each for each in analyzer.analyze(MPI_JOB, job, "train").diagnostics if each.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
