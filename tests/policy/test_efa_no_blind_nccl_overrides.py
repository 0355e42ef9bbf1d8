"""Forced settings of NCCL and libfabric."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_no_blind_nccl_overrides import FORCED, POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy


def test_a_job_that_forces_nothing_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job(env={"NCCL_DEBUG": "INFO"})) == []


@pytest.mark.parametrize("name", FORCED)
def test_a_forced_setting_is_refused(check, name):
    [message] = check(POLICY, MPI_JOB, mpi_job(env={name: "Ring"}))
    assert f"MPIJob 'train' forces {name} in container 'mpi'" in message


def test_the_values_of_a_slurm_release_are_judged_too_and_refused(check):
    [message] = check(POLICY, RELEASE, slurm_values(env={"NCCL_PROTO": "Simple"}))
    assert "Release 'slurm' forces NCCL_PROTO in container 'slurmd' (nodesets.gpu)" in message


def test_recorded_evidence_passes(check):
    job = mpi_job(env={"NCCL_ALGO": "Ring"})
    job["metadata"]["annotations"] = {"eks-training-platform/nccl-evidence": "NCCL 2.30, 480 GB/s on 2026-11-01"}
    assert check(POLICY, MPI_JOB, job) == []


def test_a_preview_that_does_not_know_the_value_goes_by_the_name(check):
    assert len(check(POLICY, MPI_JOB, mpi_job(env={"NCCL_ALGO": UNKNOWN}))) == 1


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, mpi_job(env={"NCCL_ALGO": "Ring"}), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY


@pytest.mark.parametrize("word", ["-x NCCL_ALGO=Ring", "export NCCL_ALGO='Ring';", 'env NCCL_ALGO="Ring" mpirun'])
def test_an_export_in_a_command_is_refused_too(check, word):
    job = mpi_job()
    job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["args"] = ["bash", "-c", word]
    [message] = check(POLICY, MPI_JOB, job)
    assert "forces NCCL_ALGO" in message


@pytest.mark.parametrize("value", ["^lo,docker,veth", UNKNOWN])
def test_interfaces_that_are_left_out_pass_and_so_do_those_that_nobody_knows_yet(check, value):
    assert check(POLICY, MPI_JOB, mpi_job(env={"NCCL_SOCKET_IFNAME": value})) == []


@pytest.mark.parametrize("odd", [UNKNOWN, None, [], "text"])
def test_odd_annotations_are_no_evidence(check, odd):
    job = mpi_job(env={"NCCL_ALGO": "Ring"})
    job["metadata"]["annotations"] = odd
    assert len(check(POLICY, MPI_JOB, job)) == 1
