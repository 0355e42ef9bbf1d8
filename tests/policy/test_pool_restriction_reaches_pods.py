"""Pods that ask for accelerators and do not reach a pool that has them."""

import copy

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.pool_restriction_reaches_pods import POLICY
from tests.policy.workload_samples import BUCKET, IMAGE, INDEXED_JOB, MPI_JOB, RELEASE, devices, mpi_job, slurm_values

pytestmark = pytest.mark.policy

POOL = "eks-training-platform/pool"
GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
NEURON_TAINT = {"key": "aws.amazon.com/neuron", "operator": "Exists"}


def job(resources=None, **pod):
    """A Job of one pod on pool p5; a field of the pod that is None is left out."""
    container = {"name": "train", "image": IMAGE, "resources": resources or devices(gpu=8)}
    given = {"nodeSelector": {POOL: "p5"}, "tolerations": [GPU_TAINT], **pod, "containers": [container]}
    spec = {key: value for key, value in given.items() if value is not None}
    return {"metadata": {"name": "train"}, "spec": {"template": {"spec": spec}}}


def affinity(*terms):
    required = {"nodeSelectorTerms": [{"matchExpressions": list(term)} for term in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


IN_P5 = {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["p5"]}
IN_ZONE = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2b"]}


@pytest.mark.parametrize(
    "pod",
    [
        {},
        {"nodeSelector": {"karpenter.sh/nodepool": "p5"}},
        {"nodeSelector": None, "affinity": affinity([IN_P5, IN_ZONE])},
        {"tolerations": [{"operator": "Exists"}]},
        {"tolerations": [{"key": "nvidia.com/gpu", "value": "true"}]},
    ],
    ids=["as made", "Karpenter's label", "affinity", "everything tolerated", "by value"],
)
def test_a_pod_that_reaches_its_pool_passes(check, pod):
    assert check(POLICY, INDEXED_JOB, job(**pod)) == []


def test_a_gang_and_the_values_of_a_slurm_release_pass(check):
    assert check(POLICY, MPI_JOB, mpi_job()) == []
    assert check(POLICY, RELEASE, slurm_values()) == []


@pytest.mark.parametrize(
    "pod",
    [
        {"nodeSelector": None},
        {"nodeSelector": {"topology.kubernetes.io/zone": "us-west-2b"}},
        {"nodeSelector": {POOL: ""}},
        {"nodeSelector": ["p5"]},
        {"nodeSelector": None, "affinity": affinity([IN_P5], [IN_ZONE])},
        {"nodeSelector": None, "affinity": affinity([{**IN_P5, "operator": "NotIn"}])},
        {"nodeSelector": None, "affinity": affinity()},
    ],
    ids=["none", "a zone", "empty", "a list", "one of two terms", "not in", "no terms"],
)
def test_a_pod_that_selects_no_pool_is_refused_with_ways_out(check, pod):
    [message] = check(POLICY, INDEXED_JOB, job(**pod))
    assert "Job 'train' (spec.template) asks for nvidia.com/gpu and selects no pool" in message
    assert ", or require it by node affinity" in message


@pytest.mark.parametrize(
    "tolerations",
    [
        None,
        "nvidia.com/gpu",
        [None],
        [{"key": "nvidia.com/gpu", "value": "present"}],
        [{**GPU_TAINT, "effect": "NoExecute"}],
        [NEURON_TAINT],
    ],
    ids=["none", "text", "nothing", "another value", "another effect", "another taint"],
)
def test_a_pod_that_tolerates_no_taint_of_its_pool_is_refused(check, tolerations):
    [message] = check(POLICY, INDEXED_JOB, job(tolerations=tolerations))
    assert "does not tolerate the taint nvidia.com/gpu" in message
    assert ", or ask for no devices" in message


def test_cores_are_tolerated_by_the_taint_of_devices_and_otherwise_refused(check):
    cores, own_name = {"limits": {"aws.amazon.com/neuroncore": 2}}, {"key": "aws.amazon.com/neuroncore"}
    assert check(POLICY, INDEXED_JOB, job(cores, tolerations=[NEURON_TAINT])) == []
    [message] = check(POLICY, INDEXED_JOB, job(cores, tolerations=[{**own_name, "operator": "Exists"}]))
    assert "asks for aws.amazon.com/neuroncore and does not tolerate the taint aws.amazon.com/neuron " in message


def test_interfaces_alone_are_tolerated_with_either_kind_of_node_and_otherwise_refused(check):
    assert check(POLICY, INDEXED_JOB, job(devices(efa=8), tolerations=[NEURON_TAINT])) == []
    assert len(check(POLICY, INDEXED_JOB, job(devices(efa=8), tolerations=[]))) == 1


def test_the_workers_of_a_gang_are_refused_by_their_place(check):
    made = copy.deepcopy(mpi_job())
    del made["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["nodeSelector"]
    [message] = check(POLICY, MPI_JOB, made)
    assert (
        "MPIJob 'train' (spec.mpiReplicaSpecs.Worker.template) asks for nvidia.com/gpu, vpc.amazonaws.com/efa"
        in message
    )


def test_a_job_that_a_queue_sends_to_a_pool_is_not_its_business(check):
    queued = job(nodeSelector=None, tolerations=None)
    queued["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team-a"}
    assert check(POLICY, INDEXED_JOB, queued) == ["not applicable"]


@pytest.mark.parametrize(
    "pod",
    [
        {"nodeSelector": UNKNOWN},
        {"nodeSelector": {POOL: UNKNOWN}},
        {"nodeSelector": None, "affinity": {"nodeAffinity": UNKNOWN}},
        {"tolerations": UNKNOWN},
        {"tolerations": [UNKNOWN]},
        {"tolerations": [{"key": UNKNOWN, "operator": "Exists"}]},
    ],
)
def test_a_preview_that_does_not_know_where_pods_go_says_nothing(check, pod):
    assert check(POLICY, INDEXED_JOB, job(**pod)) == []


def test_a_preview_that_does_not_know_the_number_goes_by_the_name(check):
    assert len(check(POLICY, INDEXED_JOB, job({"limits": {"nvidia.com/gpu": UNKNOWN}}, nodeSelector=None))) == 1


def test_pods_without_accelerators_are_not_its_business(check):
    for resources in ({"limits": {"cpu": 4}}, {"limits": {"nvidia.com/gpu": "0"}}, "many"):
        assert check(POLICY, INDEXED_JOB, job(resources, nodeSelector=None)) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, job(nodeSelector=None), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
