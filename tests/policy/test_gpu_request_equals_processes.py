"""Launchers that start more or fewer processes than their container has GPUs."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.gpu_request_equals_processes import POLICY
from tests.policy.workload_samples import (
    BUCKET,
    IMAGE,
    INDEXED_JOB,
    MPI_JOB,
    RELEASE,
    devices,
    mpi_job,
    slurm_values,
    variables,
)

pytestmark = pytest.mark.policy

PYTORCH_JOB, TRAIN_JOB = "kubernetes:kubeflow.org/v1:PyTorchJob", "kubernetes:trainer.kubeflow.org/v1alpha1:TrainJob"


def job(*command, env=None, resources=None):
    container = {"name": "train", "image": IMAGE, "command": list(command), "env": variables(env or {})}
    container["resources"] = resources or devices(gpu=8)
    return {"metadata": {"name": "train"}, "spec": {"template": {"spec": {"containers": [container]}}}}


def pytorch_job(nproc):
    worker = {"template": job("python", "train.py")["spec"]["template"]}
    return {"metadata": {"name": "train"}, "spec": {"nprocPerNode": nproc, "pytorchReplicaSpecs": {"Worker": worker}}}


def train_job(nproc, gpus=8):
    trainer = {"numProcPerNode": nproc, "resourcesPerNode": {"limits": {"nvidia.com/gpu": gpus}}}
    return {"metadata": {"name": "train"}, "spec": {"trainer": trainer}}


@pytest.mark.parametrize(
    "command",
    [
        ("torchrun", "--nproc-per-node=8", "train.py"),
        ("torchrun", "--nproc_per_node", "8", "train.py"),
        ("torchrun", "--nproc-per-node", 8, "train.py"),
        ("torchrun", "--nproc-per-node=auto", "train.py"),
        ("bash", "-c", 'exec torchrun --nnodes=4 --nproc-per-node="8" train.py'),
        ("bash", "-c", "torchrun --nproc-per-node=$GPUS train.py"),
        ("deepspeed", "--num_gpus", "8", "train.py"),
        ("python", "train.py"),
    ],
)
def test_a_process_for_each_gpu_passes(check, command):
    assert check(POLICY, INDEXED_JOB, job(*command)) == []


def test_pods_that_start_no_launcher_pass(check):
    assert check(POLICY, MPI_JOB, mpi_job()) == []
    assert check(POLICY, RELEASE, slurm_values()) == []
    assert check(POLICY, PYTORCH_JOB, pytorch_job("8")) == check(POLICY, PYTORCH_JOB, pytorch_job("auto")) == []
    assert check(POLICY, TRAIN_JOB, train_job(8)) == []


@pytest.mark.parametrize(
    ("command", "env", "said"),
    [
        (("torchrun", "--nproc-per-node=4", "train.py"), {}, "starts 4 processes (--nproc-per-node)"),
        (("torchrun", "--nproc_per_node", 16, "train.py"), {}, "starts 16 processes (--nproc_per_node)"),
        (
            ("bash", "-c", "torchrun --nproc-per-node=${GPUS} train.py"),
            {"GPUS": "2"},
            "starts 2 processes (--nproc-per-node)",
        ),
        (("torchrun", "train.py"), {"PET_NPROC_PER_NODE": "1"}, "starts 1 processes (PET_NPROC_PER_NODE)"),
        (("deepspeed", "--num_gpus=4", "train.py"), {}, "starts 4 processes (--num_gpus)"),
    ],
)
def test_another_number_of_processes_is_refused_with_ways_out(check, command, env, said):
    [message] = check(POLICY, INDEXED_JOB, job(*command, env=env))
    assert f"Job 'train' {said} and asks for 8 nvidia.com/gpu in container 'train' (spec.template)" in message
    assert ", or start 8" in message


def test_kinds_that_say_it_for_all_pods_are_refused_too(check):
    [message] = check(POLICY, PYTORCH_JOB, pytorch_job("4"))
    assert "starts 4 processes (spec.nprocPerNode)" in message
    [message] = check(POLICY, TRAIN_JOB, train_job("4", "8"))
    assert "starts 4 processes (spec.trainer.numProcPerNode)" in message


@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "aws.amazon.com/neuron"])
def test_a_request_beside_another_limit_is_refused(check, resource):
    other = {"requests": {resource: 4, "cpu": 1}, "limits": {resource: "8", "cpu": 2}}
    [message] = check(POLICY, INDEXED_JOB, job(resources=other))
    assert f"requests 4 {resource} and limits itself to 8" in message
    [message] = check(POLICY, INDEXED_JOB, job(resources={"requests": {resource: 4}}))
    assert "limits itself to none" in message
    for same in ({"limits": {resource: 8}}, {"requests": {resource: "8"}, "limits": {resource: 8}}):
        assert check(POLICY, INDEXED_JOB, job(resources=same)) == []


def test_processes_without_gpus_are_tests_on_cpus_and_pass(check):
    assert check(POLICY, INDEXED_JOB, job("torchrun", "--nproc-per-node=2", resources={"limits": {"cpu": 4}})) == []


def test_a_preview_that_does_not_know_a_number_says_nothing_about_it(check):
    unknown = {"limits": {"nvidia.com/gpu": UNKNOWN}}
    assert check(POLICY, INDEXED_JOB, job("torchrun", "--nproc-per-node=4", resources=unknown)) == []
    assert check(POLICY, INDEXED_JOB, job("torchrun", "--nproc-per-node", UNKNOWN)) == []
    assert check(POLICY, INDEXED_JOB, job("torchrun", env={"PET_NPROC_PER_NODE": UNKNOWN})) == []
    assert check(POLICY, PYTORCH_JOB, pytorch_job(UNKNOWN)) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, job("torchrun", "--nproc-per-node=4"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
