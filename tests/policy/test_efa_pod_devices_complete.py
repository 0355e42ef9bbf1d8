"""Requests for EFA are complete."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_pod_devices_complete import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, devices, mpi_job

pytestmark = pytest.mark.policy

EFA = "vpc.amazonaws.com/efa"


def asking(requests, limits):
    return mpi_job(resources={"requests": requests, "limits": limits})


@pytest.mark.parametrize(
    ("requests", "limits"),
    [
        ({EFA: "32", "memory": "1Ti"}, {EFA: 32.0}),
        ({}, {EFA: 32, "memory": "1Ti"}),
        (None, {EFA: 32, "memory": "1Ti"}),
        ({"memory": "1Ti"}, {EFA: 32}),
        ({}, {"nvidia.com/gpu": 1}),
    ],
)
def test_a_complete_request_passes(check, requests, limits):
    assert check(POLICY, MPI_JOB, asking(requests, limits)) == []


@pytest.mark.parametrize(("limits", "said"), [({EFA: 32}, "32"), ({}, "none"), ({EFA: "many"}, "many")])
def test_another_number_is_refused_with_ways_out(check, limits, said):
    [message] = check(POLICY, MPI_JOB, asking({EFA: "16", "memory": "1Ti"}, limits))
    assert f"MPIJob 'train' requests 16 {EFA} and limits itself to {said}" in message
    assert "twice, or the limit alone" in message
    assert "container 'worker', spec.mpiReplicaSpecs.Worker.template" in message


def test_efa_without_memory_is_refused_with_ways_out(check):
    [message] = check(POLICY, MPI_JOB, asking({EFA: 32}, {EFA: 32}))
    assert "asks for vpc.amazonaws.com/efa and for no memory" in message
    assert "request, or a memory limit" in message


def test_a_preview_decides_on_what_it_knows(check):
    assert check(POLICY, MPI_JOB, asking({EFA: UNKNOWN, "memory": UNKNOWN}, {EFA: 32})) == []
    assert check(POLICY, MPI_JOB, mpi_job(resources={"limits": UNKNOWN, "requests": {EFA: 1}})) == []
    assert len(check(POLICY, MPI_JOB, asking({EFA: UNKNOWN}, {EFA: 32}))) == 1


@pytest.mark.parametrize("odd", [None, [], "text", UNKNOWN, {"limits": [], "requests": "x"}])
def test_odd_resources_pass(check, odd):
    assert check(POLICY, MPI_JOB, mpi_job(resources=odd)) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    bad = devices(gpu=8, efa=32)
    bad["requests"][EFA] = "4"
    found = analyzer.analyze(MPI_JOB, mpi_job(resources=bad), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
