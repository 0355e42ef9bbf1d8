"""A good job of Volcano as a preview shows it."""

from typing import Any

from tests.policy.workload_samples import IMAGE, devices, on_pool

VOLCANO_JOB = "kubernetes:batch.volcano.sh/v1alpha1:Job"


def volcano_job(replicas: Any = 4, command: str = "torchrun --nnodes=4 train.py", **spec: Any) -> dict[str, Any]:
    """Four p5 pods that start together; `spec` overrides fields of the job."""
    container = {"name": "trainer", "image": IMAGE, "command": command.split(), "resources": devices(gpu=8, efa=32)}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "training"},
        "spec": {
            "schedulerName": "volcano",
            "minAvailable": 4,
            "policies": [{"events": ["PodEvicted", "PodFailed"], "action": "RestartJob"}],
            "tasks": [
                {
                    "name": "worker",
                    "replicas": replicas,
                    "template": {"spec": {**on_pool("p5"), "containers": [container]}},
                }
            ],
            **spec,
        },
    }
