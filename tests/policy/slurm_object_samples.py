"""Good objects of Slinky and Applications of Argo CD as a preview shows them."""

from copy import deepcopy
from typing import Any

from tests.policy.workload_samples import IMAGE, devices, on_pool

NODE_SET = "kubernetes:slinky.slurm.net/v1beta1:NodeSet"
CONTROLLER = "kubernetes:slinky.slurm.net/v1beta1:Controller"
APPLICATION = "kubernetes:argoproj.io/v1alpha1:Application"
LIST = "kubernetes:core/v1:List"
ODD: list[Any] = [None, [], "text", 7, {"spec": None}, {"spec": []}, {"spec": {"template": "text", "slurmd": 3}}]
"""Where an object should be."""


def node_set(**spec: Any) -> dict[str, Any]:
    """A NodeSet of two p5 nodes; arguments override fields of its spec, None removes one."""
    made = {
        "controllerRef": {"name": "slurm"},
        "scalingMode": "StatefulSet",
        "replicas": 2,
        "slurmd": {"image": IMAGE, "resources": devices(gpu=8, efa=32)},
        "template": {"spec": on_pool("p5")},
        "partition": {"enabled": True},
        **spec,
    }
    return {
        "apiVersion": "slinky.slurm.net/v1beta1",
        "kind": "NodeSet",
        "metadata": {"name": "slurm-worker-p5", "namespace": "slurm"},
        "spec": {key: value for key, value in made.items() if value is not None},
    }


def controller(name: str = "slurm", **spec: Any) -> dict[str, Any]:
    """A Controller whose state lies on a claim; arguments override fields of its spec."""
    kept = {"enabled": True, "existingClaim": "slurm-statesave"}
    return {
        "apiVersion": "slinky.slurm.net/v1beta1",
        "kind": "Controller",
        "metadata": {"name": name, "namespace": "slurm"},
        "spec": {"persistence": kept, **spec},
    }


def listed(*objects: dict[str, Any]) -> dict[str, Any]:
    """A List with objects in it."""
    return {"apiVersion": "v1", "kind": "List", "metadata": {"name": "all"}, "items": [deepcopy(o) for o in objects]}


def application(source: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """An Application of Slinky's chart `slurm`; arguments override its source and fields of its spec."""
    chart = {"repoURL": "ghcr.io/slinkyproject/charts", "chart": "slurm", "targetRevision": "1.2.3"}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "slurm", "namespace": "argocd"},
        "spec": {"source": {**chart, **(source or {})}, "destination": {"namespace": "slurm"}, **spec},
    }
