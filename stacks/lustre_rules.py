"""Rules of one Lustre file system of ours: what FSx takes together. Facts and sources: `components.catalog.lustre`."""

from collections.abc import Collection, Iterator, Sequence

from components.catalog.lustre import (
    CURRENT_VERSION,
    DEPLOYMENT_TYPES,
    LUSTRE_VERSIONS,
    OFFERINGS,
    Offering,
    capacities_near,
    capacity_fits,
    capacity_step,
)
from stacks.general_pools import GeneralPool
from stacks.lustre import LustreSpec
from stacks.lustre_performance_rules import check_efa, check_metadata, check_tiering
from stacks.lustre_repository_rules import check_repositories
from stacks.lustre_squash_rules import check_root_squash
from stacks.lustre_together import check_together
from stacks.network import Network
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem, one_of

WITH_EXISTING = ("name", "zone", "pools", "cross_zone", "namespaces", "existing")
"""Fields that mean something of a file system of another team."""


def check_lustre(
    entries: Sequence[tuple[str, LustreSpec]],
    *,
    network: Network | None,
    pools: Sequence[tuple[str, NodePool]] | None,
    general: Sequence[tuple[str, GeneralPool]] | None,
    buckets: Collection[str] | None,
    namespaces: Collection[str] | None,
) -> Iterator[Problem]:
    """Every rule of `storage.lustre`.

    Args:
        entries: the well-formed file systems, each with its path.
        network: None where that section is ill-formed; what needs it is then left out. So with the others:
        pools: of `nodePools`.
        general: of `generalPools`.
        buckets: names in `storage.buckets`.
        namespaces: names in `namespaces`.
    """
    for path, spec in entries:
        yield from check_file_system(path, spec)
    yield from check_together(
        entries, network=network, pools=pools, general=general, buckets=buckets, namespaces=namespaces
    )


def check_file_system(path: str, spec: LustreSpec) -> Iterator[Problem]:
    """Everything about one file system by itself."""
    if spec.existing is not None:
        yield from _check_existing(path, spec)
    elif spec.deployment_type is None:
        yield Problem(
            path=f"{path}.deploymentType",
            value=MISSING,
            reason="FSx itself would make SCRATCH_1, which keeps one copy of each file: this must be said.",
            accepted=one_of(DEPLOYMENT_TYPES),
            ways_out=(
                "set deploymentType: PERSISTENT_2 for files that cannot be made again",
                "set deploymentType: SCRATCH_2 for files that can",
            ),
        )
    elif spec.offering is None:
        yield from _check_storage_type(path, spec)
    else:
        yield from _check_offering(path, spec, spec.offering)


def _check_offering(path: str, spec: LustreSpec, offering: Offering) -> Iterator[Problem]:
    yield from check_throughput(path, spec.throughput_mbps_per_tib, offering)
    yield from _check_capacity(path, spec, offering)
    yield from _check_drive_cache(path, spec)
    yield from check_tiering(path, spec, offering)
    yield from check_metadata(path, spec, offering)
    yield from check_efa(path, spec, offering)
    yield from check_version(path, spec.lustre_version, with_metadata=spec.metadata is not None)
    yield from _check_backups(path, spec, offering)
    yield from check_root_squash(path, spec.root_squash)
    yield from check_repositories(path, spec, offering)


def _check_existing(path: str, spec: LustreSpec) -> Iterator[Problem]:
    """What another team made is not described here a second time."""
    defaults = {name: info.get_default(call_default_factory=True) for name, info in LustreSpec.model_fields.items()}
    for name, info in LustreSpec.model_fields.items():
        if name not in WITH_EXISTING and getattr(spec, name) != defaults[name]:
            yield Problem(
                path=f"{path}.{info.alias}",
                value=getattr(spec, name),
                reason="With existing the file system is another team's: it is only mounted, so this would do nothing.",
                accepted="name, zone, pools, crossZone and namespaces beside existing",
                ways_out=(f"remove {info.alias}", "remove existing to have a file system made"),
            )


def _check_storage_type(path: str, spec: LustreSpec) -> Iterator[Problem]:
    storage = [kind for deployment, kind in OFFERINGS if deployment == spec.deployment_type]
    deployments = [deployment for deployment, kind in OFFERINGS if kind == spec.storage_type]
    yield Problem(
        path=f"{path}.storageType",
        value=spec.storage_type,
        reason=f"FSx makes {spec.storage_type} with {one_of(deployments)} only.",
        accepted=f"{one_of(storage)}, with {spec.deployment_type}",
        ways_out=(f"set storageType: {storage[0]}", f"set deploymentType: {deployments[0]}"),
    )


