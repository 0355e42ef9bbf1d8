"""Rules of Slurm's node sets and partitions."""

from collections.abc import Iterator, Mapping

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.slurm import MAX_LABEL, SHARED_MEMORY
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem, one_of
from stacks.slurm import SlurmSpec
from stacks.slurm_node_sets import NodeSetSpec
from stacks.slurm_sizes import most, shared_memory_gib, slurmd_room

_ACCELERATORS = {facts.accelerator for facts in INSTANCE_TYPES.values() if facts.accelerator}


def node_set_name(cluster: str, pool: str) -> str:
    """Name of the NodeSet of a pool, as the chart would call it."""
    return f"{cluster}-worker-{pool}"


def check_node_set(
    path: str, node_set: NodeSetSpec, spec: SlurmSpec, pools: Mapping[str, NodePool]
) -> Iterator[Problem]:
    """One set against its pool."""
    pool = pools.get(node_set.pool)
    if pool is None:
        yield Problem(
            path=f"{path}.pool",
            value=node_set.pool,
            reason="There is no pool of accelerated nodes of this name, so its Slurm nodes would wait forever.",
            accepted=one_of(pools) or "a name under nodePools, where there is none yet",
            ways_out=("add the pool under nodePools", "remove this node set"),
        )
        return
    yield from _check_size(path, node_set, pool)
    yield from _check_mode(path, node_set, pool)
    yield from _check_image(path, pool, spec)
    yield from _check_mounts(path, node_set)
    yield from _check_features(path, node_set, pool)
    name = f"{node_set_name(spec.name, pool.name)}-{max(most(pool) - 1, 0)}"
    if len(name) > MAX_LABEL:
        over = len(name) - MAX_LABEL
        yield Problem(
            path=f"{path}.pool",
            value=node_set.pool,
            reason=f"The last pod would be called {name}: {len(name)} characters. The operator puts the name into a "
            f"label, which holds {MAX_LABEL}.",
            accepted=f"names that are {over} characters shorter together",
            ways_out=("shorten the pool's name", "shorten platform.slurm.name"),
        )


def _check_size(path: str, node_set: NodeSetSpec, pool: NodePool) -> Iterator[Problem]:
    limit = most(pool)
    if node_set.replicas is not None and node_set.replicas > limit:
        field = "max" if pool.nodes.fixed is None else "fixed"
        yield Problem(
            path=f"{path}.replicas",
            value=node_set.replicas,
            reason=f"Each Slurm node needs one EC2 node, and the pool has at most {limit}: "
            f"{node_set.replicas - limit} would wait forever.",
            accepted=f"a whole number from 0 to {limit}",
            ways_out=(f"set replicas: {limit}", f"raise nodes.{field} of the pool {pool.name}"),
        )
    room, wanted = slurmd_room(pool, node_set).memory_mib // 1024, shared_memory_gib(pool, node_set)
    if wanted > room:
        yield Problem(
            path=f"{path}.sharedMemoryGiB",
            value=wanted,
            reason=f"Shared memory counts as memory of slurmd, which gets {room} GiB of a {pool.instance_type} at "
            f"{node_set.share_percent} %.",
            accepted=f"a whole number from 1 to {room}",
            ways_out=(f"set sharedMemoryGiB: {max(room // 4, 1)}", "remove the line: a quarter of the memory"),
        )


def _check_mode(path: str, node_set: NodeSetSpec, pool: NodePool) -> Iterator[Problem]:
    if node_set.scaling_mode != "DaemonSet":
        return
    if pool.nodes.fixed is None:
        yield Problem(
            path=f"{path}.scalingMode",
            value=node_set.scaling_mode,
            reason="In this mode slurmd follows nodes that exist and never asks for one, so Karpenter would start none "
            f"in {pool.name}.",
            accepted="StatefulSet on pools with nodes: {max: n}",
            ways_out=("remove the line: StatefulSet", f"give the pool {pool.name} nodes: {{fixed: n}}"),
        )
    if pool.type_facts.is_neuron:
        yield Problem(
            path=f"{path}.scalingMode",
            value=node_set.scaling_mode,
            reason="In this mode Slurm's nodes are called like the EC2 nodes, and gres.conf can count Neuron devices "
            "only on nodes whose names it knows.",
            accepted="StatefulSet on Trainium and Inferentia pools",
            ways_out=("remove the line: StatefulSet, on all nodes of a fixed pool", "use it on a GPU pool"),
        )
    if node_set.replicas is not None or node_set.replicas_owner != "stack":
        field = "replicas" if node_set.replicas is not None else "replicasOwner"
        yield Problem(
            path=f"{path}.{field}",
            value=node_set.replicas if node_set.replicas is not None else node_set.replicas_owner,
            reason="A DaemonSet has one pod on each node of the pool; the operator ignores replicas in this mode.",
            accepted="scalingMode: DaemonSet alone",
            ways_out=(f"remove {field}", "set scalingMode: StatefulSet"),
        )


