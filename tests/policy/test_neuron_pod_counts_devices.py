"""Neuron devices and cores."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.neuron_pod_counts_devices import POLICY
from tests.policy.neuron_samples import ODD_PODS, neuron_job, odd_job, pod_of
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, mpi_job

pytestmark = pytest.mark.policy

DEVICES, CORES = "aws.amazon.com/neuron", "aws.amazon.com/neuroncore"
TYPE = "node.kubernetes.io/instance-type"


def asking(resource, count, instance_type=None):
    job = neuron_job(resources={"limits": {resource: count}})
    if instance_type:
        pod_of(job)["nodeSelector"] = {TYPE: instance_type}
    return job


def test_a_job_that_asks_for_the_devices_of_a_node_passes_and_so_does_one_with_gpus(check):
    assert check(POLICY, INDEXED_JOB, neuron_job()) == []
    assert check(POLICY, MPI_JOB, mpi_job()) == []


@pytest.mark.parametrize("count", ["32", 32, 32.0])
def test_cores_counted_as_devices_are_refused(check, count):
    [message] = check(POLICY, INDEXED_JOB, asking(DEVICES, count))
    assert "Job 'train' (spec.template) asks for 32 aws.amazon.com/neuron, which counts devices" in message
    assert "the largest type has 16" in message
    assert "Ask for at most 16 devices in a pod, or spread the ranks over more pods." in message


def test_the_selected_type_decides_what_is_refused(check):
    [message] = check(POLICY, INDEXED_JOB, asking(DEVICES, 2, "trn1.2xlarge"))
    assert "and trn1.2xlarge has 1 (and 2 cores)" in message
    [message] = check(POLICY, INDEXED_JOB, asking(CORES, 33, "trn1.32xlarge"))
    assert "33 aws.amazon.com/neuroncore, which counts cores, and trn1.32xlarge has 32" in message
    assert check(POLICY, INDEXED_JOB, asking(CORES, 33, "p5.48xlarge")) == []


def test_containers_of_a_pod_count_together_and_are_refused(check):
    job = asking(DEVICES, 9)
    pod_of(job)["containers"] *= 2
    assert "asks for 18" in check(POLICY, INDEXED_JOB, job)[0]


def test_the_old_name_of_a_device_is_refused(check):
    [message] = check(POLICY, INDEXED_JOB, asking("aws.amazon.com/neurondevice", 1))
    assert "aws.amazon.com/neurondevice, which no plugin registers" in message
    assert "to count devices, or for aws.amazon.com/neuroncore to count cores." in message


def test_a_preview_that_does_not_know_the_count_passes(check):
    assert check(POLICY, INDEXED_JOB, asking(DEVICES, UNKNOWN)) == []
    assert check(POLICY, INDEXED_JOB, neuron_job(resources=UNKNOWN)) == []
    assert len(check(POLICY, INDEXED_JOB, asking("aws.amazon.com/neurondevice", UNKNOWN))) == 1


@pytest.mark.parametrize("odd", ODD_PODS)
def test_an_odd_pod_passes(check, odd):
    assert check(POLICY, INDEXED_JOB, odd_job(odd)) in ([], ["not applicable"])


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, asking(DEVICES, 32), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