def check_throughput(path: str, throughput: int | None, offering: Offering) -> Iterator[Problem]:
    """Throughput for each TiB: for persistent SSD and HDD, one of a few; for others none."""
    where, kind = f"{path}.throughputMBpsPerTiB", offering.deployment_type
    choices = offering.throughputs
    if offering.is_elastic and throughput is not None:
        yield Problem(
            path=where,
            value=throughput,
            reason="With INTELLIGENT_TIERING throughput is one number for the whole file system, whatever it holds.",
            accepted="null; throughputMBps says it",
            ways_out=("remove it and set throughputMBps: 4000", "set storageType: SSD"),
        )
    elif not choices and throughput is not None:
        yield Problem(
            path=where,
            value=throughput,
            reason=f"{kind} has a fixed throughput; only persistent types have this setting.",
            accepted=f"null, with {kind}",
            ways_out=(f"remove throughputMBpsPerTiB: {throughput}", "set deploymentType: PERSISTENT_2"),
        )
    elif choices and throughput not in choices:
        unsaid = throughput is None
        named = f"{kind} with {offering.storage_type}"
        near = min(choices, key=lambda choice: abs(choice - (throughput or 0)))
        yield Problem(
            path=where,
            value=MISSING if unsaid else throughput,
            reason=f"{named} must say its throughput for each TiB." if unsaid else f"{named} has no such throughput.",
            accepted=f"{one_of(choices)}, with {named}",
            ways_out=(
                f"set throughputMBpsPerTiB: {near}",
                "set deploymentType: SCRATCH_2, which has none" if unsaid else "use another deploymentType",
            ),
        )


def _check_capacity(path: str, spec: LustreSpec, offering: Offering) -> Iterator[Problem]:
    where, capacity, throughput = f"{path}.capacityGiB", spec.capacity_gib, spec.throughput_mbps_per_tib
    efa = spec.efa and offering.takes_efa
    if offering.is_elastic:
        if capacity is not None:
            yield Problem(
                path=where,
                value=capacity,
                reason="With INTELLIGENT_TIERING the size follows the data, and nothing is bought in advance.",
                accepted="null",
                ways_out=("remove capacityGiB", "set storageType: SSD"),
            )
        return
    step = capacity_step(offering, throughput, efa=efa)
    if step is None:
        # The throughput is wrong or unsaid, and was reported; sizes go by it.
        return
    if capacity is not None and capacity_fits(offering, capacity, throughput, efa=efa):
        return
    lower, upper = capacities_near(offering, capacity or 0, throughput, efa=efa)
    first = "" if efa or not offering.first_capacities else f"{one_of(offering.first_capacities)} and "
    sizes = f"{first}multiples of {step} GiB"
    named = f"{spec.deployment_type} with {spec.storage_type}"
    at = f" at {throughput} MB/s for each TiB" if len(offering.steps) > 1 or efa else ""
    reason = f"{named}{at}{' and EFA' if efa else ''} comes in {sizes}."
    if capacity == 0:
        reason += " (0 is a multiple too, but no file system.)"
    yield Problem(
        path=where,
        value=MISSING if capacity is None else capacity,
        reason=reason,
        accepted=sizes,
        ways_out=(f"set capacityGiB: {lower}", f"set capacityGiB: {upper}"),
    )


def _check_drive_cache(path: str, spec: LustreSpec) -> Iterator[Problem]:
    hard_disks = spec.storage_type == "HDD"
    if hard_disks and spec.drive_cache is None:
        yield Problem(
            path=f"{path}.driveCache",
            value=MISSING,
            reason="FSx asks of a file system with HDD whether it gets an SSD cache, and it can never change.",
            accepted="READ or NONE",
            ways_out=("set driveCache: READ, an SSD cache of a fifth of the capacity", "set driveCache: NONE"),
        )
    elif not hard_disks and spec.drive_cache is not None:
        yield Problem(
            path=f"{path}.driveCache",
            value=spec.drive_cache,
            reason=f"Only HDD has a drive cache; this file system has {spec.storage_type}.",
            accepted="null, with SSD and INTELLIGENT_TIERING",
            ways_out=("remove driveCache", "set deploymentType: PERSISTENT_1 and storageType: HDD"),
        )


def check_version(path: str, version: str, *, with_metadata: bool) -> Iterator[Problem]:
    """A version that nodes can mount, and that has what the file system asks for."""
    if version not in LUSTRE_VERSIONS:
        yield Problem(
            path=f"{path}.lustreVersion",
            value=version,
            reason="Nodes with AL2023 cannot mount it." if version == "2.10" else "FSx makes no such version.",
            accepted=one_of(f'"{known}"' for known in LUSTRE_VERSIONS),
            ways_out=(
                f'set lustreVersion: "{CURRENT_VERSION}"',
                f'remove the line: the default is "{CURRENT_VERSION}"',
            ),
        )
    elif with_metadata and version != CURRENT_VERSION:
        yield Problem(
            path=f"{path}.lustreVersion",
            value=version,
            reason="A metadata configuration needs Lustre 2.15.",
            accepted=f'"{CURRENT_VERSION}", with metadata',
            ways_out=(f'set lustreVersion: "{CURRENT_VERSION}"', "remove metadata"),
        )


def _check_backups(path: str, spec: LustreSpec, offering: Offering) -> Iterator[Problem]:
    if spec.backups is None:
        return
    days = {"retentionDays": spec.backups.retention_days}
    if not offering.takes_backups:
        yield Problem(
            path=f"{path}.backups",
            value=days,
            reason=f"AWS makes no backups of {offering.deployment_type}: its files are meant to be made again.",
            accepted="null, with scratch types",
            ways_out=("remove backups", "set deploymentType: PERSISTENT_2"),
        )
    elif spec.data_repositories:
        yield Problem(
            path=f"{path}.backups",
            value=days,
            reason="AWS makes no backups of a file system that anything in S3 is linked to; the bucket is then its "
            "second copy.",
            accepted="backups or dataRepositories, not both",
            ways_out=("remove backups, and export what must last (autoExport)", "remove dataRepositories"),
        )
