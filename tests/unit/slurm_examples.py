"""Slurm clusters for the tests of values, rules and components."""

from typing import Any

from stacks.node_pools import NodePool, Nodes
from stacks.slurm import SlurmSpec

GPU_IMAGE = "registry.example.com/slurmd-gpu@sha256:" + "1" * 64
NEURON_IMAGE = "registry.example.com/slurmd-neuron@sha256:" + "2" * 64

P5 = NodePool.model_validate(
    {
        "name": "p5",
        "instanceType": "p5.48xlarge",
        "zone": "us-west-2b",
        "nodes": {"max": 8},
        "efa": "static",
        "placementGroup": "create",
        "taints": [{"key": "example.com/team", "value": "research", "effect": "NoExecute"}],
    }
)
TRN1 = NodePool.model_validate(
    {
        "name": "trn1",
        "instanceType": "trn1.32xlarge",
        "zone": "us-west-2c",
        "nodes": {"fixed": 2},
        "efa": "static",
        "placementGroup": "none",
    }
)
STEADY = P5.model_copy(update={"name": "steady", "nodes": Nodes(fixed=2)})
"""A GPU pool of a fixed size, on which a DaemonSet may run."""
G6 = NodePool.model_validate({"name": "g6", "instanceType": "g6.xlarge", "zone": "us-west-2a", "nodes": {"max": 2}})
POOLS = (P5, TRN1, G6)

VALID: dict[str, Any] = {
    "nodeImage": {"gpu": GPU_IMAGE, "neuron": NEURON_IMAGE},
    "nodeSets": [
        {
            "pool": "p5",
            "replicas": 2,
            "features": ["efa"],
            "claims": [{"claim": "shared", "path": "/shared"}],
            "partition": {"default": True, "maxTime": "7-00"},
        },
        {"pool": "trn1", "partition": None},
        {"pool": "g6", "replicas": 1},
    ],
    "partitions": [{"name": "all"}, {"name": "chips", "pools": ["trn1"]}],
    "login": {},
    "tokens": [{"user": "pipeline"}],
    "accounting": {"existing": {"host": "db.example.com", "passwordSecret": "slurm-accounting"}},
    "config": {"PriorityType": "priority/multifactor", "KillWait": 300},
}


def cluster(**changes: Any) -> SlurmSpec:
    """The valid cluster with fields exchanged."""
    return SlurmSpec.model_validate({**VALID, **changes})
