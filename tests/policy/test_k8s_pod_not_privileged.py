"""Privileged containers."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.k8s_pod_not_privileged import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job

pytestmark = pytest.mark.policy

DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
PRIVILEGED = {"privileged": True}


def daemon_set(name):
    containers = [{"name": "agent", "securityContext": PRIVILEGED}]
    return {"metadata": {"name": name}, "spec": {"template": {"spec": {"containers": containers}}}}


@pytest.mark.parametrize("context", [None, {}, {"privileged": False}, {"capabilities": {"add": ["IPC_LOCK"]}}])
def test_a_plain_container_passes(check, context):
    assert check(POLICY, MPI_JOB, mpi_job(securityContext=context)) == []


@pytest.mark.parametrize("privileged", [True, "true"])
def test_a_privileged_container_is_refused_with_ways_out(check, privileged):
    [message] = check(POLICY, MPI_JOB, mpi_job(securityContext={"privileged": privileged}))
    assert "MPIJob 'train' is privileged in container 'worker' (spec.mpiReplicaSpecs.Worker.template)" in message
    assert ", or for one capability" in message


def test_the_values_of_a_release_are_judged_too_and_refused(check):
    values = {"agent": {"securityContext": PRIVILEGED}}
    [message] = check(POLICY, RELEASE, {"name": "tools", "values": values})
    assert "Release 'tools' is privileged in agent.securityContext.privileged" in message
    assert check(POLICY, RELEASE, {"name": "aws-efa-k8s-device-plugin", "values": values}) == ["not applicable"]


def test_an_agent_of_the_platform_passes_by_name_and_another_is_refused(check):
    assert check(POLICY, DAEMON_SET, daemon_set("neuron-monitor")) == ["not applicable"]
    assert len(check(POLICY, DAEMON_SET, daemon_set("another"))) == 1


def test_a_job_with_the_name_of_an_agent_is_refused(check):
    job = mpi_job(securityContext=PRIVILEGED)
    job["metadata"]["name"] = "neuron-monitor"
    assert len(check(POLICY, MPI_JOB, job)) == 1


def test_a_preview_that_does_not_know_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job(securityContext=UNKNOWN)) == []
    assert check(POLICY, MPI_JOB, mpi_job(securityContext={"privileged": UNKNOWN})) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(DAEMON_SET, daemon_set("another"), "another").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
