"""Ranks of pods that train together."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from policies.rules.job_parallel_pods_ranked import POLICY
from tests.policy.job_samples import CRON_JOB, MASTER, TORCHRUN, cron_job, indexed_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, RELEASE, devices, mpi_job

pytestmark = pytest.mark.policy

PLAIN = {"completionMode": None, "completions": None}
LOST = [*TORCHRUN, MASTER, "train.py"]


def test_an_indexed_job_passes(check):
    assert check(POLICY, INDEXED_JOB, indexed_job()) == []


@pytest.mark.parametrize("parallelism", [4, 4.0, "4"], ids=repr)
def test_parallelism_alone_is_refused_with_ways_out(check, parallelism):
    [message] = check(POLICY, INDEXED_JOB, indexed_job(*LOST, spec={**PLAIN, "parallelism": parallelism}))
    assert "Job 'train' starts 4 pods that train, and nothing gives them ranks" in message
    assert "completionMode: Indexed" in message
    assert ", or use a MPIJob" in message


@pytest.mark.parametrize(
    "line",
    [
        ["python", "train.py"],
        ["/opt/bin/torchrun", "--nnodes=4", "train.py"],
        ["python", "-m", "torch.distributed.run", "--nnodes=4", "train.py"],
        ["sh", "-c", "cd /work && accelerate launch --num_machines 4 train.py"],
        ["sh", "-c", "deepspeed train.py"],
    ],
    ids=" ".join,
)
def test_whatever_starts_the_training_is_refused(check, line):
    assert len(check(POLICY, INDEXED_JOB, indexed_job(*line, spec=PLAIN))) == 1


def test_an_indexed_job_whose_launcher_gets_no_rank_is_refused(check):
    assert len(check(POLICY, INDEXED_JOB, indexed_job(*LOST))) == 1
    assert len(check(POLICY, INDEXED_JOB, indexed_job(*LOST, "--node_rank", "0"))) == 1


def test_a_cron_job_and_a_job_in_the_values_of_a_release_are_refused_too(check):
    lost = indexed_job(*LOST, spec=PLAIN)
    [message] = check(POLICY, CRON_JOB, cron_job(lost))
    assert "CronJob 'nightly' starts 4 pods" in message
    [message] = check(POLICY, RELEASE, {"name": "more", "values": {"extraObjects": [lost]}})
    assert "Release 'more', Job 'train' starts 4 pods" in message


@pytest.mark.parametrize(
    "line",
    [
        ["torchrun", "--standalone", "--nproc-per-node=8", "train.py"],
        ["torchrun", "--nnodes=1", "train.py"],
        ["torchrun", "--nnodes", "1:1", "train.py"],
        ["torchrun", "--nnodes=4", "--rdzv-backend=c10d", "--rdzv-endpoint=store:29500", "train.py"],
    ],
    ids=" ".join,
)
def test_pods_that_train_alone_and_pods_that_meet_pass(check, line):
    assert check(POLICY, INDEXED_JOB, indexed_job(*line, spec=PLAIN)) == []


def test_pods_that_are_said_to_be_independent_pass(check):
    job = indexed_job("python", "score.py", spec=PLAIN)
    job["metadata"]["annotations"] = {"eks-training-platform/independent-pods": "true"}
    assert check(POLICY, INDEXED_JOB, job) == []


def test_a_parallel_job_that_trains_nothing_passes(check):
    plain = indexed_job("python", "convert.py", "--deepspeed", "ds.json", spec=PLAIN, resources=devices())
    assert check(POLICY, INDEXED_JOB, plain) == []


def test_one_pod_passes(check):
    assert check(POLICY, INDEXED_JOB, indexed_job("python", "train.py", spec={**PLAIN, "parallelism": None})) == []


@pytest.mark.parametrize("spec", [{**PLAIN, "completionMode": UNKNOWN}, None], ids=["mode", "nothing"])
def test_a_preview_that_does_not_know_the_mode_passes(check, spec):
    assert check(POLICY, INDEXED_JOB, indexed_job("python", "train.py", spec=spec)) == []


def test_a_preview_that_does_not_know_the_number_of_pods_or_the_line_cannot_decide(check):
    for unsure in (
        indexed_job(*LOST, spec={**PLAIN, "parallelism": UNKNOWN}),
        indexed_job(*LOST, UNKNOWN, spec=PLAIN),
        indexed_job(*LOST, spec=PLAIN, envFrom=[{"configMapRef": {"name": "ranks"}}]),
    ):
        with pytest.raises(UnknownValueError):
            check(POLICY, INDEXED_JOB, unsure)


def test_what_is_no_batch_job_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, indexed_job(*LOST, spec=PLAIN), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
