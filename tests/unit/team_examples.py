"""Teams, and the environment around them, for the tests of rules and of the component."""

import copy
from typing import Any

from stacks.node_pools import NodePool
from stacks.teams import TeamSpec

ROLE = "arn:aws:iam::111122223333:role"


def pool(name: str, instance_type: str, nodes: dict[str, int]) -> NodePool:
    common = {"zone": "us-west-2b", "efa": "static", "placementGroup": "none"}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, "nodes": nodes, **common})


POOLS = [
    pool("p5", "p5.48xlarge", {"max": 4}),
    pool("p4d", "p4d.24xlarge", {"max": 2}),
    pool("trn1", "trn1.32xlarge", {"max": 2}),
]
"""32, 16 and 32 devices."""

VALID: list[dict[str, Any]] = [
    {
        "name": "vision",
        "members": [f"{ROLE}/vision", f"{ROLE}/ml/vision-leads"],
        "quota": {"p5": 24, "p4d": 8},
        "queue": {"guaranteedNodes": {"p5": 2}},
        "slurmAccount": "vision",
        "buckets": [
            {"bucket": "checkpoints"},
            {"bucket": "datasets", "prefix": "", "level": "read"},
        ],
    },
    {
        "name": "speech",
        "members": [f"{ROLE}/speech"],
        "podSecurity": "restricted",
        "quota": {"p5": 16, "trn1": 32},
        "queue": {"guaranteedNodes": {"p5": 1}},
        "buckets": [
            {"bucket": "checkpoints", "prefix": "voice/", "level": "readWriteDelete"},
            {"bucket": "datasets", "prefix": "", "level": "read"},
        ],
    },
    {"name": "interns"},
]
"""Together they may have 40 of the 32 devices of p5, and are guaranteed 3 of its 4 nodes."""


def teams(*changes: tuple[int, dict[str, Any]]) -> list[TeamSpec]:
    """The valid teams, some with fields exchanged: (position, fields)."""
    raw = copy.deepcopy(VALID)
    for position, fields in changes:
        raw[position].update(fields)
    return [TeamSpec.model_validate(one) for one in raw]
