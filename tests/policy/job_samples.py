"""A good Job of four pods that train together."""

from collections.abc import Sequence
from typing import Any

from tests.policy.workload_samples import IMAGE, devices, on_pool

TORCHRUN = ("torchrun", "--nnodes=4", "--nproc-per-node=8")
RANK = "--node-rank=$(JOB_COMPLETION_INDEX)"
MASTER = "--master-addr=train-0.train"
CRON_JOB = "kubernetes:batch/v1:CronJob"


def indexed_job(*line: str, env: Sequence[Any] = (), spec: Any = None, **container: Any) -> dict[str, Any]:
    """Another command line, variables, fields of the Job's `spec` and of the container."""
    trainer = {
        "name": "trainer",
        "image": IMAGE,
        "command": list(line) or [*TORCHRUN, RANK, MASTER, "train.py"],
        "env": list(env),
        "resources": devices(gpu=8, efa=32),
        **container,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "training"},
        "spec": {
            "completionMode": "Indexed",
            "completions": 4,
            "parallelism": 4,
            "template": {"spec": {**on_pool("p5"), "restartPolicy": "Never", "containers": [trainer]}},
            **(spec or {}),
        },
    }


def cron_job(job: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": job["spec"]}},
    }


def field(name: str, path: str) -> dict[str, Any]:
    """A variable that takes a field of the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
