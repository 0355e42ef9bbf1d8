"""Which pools mount which Lustre file system, and which of them do so over EFA."""

from collections.abc import Iterator, Sequence

from components.catalog.lustre import (
    CURRENT_VERSION,
    EFA_CLIENT_GBPS,
    MAX_EFA_CONNECTIONS,
    TCP_CLIENT_GBPS,
    efa_interfaces,
    may_use_efa_lustre,
)
from stacks.lustre import LustreSpec
from stacks.node_pools import NodePool


def mounting_pools(spec: LustreSpec, pools: Sequence[NodePool]) -> tuple[str, ...]:
    """Names of the pools that mount it: those it names, else the accelerated ones of its zone (crossZone: of all)."""
    return spec.pools or tuple(pool.name for pool in pools if spec.cross_zone or pool.zone == spec.zone)


def efa_clients(specs: Sequence[LustreSpec], pools: Sequence[NodePool]) -> tuple[str, ...]:
    """Names of the pools whose nodes are set up to mount at least one of the file systems over EFA."""
    return tuple(pool.name for pool in pools if any(_reaches(spec, pool, pools) for spec in specs))


def _reaches(spec: LustreSpec, pool: NodePool, pools: Sequence[NodePool]) -> bool:
    # EFA traffic leaves no zone. With onRequest a node that comes without an EFA interface falls back to TCP.
    return (
        spec.has_efa
        and pool.name in mounting_pools(spec, pools)
        and pool.zone == spec.zone
        and pool.efa_mode != "off"
        and may_use_efa_lustre(pool.instance_type)
    )


def lustre_warnings(path: str, spec: LustreSpec, pools: Sequence[NodePool]) -> Iterator[str]:
    """One sentence for each choice that can lose files or speed, with the field that makes it."""
    if spec.has_efa:
        yield from _slow_clients(path, spec, pools)
    for position, repository in enumerate(spec.data_repositories):
        if "DELETED" in repository.auto_export:
            yield (
                f"{path}.dataRepositories[{position}].autoExport has DELETED: a file that a job removes goes from the "
                f"bucket {repository.bucket} too; its versions keep it for the bucket's recovery window only."
            )
    if spec.existing is None and spec.lustre_version != CURRENT_VERSION:
        yield (
            f'{path}.lustreVersion = "{spec.lustre_version}": EFA and metadata need {CURRENT_VERSION}; a later version '
            "is set in place, an earlier one never again."
        )
    yield from _only_copies(path, spec)
    if not spec.namespaces:
        yield f"{path}.namespaces is empty: no claim is made, so no pod can mount it."


def _slow_clients(path: str, spec: LustreSpec, pools: Sequence[NodePool]) -> Iterator[str]:
    over_efa = efa_clients([spec], pools)
    slow = [name for name in mounting_pools(spec, pools) if name not in over_efa]
    if slow:
        yield (
            f"{path}.efa = true: nodes of {', '.join(slow)} mount it over TCP, at {TCP_CLIENT_GBPS} Gbit/s each at "
            f"most instead of {EFA_CLIENT_GBPS}: their type, their zone or efa: off allows no more."
        )
    connections = sum(pool.nodes.most * efa_interfaces(pool.type_facts) for pool in pools if pool.name in over_efa)
    if connections > MAX_EFA_CONNECTIONS:
        yield (
            f"{path}.efa = true: nodes of {', '.join(over_efa)} can have {connections} EFA connections together, and a "
            f"file system takes {MAX_EFA_CONNECTIONS}; name fewer pools, or make a second file system."
        )
    asking = [pool.name for pool in pools if pool.name in over_efa and pool.efa_mode == "onRequest"]
    if asking:
        yield (
            f"{path}.efa = true: a node of {', '.join(asking)} that starts for a pod without vpc.amazonaws.com/efa has "
            "no EFA interface (efa: onRequest) and mounts it over TCP."
        )


def _only_copies(path: str, spec: LustreSpec) -> Iterator[str]:
    if spec.offering is None:
        return
    if not spec.offering.is_replicated:
        yield (
            f"{path}.deploymentType = {spec.deployment_type}: nothing is replicated, so a failed server loses the "
            "files on it; keep only what can be made again."
        )
    elif spec.backups is None and not spec.data_repositories:
        yield (
            f"{path} has neither backups nor dataRepositories: both copies lie in {spec.zone}, and a file that is "
            "deleted or overwritten is gone."
        )
