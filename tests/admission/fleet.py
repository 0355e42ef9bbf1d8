"""The simulated fleet on which landing tests look: a node of every kind, from pools as the components make them.

One fleet for the whole tier, never changed: GPUs and Neuron devices, with and without EFA, with taints of a pool's own,
nodes that are still starting, and CPUs. System nodes are there besides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from components.capacity.node_class import API_VERSION as CLASS_API
from components.capacity.node_class import common_spec, node_class_labels, node_class_spec
from components.capacity.node_pool import API_VERSION as POOL_API
from components.capacity.node_pool import general_pool_spec, node_pool_spec
from components.catalog.csi import S3_DRIVER
from components.catalog.labels import POOL_LABEL
from stacks.general_pools import GeneralPool
from stacks.node_pools import NodePool, Nodes
from tests.admission.support import Sandbox, eventually
from tests.unit.slurm_examples import POOLS as SLURM_POOLS

TAINTS = [{"key": "example.com/team", "value": "research"}, {"key": "example.com/x", "effect": "NoExecute"}]
ZONE = "us-west-2b"


def _pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"fixed": 1}, "zone": ZONE, **more}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **given})


POOLS: Mapping[str, NodePool] = {
    pool.name: pool
    for pool in (
        _pool("gpu-efa", "p5.48xlarge", efa="static", nodes={"fixed": 2}),
        _pool("gpu", "p5.48xlarge"),
        _pool("gpu-ours", "p5.48xlarge", efa="static", taints=TAINTS),
        _pool("gpu-request", "p5.48xlarge", efa="onRequest", nodes={"max": 1}),
        _pool("gpu-starting", "p5.48xlarge", efa="static"),
        _pool("trn-efa", "trn1.32xlarge", efa="static"),
        _pool("trn", "trn1.2xlarge", nodes={"max": 1}),
        _pool("trn-ours", "trn1.32xlarge", efa="static", taints=TAINTS),
        _pool("trn-starting", "trn1.32xlarge", efa="static"),
        # Those of the Slurm examples, two nodes each: a dynamic pool gets no more here, as nobody's demand is seen.
        *(pool.model_copy(update={"nodes": Nodes(max=2)}) for pool in SLURM_POOLS if pool.nodes.fixed is None),
        *(pool for pool in SLURM_POOLS if pool.nodes.fixed is not None),
    )
}
STARTING = ("gpu-starting", "trn-starting")
"""Their nodes wait for the S3 driver, which is not in the account, for as long as the cluster lives."""
GENERAL = GeneralPool.model_validate({"name": "general", "limits": {"cpu": 64, "memoryGiB": 256}, "zones": [ZONE]})
TRAINING = list(POOLS.values())


@dataclass(frozen=True)
class Fleet:
    """The cluster with the fleet's nodes in it, as they were when all of them had come."""

    sandbox: Sandbox
    nodes: Mapping[str, Mapping[str, Any]]
    """Pool -> node's name -> Node."""

    def names(self, *pools: str) -> set[str]:
        return {name for pool in pools for name in self.nodes[pool]}

    def pool_of(self, node: str) -> str:
        """The pool whose node it is; the node itself where it is none of the fleet's."""
        return next((pool for pool, found in self.nodes.items() if node in found), node)


def start(sandbox: Sandbox) -> Fleet:
    """Apply the pools and wait for their nodes: initialized, but for those that are still starting."""
    sandbox.apply(*_objects())
    wanted = {pool.name: pool.nodes.fixed or pool.nodes.max for pool in TRAINING} | {GENERAL.name: 2}

    def complete() -> dict[str, dict[str, Any]] | None:
        found: dict[str, dict[str, Any]] = {name: {} for name in wanted}
        for node in sandbox.get("nodes", "-l", POOL_LABEL)["items"]:
            labels = node["metadata"]["labels"]
            done = "karpenter.sh/initialized" in labels or _is_starting(node)
            if done and labels[POOL_LABEL] in found:
                found[labels[POOL_LABEL]][node["metadata"]["name"]] = node
        return found if {name: len(nodes) for name, nodes in found.items()} == wanted else None

    return Fleet(sandbox, eventually(complete, f"a fleet of {wanted}"))


def _is_starting(node: Mapping[str, Any]) -> bool:
    conditions = node["status"].get("conditions", [])
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    taints = {taint["key"].partition("/")[0] for taint in node["spec"].get("taints", [])}
    return ready and S3_DRIVER in taints and not taints & {"ebs.csi.aws.com", "node.kubernetes.io"}


def _objects() -> Iterator[dict[str, Any]]:
    every: dict[str, Any] = {"role": "node", "security_group_ids": ["sg-1"], "ami_release": "v20261023", "tags": {}}
    for pool in TRAINING:
        group = pool.name if pool.creates_placement_group else None
        node_class = node_class_spec(pool, subnet_id="subnet-1", placement_group=group, **every)
        yield _of(CLASS_API, "EC2NodeClass", pool.name, node_class, node_class_labels(pool))
        drivers = [S3_DRIVER] if pool.name in STARTING else []
        yield _of(POOL_API, "NodePool", pool.node_pool_name, node_pool_spec(pool, drivers), {})
    general_class = common_spec(GENERAL, subnet_ids=["subnet-1"], **every)
    yield _of(CLASS_API, "EC2NodeClass", GENERAL.name, general_class, node_class_labels(GENERAL))
    yield _of(POOL_API, "NodePool", GENERAL.name, general_pool_spec(GENERAL, [ZONE]), {})


def _of(api: str, kind: str, name: str, spec: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "labels": dict(labels)}, "spec": spec}
