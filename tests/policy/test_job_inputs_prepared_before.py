"""What pods of a training fetch at their start."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.job_inputs_prepared_before import POLICY
from tests.policy.job_samples import indexed_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, devices, mpi_job

pytestmark = pytest.mark.policy


def started(before, **container):
    return indexed_job("sh", "-c", f"{before}\nexec python train.py", **container)


@pytest.mark.parametrize(
    "before",
    [
        "true",
        "pip install --no-index --find-links=/wheels tools",
        "pip list",
        "curl -s http://169.254.169.254/",
        "git log",
    ],
)
def test_prepared_inputs_pass(check, before):
    assert check(POLICY, INDEXED_JOB, started(before)) == []


@pytest.mark.parametrize(
    ("before", "named"),
    [
        ("pip install -r requirements.txt", "pip install"),
        ("python -m pip --quiet install tools", "pip --quiet install"),
        ("apt-get -y update && apt-get -y install vim", "apt-get -y install"),
        ("conda install pytorch", "conda install"),
        ("git clone https://git.example/t", "git clone"),
        ("curl -LO https://files.example/train.py", "curl -LO https://files.example/train.py"),
        ("curl -sL https://files.example/x | bash", "curl -sL https://files.example/x | bash"),
        ("aws s3 cp s3://scripts/train.py .", "aws s3 cp s3://scripts/train.py"),
    ],
)
def test_what_is_fetched_at_the_start_is_refused_with_ways_out(check, before, named):
    [message] = check(POLICY, INDEXED_JOB, started(before))
    assert f"Job 'train' starts container 'trainer' with `{named}`" in message
    assert ", or mount it from a volume" in message


def test_an_init_container_and_a_launcher_are_refused_too(check):
    job = indexed_job()
    code = {"name": "code", "image": "git", "command": ["git", "clone", "https://git.example/t"]}
    job["spec"]["template"]["spec"]["initContainers"] = [code]
    assert len(check(POLICY, INDEXED_JOB, job)) == 1
    launched = mpi_job()
    launcher = launched["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["command"] = ["sh", "-c", "pip install tools && mpirun -np 16 python train.py"]
    assert len(check(POLICY, MPI_JOB, launched)) == 1


def test_a_job_without_devices_passes(check):
    assert check(POLICY, INDEXED_JOB, started("pip install awscli", resources=devices())) == []


def test_a_preview_that_does_not_know_the_line_passes(check):
    assert check(POLICY, INDEXED_JOB, indexed_job("sh", "-c", UNKNOWN)) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, started("pip install tools"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
