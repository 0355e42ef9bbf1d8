"""As many processes as slots at most, and as many as declared."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from policies.mpi_jobs import WORLD_SIZE
from policies.rules.mpi_np_consistent import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, mpi_job

pytestmark = pytest.mark.policy


def sized(np="16", slots=8, workers=2, declared=None, env=None):
    job = mpi_job(env)
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["command"][2] = np
    job["spec"]["slotsPerWorker"] = slots
    job["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] = workers
    if declared is not None:
        job["metadata"]["annotations"] = {WORLD_SIZE: declared}
    return job


def test_a_process_for_each_slot_passes(check):
    assert check(POLICY, MPI_JOB, sized()) == []
    assert check(POLICY, MPI_JOB, sized(declared="16", env={"WORLD_SIZE": "16"})) == []


def test_fewer_processes_than_slots_pass(check):
    assert check(POLICY, MPI_JOB, sized(np="8")) == []


@pytest.mark.parametrize(
    "job", [sized(np="17"), sized(np=17.0), sized(np="17", slots="8", workers="2"), sized(np="$R", env={"R": "17"})]
)
def test_more_processes_than_slots_are_refused(check, job):
    [message] = check(POLICY, MPI_JOB, job)
    assert "MPIJob 'train' starts 17 processes and its workers have 16 slots (replicas x slotsPerWorker)" in message
    assert "Start at most 16 by -np, or add workers or slots." in message


def test_a_worker_without_slots_has_one_and_is_refused(check):
    job = sized()
    del job["spec"]["slotsPerWorker"]
    [message] = check(POLICY, MPI_JOB, job)
    assert "starts 16 processes and its workers have 2 slots" in message


def test_a_launcher_that_works_too_brings_slots_and_passes(check):
    job = sized(np="24")
    job["spec"]["runLauncherAsWorker"] = True
    assert check(POLICY, MPI_JOB, job) == []


@pytest.mark.parametrize(
    ("job", "where"),
    [
        (sized(declared="8"), f"annotation {WORLD_SIZE}"),
        (sized(declared=8.0), f"annotation {WORLD_SIZE}"),
        (sized(env={"WORLD_SIZE": "8"}), "WORLD_SIZE of container 'mpi'"),
    ],
)
def test_another_world_size_than_declared_is_refused(check, job, where):
    [message] = check(POLICY, MPI_JOB, job)
    assert f"MPIJob 'train' starts 16 processes and its {where} says 8" in message
    assert "Write -np 8, or declare 16." in message


def test_a_test_run_before_the_training_passes(check):
    job = sized(declared="16")
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["command"] = ["bash", "-c", "mpirun -np 2 ./allreduce && mpirun -np 16 python train.py"]
    assert check(POLICY, MPI_JOB, job) == []


def test_what_a_script_starts_is_judged_by_what_is_declared_and_refused(check):
    job = sized(declared="32")
    job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["command"] = ["/opt/start.sh"]
    [message] = check(POLICY, MPI_JOB, job)
    assert "starts 32 processes and its workers have 16 slots" in message


def test_a_number_that_the_shell_computes_passes(check):
    assert check(POLICY, MPI_JOB, sized(np="$((2*8))")) == []


@pytest.mark.parametrize("job", [sized(np=UNKNOWN), sized(slots=UNKNOWN), sized(workers=UNKNOWN)])
def test_a_preview_that_does_not_know_a_number_says_so(check, job):
    with pytest.raises(UnknownValueError):
        check(POLICY, MPI_JOB, job)


def test_other_objects_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, sized(np="64"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
