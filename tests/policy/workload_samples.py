"""Good workloads as a preview shows them."""

from collections.abc import Mapping
from typing import Any

MPI_JOB = "kubernetes:kubeflow.org/v2beta1:MPIJob"
INDEXED_JOB = "kubernetes:batch/v1:Job"
RELEASE = "kubernetes:helm.sh/v3:Release"
BUCKET = "aws:s3/bucket:Bucket"
IMAGE = "registry.example/trainer@sha256:" + "a" * 64


def variables(env: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A container's `env`; a mapping in the place of a value is its `valueFrom`."""
    return [
        {"name": name, "valueFrom": value} if isinstance(value, dict) else {"name": name, "value": value}
        for name, value in env.items()
    ]


def devices(**counts: int) -> dict[str, Any]:
    """Requests and limits: `devices(gpu=8, efa=32)`."""
    names = {"gpu": "nvidia.com/gpu", "efa": "vpc.amazonaws.com/efa", "neuron": "aws.amazon.com/neuron"}
    asked = {names[key]: str(count) for key, count in counts.items()} | {"memory": "1Ti"}
    return {"requests": dict(asked), "limits": dict(asked)}


def mpi_job(env: Mapping[str, Any] | None = None, **worker: Any) -> dict[str, Any]:
    """Two p5 workers of eight slots, and a launcher that starts sixteen ranks; `worker` overrides its container."""
    launcher = {
        "name": "mpi",
        "image": IMAGE,
        "command": ["mpirun", "-np", "16", "--bind-to", "none", "-map-by", "slot", "python", "train.py"],
        "env": variables(env or {}),
    }
    container = {"name": "worker", "image": IMAGE, "resources": devices(gpu=8, efa=32), **worker}
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": "train", "namespace": "training"},
        "spec": {
            "slotsPerWorker": 8,
            "runPolicy": {"cleanPodPolicy": "Running"},
            "mpiReplicaSpecs": {
                "Launcher": {"replicas": 1, "template": {"spec": {"containers": [launcher]}}},
                "Worker": {"replicas": 2, "template": {"spec": {**on_pool("p5"), "containers": [container]}}},
            },
        },
    }


def on_pool(pool: str) -> dict[str, Any]:
    """What sends a pod to a pool and lets it in."""
    return {
        "nodeSelector": {"eks-training-platform/pool": pool},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    }


def slurm_values(env: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """The release of Slinky's chart `slurm` with one GPU node set."""
    slurmd = {"image": {"repository": "registry.example/slurmd"}, "resources": devices(gpu=8, efa=32)}
    node_set = {"replicas": 2, "slurmd": {**slurmd, "env": variables(env or {})}, "podSpec": on_pool("p5")}
    values = {"nodesets": {"gpu": node_set}, "partitions": {"all": {"enabled": True}}, **more}
    return {"name": "slurm", "chart": "slurm", "version": "1.2.3", "namespace": "slurm", "values": values}
