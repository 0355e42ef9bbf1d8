"""The master of pods that train together."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from policies.rules.job_master_is_shared import POLICY
from tests.policy.job_samples import RANK, TORCHRUN, field, indexed_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, devices, mpi_job

pytestmark = pytest.mark.policy

LONELY = [*TORCHRUN, RANK, "train.py"]


def test_the_first_pod_as_the_master_passes(check):
    assert check(POLICY, INDEXED_JOB, indexed_job()) == []
    named = indexed_job(*LONELY, env=[{"name": "MASTER_ADDR", "value": "train-0.train"}])
    assert check(POLICY, INDEXED_JOB, named) == []


def test_no_master_is_refused_with_ways_out(check):
    [message] = check(POLICY, INDEXED_JOB, indexed_job(*LONELY))
    assert "Job 'train' starts 4 pods that train and names no master" in message
    assert ", or use an operator" in message


def test_devices_without_a_word_about_a_group_are_refused_too(check):
    assert len(check(POLICY, INDEXED_JOB, indexed_job("python", "train.py", resources=devices(gpu=8)))) == 1


@pytest.mark.parametrize(
    "own",
    [
        "$(hostname)",
        "$(hostname -f)",
        "$(hostname -I | cut -d' ' -f1)",
        "`hostname -i`",
        "$HOSTNAME",
        "${HOSTNAME}:29500",
        "localhost",
        "127.0.0.1:29500",
        "$(NODE)",
    ],
)
@pytest.mark.parametrize("option", ["--master_addr=", "--rdzv-endpoint ", "--main_process_ip="])
def test_an_address_of_each_pod_is_refused(check, own, option):
    line = " ".join([*LONELY, option + own])
    job = indexed_job("sh", "-c", line, env=[field("NODE", "spec.nodeName")])
    [message] = check(POLICY, INDEXED_JOB, job)
    assert "which is another one in each pod: nobody meets" in message


@pytest.mark.parametrize("value", ["localhost", "$(HOSTNAME)", "$(POD)"])
def test_a_variable_that_differs_from_pod_to_pod_is_refused(check, value):
    env = [field("POD", "metadata.name"), {"name": "MASTER_ADDR", "value": value}]
    assert len(check(POLICY, INDEXED_JOB, indexed_job(*LONELY, env=env))) == 1
    assert len(check(POLICY, INDEXED_JOB, indexed_job(*LONELY, env=[field("MASTER_ADDR", "status.hostIP")]))) == 1


@pytest.mark.parametrize(
    "script",
    [
        "MASTER_ADDR=$(hostname | sed 's/-[0-9]*$/-0/') torchrun --nnodes=4 --node-rank=$JOB_COMPLETION_INDEX train.py",
        "torchrun --nnodes=4 --node-rank=$JOB_COMPLETION_INDEX --master-addr=${HOSTNAME%-*}-0.train train.py",
        "if [ $JOB_COMPLETION_INDEX = 0 ]; then MASTER_ADDR=$(hostname); else MASTER_ADDR=$(cat /a); fi; torchrun a.py",
    ],
)
def test_a_shared_name_made_from_the_own_one_passes(check, script):
    assert check(POLICY, INDEXED_JOB, indexed_job("sh", "-c", script)) == []


def test_shares_of_work_pass(check):
    job = indexed_job("score", "--share=$(JOB_COMPLETION_INDEX)", resources=devices(gpu=1))
    assert check(POLICY, INDEXED_JOB, job) == []


def test_pods_without_ranks_are_for_another_rule_and_one_pod_passes(check):
    assert check(POLICY, INDEXED_JOB, indexed_job("python", "train.py", spec={"completionMode": None})) == []
    assert check(POLICY, INDEXED_JOB, indexed_job(*LONELY, spec={"parallelism": 1})) == []


def test_a_preview_that_does_not_know_the_address_passes(check):
    env = [{"name": "MASTER_ADDR", "value": UNKNOWN}]
    assert check(POLICY, INDEXED_JOB, indexed_job(*LONELY, env=env)) == []


def test_a_preview_that_does_not_know_the_line_cannot_decide(check):
    for unsure in (
        indexed_job(*LONELY, UNKNOWN),
        indexed_job(*LONELY, spec={"parallelism": UNKNOWN}),
        indexed_job(*LONELY, envFrom=[{"configMapRef": {"name": "master"}}]),
    ):
        with pytest.raises(UnknownValueError):
            check(POLICY, INDEXED_JOB, unsure)


def test_what_is_no_batch_job_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, indexed_job(*LONELY), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
