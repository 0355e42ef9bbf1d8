"""The pod's own address as the master."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.job_master_not_podip import POLICY
from tests.policy.job_samples import field, indexed_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy

OWN = {"fieldRef": {"fieldPath": "status.podIP"}}


def test_another_address_passes_and_so_does_the_own_one_for_something_else(check):
    env = [field("POD_IP", "status.podIP"), {"name": "MASTER_ADDR", "value": "train-0.train"}]
    assert check(POLICY, INDEXED_JOB, indexed_job(env=env)) == []


@pytest.mark.parametrize("name", ["MASTER_ADDR", "PET_MASTER_ADDR"])
def test_the_own_address_is_refused_with_ways_out(check, name):
    [message] = check(POLICY, INDEXED_JOB, indexed_job(env=[field(name, "status.podIP")]))
    assert f"Job 'train' takes {name} from status.podIP in container 'trainer'" in message
    assert ", or start it by an operator" in message


def test_the_own_address_by_another_variable_is_refused(check):
    env = [field("POD_IP", "status.podIP"), {"name": "MASTER_ADDR", "value": "$(POD_IP)"}]
    assert len(check(POLICY, INDEXED_JOB, indexed_job(env=env))) == 1


@pytest.mark.parametrize("own", ["$(POD_IP)", "$POD_IP", "${POD_IP}:29500", "'$(POD_IP)'"])
def test_the_own_address_in_a_line_is_refused(check, own):
    line = f"torchrun --nnodes=4 --rdzv-endpoint={own} train.py"
    assert len(check(POLICY, INDEXED_JOB, indexed_job("sh", "-c", line, env=[field("POD_IP", "status.podIP")]))) == 1


def test_every_kind_and_the_values_of_a_release_are_refused(check):
    [message] = check(POLICY, MPI_JOB, mpi_job(env={"MASTER_ADDR": OWN}))
    assert "MPIJob 'train'" in message
    [message] = check(POLICY, RELEASE, slurm_values(env={"MASTER_ADDR": OWN}))
    assert "Release 'slurm'" in message


@pytest.mark.parametrize(
    "env", [UNKNOWN, [UNKNOWN], [{"name": "MASTER_ADDR", "valueFrom": UNKNOWN}], [{"name": UNKNOWN}]]
)
def test_a_preview_that_does_not_know_the_variable_passes(check, env):
    job = indexed_job()
    job["spec"]["template"]["spec"]["containers"][0]["env"] = env
    assert check(POLICY, INDEXED_JOB, job) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    job = indexed_job(env=[field("MASTER_ADDR", "status.podIP")])
    found = analyzer.analyze(INDEXED_JOB, job, "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
