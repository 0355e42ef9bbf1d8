"""Pools and a valid section `platform.jupyterhub` for tests of it."""

from collections.abc import Mapping
from typing import Any

from stacks.general_pools import GeneralPool
from stacks.jupyterhub import JupyterHubSpec
from stacks.node_pools import NodePool

IMAGE = f"registry.example.com/notebook@sha256:{'0' * 64}"


def pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"max": 2}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **given})


P5 = pool("p5", "p5.48xlarge", taints=[{"key": "example.com/team", "value": "a"}])
TRN = pool("trn", "trn1.2xlarge")
GENERAL = GeneralPool.model_validate(
    {
        "name": "general",
        "limits": {"cpu": 64, "memoryGiB": 256},
        "zones": ["us-west-2b"],
        "taints": [{"key": "example.com/lab"}],
    }
)
POOLS = (P5, TRN)
GENERALS = (GENERAL,)

H100 = {
    "name": "two-h100",
    "pool": "p5",
    "accelerators": 2,
    "cpu": 16,
    "memoryGiB": 256,
    "image": IMAGE,
    "groups": ["research"],
}
TRAINIUM = {"name": "trainium", "pool": "trn", "accelerators": 1, "cpu": 4, "image": IMAGE, "groups": ["*"]}
SMALL = {"name": "small", "generalPool": "general", "image": IMAGE}
SECTION: Mapping[str, Any] = {
    "profiles": [H100, TRAINIUM, SMALL],
    "auth": {"authenticator": "github", "secret": "jupyterhub-auth"},
    "quota": {"accelerators": 8},
}


def hub(**changes: object) -> JupyterHubSpec:
    """The section with some of its fields changed, as YAML spells them."""
    return JupyterHubSpec.model_validate({**SECTION, **changes})
