"""Parts of an MPIJob."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.mpi_parts_prepared import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, mpi_job

pytestmark = pytest.mark.policy


def with_roles(launcher=1, worker=2):
    job = mpi_job()
    for name, count in (("Launcher", launcher), ("Worker", worker)):
        job["spec"]["mpiReplicaSpecs"][name]["replicas"] = count
    return job


def test_a_job_with_all_its_parts_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job()) == []
    assert check(POLICY, MPI_JOB, with_roles(launcher="1", worker=2.0)) == []


@pytest.mark.parametrize("count", [0, 2, "2", 2.0])
def test_another_number_of_launchers_is_refused(check, count):
    [message] = check(POLICY, MPI_JOB, with_roles(launcher=count))
    assert "MPIJob 'train' has not exactly one Launcher" in message
    assert "Set Launcher.replicas: 1, or use an Indexed Job" in message


def test_no_launcher_is_refused(check):
    job = mpi_job()
    del job["spec"]["mpiReplicaSpecs"]["Launcher"]
    [message] = check(POLICY, MPI_JOB, job)
    assert "has not exactly one Launcher" in message


@pytest.mark.parametrize("count", [None, 0, "0"])
def test_no_worker_is_refused(check, count):
    [message] = check(POLICY, MPI_JOB, with_roles(worker=count))
    assert "MPIJob 'train' has no Worker" in message


def test_a_launcher_that_works_alone_passes(check):
    job = mpi_job()
    del job["spec"]["mpiReplicaSpecs"]["Worker"]
    job["spec"]["runLauncherAsWorker"] = "true"
    assert check(POLICY, MPI_JOB, job) == []


@pytest.mark.parametrize("line", ["sleep infinity", "python train.py", "bash -c torchrun train.py"])
def test_a_worker_that_runs_something_else_than_sshd_is_refused(check, line):
    [message] = check(POLICY, MPI_JOB, mpi_job(command=line.split(" ", 2)))
    assert "runs something else than sshd in its Worker ('worker')" in message


@pytest.mark.parametrize(
    "line", ["/usr/sbin/sshd -De", "bash -c /usr/sbin/sshd;sleep infinity", "/opt/start-worker.sh"]
)
def test_a_worker_that_runs_sshd_or_a_script_passes(check, line):
    assert check(POLICY, MPI_JOB, mpi_job(command=line.split(" ", 2))) == []


@pytest.mark.parametrize("policy", [None, {}, {"cleanPodPolicy": "None"}, []])
def test_workers_that_stay_are_refused(check, policy):
    job = mpi_job()
    job["spec"]["runPolicy"] = policy
    [message] = check(POLICY, MPI_JOB, job)
    assert "MPIJob 'train' says cleanPodPolicy" in message
    assert "Set spec.runPolicy.cleanPodPolicy: Running, or" in message


def test_a_preview_that_does_not_know_a_part_does_not_miss_it(check):
    job = with_roles(launcher=UNKNOWN, worker=UNKNOWN)
    job["spec"]["runPolicy"] = UNKNOWN
    assert check(POLICY, MPI_JOB, job) == []


def test_other_objects_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, with_roles(launcher=2), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
