"""A NodeSet of a pool, as a plain dictionary.

The fields are those of CRD `nodesets.slinky.slurm.net` of Slinky 1.2.1 (read 2026-11-29). The chart could render them
too; as objects of their own they show up in previews, leave their replicas to others where asked to, and go before the
controller and the REST API do.
"""

from collections.abc import Sequence
from typing import Any

from components.capacity.node_pool import taints
from components.catalog.labels import POOL_LABEL
from components.catalog.slurm import SHARED_MEMORY, gres_of
from components.platform.slurm_conf import is_alone, partition_rules
from components.platform.slurm_images import alpine_reference
from stacks.node_pools import NodePool
from stacks.slurm import SlurmSpec
from stacks.slurm_node_sets import ClaimMount, NodeSetSpec
from stacks.slurm_sizes import replicas, shared_memory_gib, slurmd_room

DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
EFA_RESOURCE = "vpc.amazonaws.com/efa"
GRACE_SECONDS = 300
"""For slurmd's preStop, which tells the controller, and for jobs to end after KillWait."""


def node_set_spec(spec: SlurmSpec, node_set: NodeSetSpec, pool: NodePool, images: str | None) -> dict[str, Any]:
    """`spec` of the NodeSet.

    Args:
        spec: the cluster.
        node_set: the set.
        pool: its pool, from whose instance type devices, CPUs and memory are counted.
        images: `artifacts.images` of the environment, for the log helper; the node image is taken as it is named.
    """
    made: dict[str, Any] = {
        "controllerRef": {"name": spec.name},
        "scalingMode": node_set.scaling_mode,
        # Slurm matches a GRES type as a part of the device's own name, in lower case.
        "extraConf": f"Gres={gres_of(pool.type_facts)} Features={','.join(_features(node_set, pool))}",
        "slurmd": _slurmd(spec, node_set, pool),
        "logfile": {"image": alpine_reference(images), "imagePullPolicy": "IfNotPresent"},
        "template": {"metadata": {"annotations": {DO_NOT_DISRUPT: "true"}}, "spec": _pod(node_set, pool)},
        "partition": _partition(spec, node_set),
        # A changed template would else drain and end a quarter of the pods at once.
        "updateStrategy": {"type": "OnDelete"},
        # These two would keep a pod from ever asking for a node.
        "pinToNode": False,
        "oversubscribeNode": False,
        "workloadDisruptionProtection": True,
    }
    if node_set.scaling_mode == "StatefulSet":
        return {**made, "replicas": replicas(pool, node_set), "pruneSlurmNodeRecords": "Never"}
    # Names follow the EC2 nodes, which change: without pruning records pile up to MaxNodeCount.
    return {**made, "pruneSlurmNodeRecords": "NodeNotFound"}


def _features(node_set: NodeSetSpec, pool: NodePool) -> list[str]:
    """The operator puts the pool's name in front of these."""
    return list(dict.fromkeys([str(pool.type_facts.accelerator), *node_set.features]))


def _partition(spec: SlurmSpec, node_set: NodeSetSpec) -> dict[str, Any]:
    if node_set.partition is None:
        return {"enabled": False}
    return {"enabled": True, "config": partition_rules(node_set.partition, alone=is_alone(spec))}


def devices(pool: NodePool) -> dict[str, str]:
    """All devices of a node, as its device plugins register them.

    No hugepages: Karpenter does not count them, and a pod that asks for some starts no node
    (aws/karpenter-provider-aws#3315, read 2026-11-29).
    """
    facts = pool.type_facts
    found = {str(facts.accelerator_resource): str(facts.accelerator_count)}
    if pool.efa_mode != "off":
        found[EFA_RESOURCE] = str(facts.efa_interfaces)
    return found


def _slurmd(spec: SlurmSpec, node_set: NodeSetSpec, pool: NodePool) -> dict[str, Any]:
    image = spec.node_image.neuron if pool.type_facts.is_neuron else spec.node_image.gpu
    room = slurmd_room(pool, node_set)
    amounts = {"cpu": str(room.cpu_m // 1000), "memory": f"{room.memory_mib // 1024}Gi", **devices(pool)}
    return {
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        # The operator tells slurmd the limits (POD_CPUS, POD_MEMORY); without them Slurm hands out the whole host.
        "resources": {"limits": amounts, "requests": amounts},
        "volumeMounts": [{"name": "shm", "mountPath": SHARED_MEMORY}, *mounts(node_set.claims)],
    }


def mounts(claims: Sequence[ClaimMount]) -> list[dict[str, Any]]:
    """Mounts of claims; a claim that appears twice is one volume."""
    return [{"name": f"claim-{c.claim}", "mountPath": c.path, "readOnly": c.read_only} for c in claims]


def volumes(claims: Sequence[ClaimMount]) -> list[dict[str, Any]]:
    """Volumes of claims."""
    names = dict.fromkeys(c.claim for c in claims)
    return [{"name": f"claim-{name}", "persistentVolumeClaim": {"claimName": name}} for name in names]


def _pod(node_set: NodeSetSpec, pool: NodePool) -> dict[str, Any]:
    shm = {"medium": "Memory", "sizeLimit": f"{shared_memory_gib(pool, node_set)}Gi"}
    return {
        # Slurm's node names begin with it, and the operator takes the set's name from it.
        "hostname": f"{pool.name}-",
        "nodeSelector": {POOL_LABEL: pool.name, "kubernetes.io/os": "linux"},
        "tolerations": [
            {"key": taint["key"], "operator": "Exists", "effect": taint["effect"]} for taint in taints(pool)
        ],
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "volumes": [{"name": "shm", "emptyDir": shm}, *volumes(node_set.claims)],
    }
