"""Jobs that go by an index."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.job_index_needs_mode import POLICY
from tests.policy.job_samples import CRON_JOB, cron_job, field, indexed_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, devices, mpi_job

pytestmark = pytest.mark.policy

INDEX = field("SHARE", "metadata.annotations['batch.kubernetes.io/job-completion-index']")


def test_an_indexed_job_passes(check):
    assert check(POLICY, INDEXED_JOB, indexed_job()) == []


@pytest.mark.parametrize("mode", [None, "NonIndexed"])
def test_an_index_without_the_mode_is_refused_with_ways_out(check, mode):
    [message] = check(POLICY, INDEXED_JOB, indexed_job(spec={"completionMode": mode}))
    assert "Job 'train' reads JOB_COMPLETION_INDEX" in message
    assert "its completionMode is not Indexed" in message
    assert ", or use a MPIJob" in message


def test_the_index_of_a_job_that_trains_nothing_is_refused_too(check):
    plain = indexed_job("convert", env=[INDEX], spec={"completionMode": None}, resources=devices())
    assert len(check(POLICY, INDEXED_JOB, plain)) == 1
    assert len(check(POLICY, CRON_JOB, cron_job(plain))) == 1


def test_an_index_with_a_default_passes(check):
    line = ["sh", "-c", "python convert.py ${JOB_COMPLETION_INDEX:-0}"]
    assert check(POLICY, INDEXED_JOB, indexed_job(*line, spec={"completionMode": None}, resources=devices())) == []


def test_a_rendezvous_without_the_mode_is_refused(check):
    line = ["torchrun", "--nnodes=4", "--rdzv-endpoint=train-0.train:29500", "train.py"]
    [message] = check(POLICY, INDEXED_JOB, indexed_job(*line, spec={"completionMode": None}))
    assert "starts 4 pods that train together" in message


@pytest.mark.parametrize(("completions", "parallelism"), [(8, 4), ("8", 4.0), (4, 2)])
def test_ranks_that_do_not_run_are_refused(check, completions, parallelism):
    [message] = check(POLICY, INDEXED_JOB, indexed_job(spec={"completions": completions, "parallelism": parallelism}))
    assert f"has {int(completions)} completions and {int(parallelism)} pods at a time" in message
    assert ", or mark pods that work alone" in message


def test_shares_of_work_one_after_the_other_pass(check):
    job = indexed_job("score", "--share=$(JOB_COMPLETION_INDEX)", spec={"completions": 100}, resources=devices(gpu=1))
    assert check(POLICY, INDEXED_JOB, job) == []


@pytest.mark.parametrize("spec", [{"completionMode": UNKNOWN}, {"completions": UNKNOWN}, {"parallelism": UNKNOWN}])
def test_a_preview_that_does_not_know_passes(check, spec):
    assert check(POLICY, INDEXED_JOB, indexed_job(spec=spec)) == []


def test_what_is_no_batch_job_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, indexed_job(spec={"completionMode": None}), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
