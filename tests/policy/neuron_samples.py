"""Good jobs on Neuron devices as a preview shows them."""

from typing import Any

from tests.policy.workload_samples import IMAGE, devices, variables

NEW_CONTAINER = "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.31.0-ubuntu24.04"
OLD_CONTAINER = "registry.example/mirror/pytorch-training-neuronx:2.1.2-neuronx-py310-sdk2.18.0-ubuntu20.04"
TRAIN = ["torchrun", "--nproc-per-node=32", "/workspace/train_lora.py"]


def script(*lines: str) -> list[str]:
    return ["bash", "-c", "\n".join(lines)]


def neuron_job(**container: Any) -> dict[str, Any]:
    """One trn1.32xlarge, with script, data and compile cache on volumes; `container` overrides its container."""
    trainer = {
        "name": "trainer",
        "image": IMAGE,
        "command": TRAIN,
        "env": variables({"NEURON_COMPILE_CACHE_URL": "/shared/neuron-cache"}),
        "resources": devices(neuron=16, efa=8),
        "volumeMounts": [{"name": "shared", "mountPath": "/shared"}, {"name": "code", "mountPath": "/workspace/"}],
        **container,
    }
    spec = {
        "restartPolicy": "Never",
        "nodeSelector": {"eks-training-platform/pool": "trn1"},
        "tolerations": [{"key": "aws.amazon.com/neuron", "operator": "Exists", "effect": "NoSchedule"}],
        "containers": [trainer],
        "volumes": [
            {"name": "shared", "persistentVolumeClaim": {"claimName": "lustre-data"}},
            {"name": "code", "configMap": {"name": "train-lora"}},
        ],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "training"},
        "spec": {"completionMode": "Indexed", "completions": 1, "parallelism": 1, "template": {"spec": spec}},
    }


def pod_of(job: dict[str, Any]) -> dict[str, Any]:
    """The pod's spec, to break something in it."""
    found: dict[str, Any] = job["spec"]["template"]["spec"]
    return found


ODD_PODS: list[Any] = [None, [], "x", {}, [None], {"containers": "x"}, {"containers": [None, 7, {}]}]
"""In the place of a pod's spec."""


def odd_job(spec: Any) -> dict[str, Any]:
    job = neuron_job()
    job["spec"]["template"]["spec"] = spec
    return job