def _check_image(path: str, pool: NodePool, spec: SlurmSpec) -> Iterator[Problem]:
    kind = "neuron" if pool.type_facts.is_neuron else "gpu"
    if getattr(spec.node_image, kind) is None:
        needs = "the Neuron SDK" if kind == "neuron" else "CUDA, EFA or aws-ofi-nccl"
        yield Problem(
            path=f"platform.slurm.nodeImage.{kind}",
            value=MISSING,
            reason=f"Slinky's own slurmd image has no {needs}, so jobs on {pool.name} ({pool.type_facts.accelerator}) "
            "could not use the devices.",
            accepted="<repository>@sha256:<64 hexadecimal digits>",
            ways_out=("build images/slurmd, push it and name its digest here", f"remove {path}"),
        )


def _check_mounts(path: str, node_set: NodeSetSpec) -> Iterator[Problem]:
    seen: set[str] = {SHARED_MEMORY}
    for position, mount in enumerate(node_set.claims):
        if mount.path in seen:
            yield Problem(
                path=f"{path}.claims[{position}].path",
                value=mount.path,
                reason="Something else is mounted there already.",
                accepted="a path of its own for each claim, not /dev/shm",
                ways_out=(f"use {mount.path}-{position + 1}", "remove one of the two"),
            )
        seen.add(mount.path)


def _check_features(path: str, node_set: NodeSetSpec, pool: NodePool) -> Iterator[Problem]:
    facts = pool.type_facts
    for position, feature in enumerate(node_set.features):
        named = feature.lower()
        if named in _ACCELERATORS and named != facts.accelerator:
            yield Problem(
                path=f"{path}.features[{position}]",
                value=feature,
                reason=f"{facts.name} has {facts.accelerator}: a job with --constraint={feature} would run on other "
                "hardware than it names.",
                accepted=f"{facts.accelerator}, or no accelerator",
                ways_out=("remove it", f"write {facts.accelerator}"),
            )


def check_partitions(path: str, spec: SlurmSpec) -> Iterator[Problem]:
    """There is a partition, names do not collide, sets exist, and at most one is the default."""
    own = {node_set.pool: node_set.partition for node_set in spec.node_sets if node_set.partition is not None}
    if not own and not spec.partitions:
        yield Problem(
            path=f"{path}.partitions",
            value=MISSING,
            reason="Slurm has no partition then, and refuses every job.",
            accepted="a partition here, or a node set without partition: null",
            ways_out=("write partitions: [{name: all}]", "remove partition: null from a node set"),
        )
    yield from _check_names(path, spec, set(own))
    defaults = [
        *(
            f"{path}.nodeSets[{i}].partition.default"
            for i, node_set in enumerate(spec.node_sets)
            if node_set.partition is not None and node_set.partition.default
        ),
        *(f"{path}.partitions[{i}].default" for i, part in enumerate(spec.partitions) if part.default),
    ]
    for second in defaults[1:]:
        yield Problem(
            path=second,
            value=True,
            reason=f"{defaults[0]} says so too, and jobs that name no partition go to one.",
            accepted="default: true once",
            ways_out=("remove it here", f"remove {defaults[0]}"),
        )


def _check_names(path: str, spec: SlurmSpec, own: set[str]) -> Iterator[Problem]:
    sets = [node_set.pool for node_set in spec.node_sets]
    taken = {name.lower() for name in own}
    for position, part in enumerate(spec.partitions):
        where = f"{path}.partitions[{position}]"
        if part.name.lower() in taken or part.name.upper() in ("ALL_NODES", "DEFAULT"):
            yield Problem(
                path=f"{where}.name",
                value=part.name,
                reason="A node set's own partition, another one or Slurm itself has this name.",
                accepted="a name of its own",
                ways_out=(f"call it {part.name}-nodes", "set partition: null on the node set of this name"),
            )
        taken.add(part.name.lower())
        for index, name in enumerate(part.pools):
            if name not in sets:
                yield Problem(
                    path=f"{where}.pools[{index}]",
                    value=name,
                    reason="No node set is on a pool of this name.",
                    accepted=one_of(sets) or "a pool under nodeSets, where there is none yet",
                    ways_out=("add a node set for it", "remove it here"),
                )
