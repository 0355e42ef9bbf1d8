"""Rules of a Lustre file system's performance settings: Intelligent-Tiering, metadata, EFA."""

from collections.abc import Iterator

from components.catalog.lustre import (
    METADATA_IOPS,
    READ_CACHE_GIB_PER_STEP,
    TIERING_MAX_MBPS,
    TIERING_STEP_MBPS,
    Offering,
)
from stacks.lustre import LustreSpec
from stacks.problems import MISSING, Problem, one_of

_ELASTIC_ONLY = "Only INTELLIGENT_TIERING has this; this file system has {}."


def check_tiering(path: str, spec: LustreSpec, offering: Offering) -> Iterator[Problem]:
    """Throughput and read cache of Intelligent-Tiering, which must be said there and nowhere else."""
    if offering.is_elastic:
        yield from _check_throughput(path, spec)
        yield from _check_cache(path, spec)
        return
    for field, value in (("throughputMBps", spec.throughput_mbps), ("readCache", spec.read_cache)):
        if value is not None:
            yield Problem(
                path=f"{path}.{field}",
                value=value if isinstance(value, int) else {"mode": value.mode},
                reason=_ELASTIC_ONLY.format(spec.storage_type),
                accepted=f"null, with {spec.storage_type}",
                ways_out=(f"remove {field}", "set deploymentType: PERSISTENT_2 and storageType: INTELLIGENT_TIERING"),
            )


