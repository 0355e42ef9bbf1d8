"""Trainings start from versions."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.s3_versioned_inputs import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy


@pytest.mark.parametrize(
    "address",
    [
        "s3://datasets/imagenet/v3/train",
        "s3://datasets/c4-2026-01-02",
        "s3://datasets/c4/0f3a9bc1/",
        "s3://datasets/c4?versionId=abc",
        "s3://datasets/c4/manifest.json",
        "hf://datasets/org/c4@0123abc",
    ],
)
def test_an_address_that_names_its_version_passes(check, address):
    assert check(POLICY, MPI_JOB, mpi_job(env={"DATASET_URI": address})) == []
    assert check(POLICY, MPI_JOB, mpi_job(args=["--dataset", address])) == []


@pytest.mark.parametrize(
    "address",
    ["s3://datasets/imagenet/train", "s3://datasets/c4-v3/latest", "hf://datasets/org/c4@main", "gs://datasets/tokens"],
)
def test_one_that_names_none_is_refused_with_ways_out(check, address):
    [message] = check(POLICY, MPI_JOB, mpi_job(env={"DATASET_URI": address}))
    assert f"MPIJob 'train' reads DATASET_URI {address} in container 'mpi'" in message
    assert "into the address, or say it beside it" in message


@pytest.mark.parametrize(
    "words",
    [
        ["python", "-u", "train.py", "--data-path", "s3://datasets/imagenet"],
        ["python", "train.py", "--data-path=s3://datasets/imagenet"],
        ["bash", "-c", "python train.py data.path='s3://datasets/imagenet' --lr 1"],
    ],
)
def test_so_is_one_of_the_command_and_it_is_refused(check, words):
    assert len(check(POLICY, MPI_JOB, mpi_job(command=words))) == 1


def test_a_revision_beside_the_address_passes(check):
    given = {"DATASET_URI": "s3://datasets/c4", "DATASET_REVISION": "7"}
    assert check(POLICY, MPI_JOB, mpi_job(env=given)) == []
    assert check(POLICY, MPI_JOB, mpi_job(env={**given, "DATASET_REVISION": {"configMapKeyRef": {}}})) == []
    assert check(POLICY, MPI_JOB, mpi_job(args=["--dataset", "s3://d/c4", "--dataset-version", "7"])) == []
    assert len(check(POLICY, MPI_JOB, mpi_job(env={**given, "DATASET_REVISION": "main"}))) == 1


def test_what_is_written_and_what_is_no_data_passes(check):
    env = {"CHECKPOINT_URI": "s3://checkpoints/runs/a", "DATA_DIR": "/data", "OUTPUT": "s3://out/x"}
    assert check(POLICY, MPI_JOB, mpi_job(env=env)) == []


@pytest.mark.parametrize("end", ["", "@main"])
def test_code_without_a_commit_is_refused(check, end):
    [message] = check(POLICY, MPI_JOB, mpi_job(args=["pip install git+https://github.com/org/code" + end]))
    assert "reads git+https://github.com/org/code" in message
    assert check(POLICY, MPI_JOB, mpi_job(args=["pip install git+https://github.com/org/code@0123abc"])) == []


def test_the_values_of_a_slurm_release_are_judged_too_and_refused(check):
    [message] = check(POLICY, RELEASE, slurm_values(env={"DATASET": "s3://datasets/c4"}))
    assert "Release 'slurm' reads DATASET s3://datasets/c4" in message


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check):
    assert check(POLICY, MPI_JOB, mpi_job(env={"DATASET_URI": UNKNOWN})) == []
    assert check(POLICY, MPI_JOB, mpi_job(args=["--dataset", UNKNOWN])) == []


def test_what_has_no_accelerators_is_not_its_business(check):
    plain = mpi_job(env={"DATASET_URI": "s3://d/x"}, resources={})
    assert check(POLICY, MPI_JOB, plain) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, mpi_job(env={"DATASET_URI": "s3://d/x"}), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