def _check_throughput(path: str, spec: LustreSpec) -> Iterator[Problem]:
    value = spec.throughput_mbps
    if value is not None and 0 < value <= TIERING_MAX_MBPS and value % TIERING_STEP_MBPS == 0:
        return
    near = min(max((value or 0) // TIERING_STEP_MBPS, 1) * TIERING_STEP_MBPS, TIERING_MAX_MBPS)
    yield Problem(
        path=f"{path}.throughputMBps",
        value=MISSING if value is None else value,
        reason=f"INTELLIGENT_TIERING has throughput in steps of {TIERING_STEP_MBPS} MB/s, and it must be said.",
        accepted=f"{TIERING_STEP_MBPS} and its multiples, up to {TIERING_MAX_MBPS}",
        ways_out=(f"set throughputMBps: {near}", "set storageType: SSD"),
    )


def _check_cache(path: str, spec: LustreSpec) -> Iterator[Problem]:
    cache = spec.read_cache
    if cache is None:
        yield Problem(
            path=f"{path}.readCache",
            value=MISSING,
            reason="FSx asks of INTELLIGENT_TIERING whether it gets an SSD read cache; without one reads are slow.",
            accepted="{mode: PROPORTIONAL_TO_THROUGHPUT_CAPACITY}, {mode: USER_PROVISIONED, sizeGiB: n} or {mode: "
            "NO_CACHE}",
            ways_out=(
                "set readCache: {mode: PROPORTIONAL_TO_THROUGHPUT_CAPACITY}",
                "set readCache: {mode: NO_CACHE}",
            ),
        )
        return
    where, size = f"{path}.readCache.sizeGiB", cache.size_gib
    if cache.mode != "USER_PROVISIONED":
        if size is not None:
            yield Problem(
                path=where,
                value=size,
                reason=f"With {cache.mode} the size is not ours to say.",
                accepted=f"null, with {cache.mode}",
                ways_out=("remove sizeGiB", "set mode: USER_PROVISIONED"),
            )
        return
    steps = max((spec.throughput_mbps or 0) // TIERING_STEP_MBPS, 1)
    least, most = (bound * steps for bound in READ_CACHE_GIB_PER_STEP)
    if size is None or not least <= size <= most:
        yield Problem(
            path=where,
            value=MISSING if size is None else size,
            reason=f"A cache of our size has {READ_CACHE_GIB_PER_STEP[0]} to {READ_CACHE_GIB_PER_STEP[1]} GiB for each "
            f"{TIERING_STEP_MBPS} MB/s.",
            accepted=f"a whole number from {least} to {most}",
            ways_out=(
                f"set sizeGiB: {least if (size or 0) < least else most}",
                "set mode: PROPORTIONAL_TO_THROUGHPUT_CAPACITY and remove sizeGiB",
            ),
        )


def check_metadata(path: str, spec: LustreSpec, offering: Offering) -> Iterator[Problem]:
    """A metadata configuration: PERSISTENT_2 only, and there with the numbers that its storage type has."""
    where, metadata = f"{path}.metadata", spec.metadata
    if metadata is None:
        if offering.is_elastic:
            yield Problem(
                path=where,
                value=MISSING,
                reason="FSx asks for the metadata IOPS of INTELLIGENT_TIERING.",
                accepted="{mode: USER_PROVISIONED, iops: 6000 or 12000}",
                ways_out=("set metadata: {mode: USER_PROVISIONED, iops: 6000}", "set storageType: SSD"),
            )
    elif not offering.takes_metadata:
        yield Problem(
            path=where,
            value={"mode": metadata.mode},
            reason=f"Only PERSISTENT_2 has a metadata configuration; this file system is {offering.deployment_type}.",
            accepted=f"null, with {offering.deployment_type}",
            ways_out=("remove metadata", "set deploymentType: PERSISTENT_2"),
        )
    elif metadata.mode == "AUTOMATIC" and offering.is_elastic:
        yield Problem(
            path=f"{where}.mode",
            value=metadata.mode,
            reason="AUTOMATIC goes by the capacity, and INTELLIGENT_TIERING has none.",
            accepted="USER_PROVISIONED, with INTELLIGENT_TIERING",
            ways_out=("set metadata: {mode: USER_PROVISIONED, iops: 6000}", "set storageType: SSD"),
        )
    elif metadata.mode == "AUTOMATIC" and metadata.iops is not None:
        yield Problem(
            path=f"{where}.iops",
            value=metadata.iops,
            reason="With AUTOMATIC, FSx sets the number by the capacity.",
            accepted="null, with AUTOMATIC",
            ways_out=("remove iops", "set mode: USER_PROVISIONED"),
        )
    elif metadata.mode == "USER_PROVISIONED":
        yield from _check_iops(f"{where}.iops", metadata.iops, offering)


def _check_iops(where: str, iops: int | None, offering: Offering) -> Iterator[Problem]:
    choices = METADATA_IOPS[offering.storage_type]
    if iops in choices:
        return
    elastic = offering.is_elastic
    near = min(choices, key=lambda choice: abs(choice - (iops or 0)))
    yield Problem(
        path=where,
        value=MISSING if iops is None else iops,
        reason=f"{offering.storage_type} has metadata IOPS in steps, and USER_PROVISIONED must name one.",
        accepted=one_of(choices) if elastic else "1500, 3000, 6000, 12000 and multiples of 12000 up to 192000",
        ways_out=(
            f"set iops: {near}",
            f"set iops: {choices[-1]}" if elastic else "set metadata: {mode: AUTOMATIC}",
        ),
    )


def check_efa(path: str, spec: LustreSpec, offering: Offering) -> Iterator[Problem]:
    """EFA needs PERSISTENT_2 and a metadata configuration; both are chosen once and for all."""
    if not spec.efa:
        return
    if not offering.takes_efa:
        yield Problem(
            path=f"{path}.efa",
            value=True,
            reason=f"Only PERSISTENT_2 can be reached over EFA; this file system is {offering.deployment_type}.",
            accepted="true with PERSISTENT_2 only",
            ways_out=("remove efa: nodes then use TCP", "set deploymentType: PERSISTENT_2"),
        )
    elif spec.metadata is None and not offering.is_elastic:
        yield Problem(
            path=f"{path}.metadata",
            value=MISSING,
            reason="FSx takes EFA together with a metadata configuration only.",
            accepted="{mode: AUTOMATIC} or {mode: USER_PROVISIONED, iops: n}, with efa: true",
            ways_out=("set metadata: {mode: AUTOMATIC}", "remove efa: nodes then use TCP"),
        )
