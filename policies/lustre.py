"""Which settings of a Lustre file system AWS refuses together; the facts are the catalog's, the judgment is this."""

from collections.abc import Iterator, Mapping
from typing import Any

from components.catalog.lustre import (
    CURRENT_VERSION,
    DEPLOYMENT_TYPES,
    DRIVE_CACHES,
    HDD,
    INTELLIGENT_TIERING,
    METADATA_IOPS,
    METADATA_MODES,
    OFFERINGS,
    PERSISTENT_2,
    READ_CACHE_GIB_PER_STEP,
    READ_CACHE_MODES,
    SCRATCH_1,
    SSD,
    TIERING_MAX_MBPS,
    TIERING_STEP_MBPS,
    Offering,
    capacities_near,
    capacity_fits,
    capacity_step,
)
from policies.values import UNKNOWN, is_said, is_true, known, text, whole


def refusals(props: Mapping[str, Any]) -> Iterator[str]:
    """What AWS would refuse, a sentence each, with ways out; settings that a preview does not know are left out."""
    # Defaults of the API.
    deployment = known(props, "deploymentType") or SCRATCH_1
    storage = known(props, "storageType") or SSD
    if UNKNOWN in (deployment, storage):
        return
    if deployment not in DEPLOYMENT_TYPES:
        yield f"deploymentType {deployment} does not exist. Choose one of {', '.join(DEPLOYMENT_TYPES)}."
        return
    offering = OFFERINGS.get((deployment, storage))
    if offering is None:
        kinds = [f"{storage} of {d}" for d, s in OFFERINGS if s == storage]
        also = [s for d, s in OFFERINGS if d == deployment]
        yield f"{deployment} has no storageType {storage}. Choose {' or '.join([*kinds, *also])}."
        return
    yield from _throughput(props, offering)
    yield from _capacity(props, offering)
    yield from _metadata(props, offering)
    yield from _efa(props, offering)
    yield from _tiering(props, offering)
    yield from _extras(props, offering)


def _is_open(value: object) -> bool:
    return value is UNKNOWN


def _throughput(props: Mapping[str, Any], offering: Offering) -> Iterator[str]:
    said, kind = known(props, "perUnitStorageThroughput"), f"{offering.deployment_type} {offering.storage_type}"
    allowed = ", ".join(map(str, offering.throughputs))
    if not offering.throughputs:
        if is_said(said):
            yield (
                f"perUnitStorageThroughput {text(said)} does not go with {kind}. Remove it, or choose PERSISTENT_2 "
                "with SSD, which has it."
            )
    elif not is_said(said):
        yield f"{kind} needs perUnitStorageThroughput. Set one of {allowed} MB/s/TiB, or choose SCRATCH_2."
    elif not _is_open(said) and whole(said) not in offering.throughputs:
        yield (
            f"perUnitStorageThroughput {text(said)} does not exist for {kind}. Set one of {allowed} MB/s/TiB, or "
            "choose another type."
        )


def _capacity(props: Mapping[str, Any], offering: Offering) -> Iterator[str]:
    said, throughput = known(props, "storageCapacity"), known(props, "perUnitStorageThroughput")
    kind, efa = f"{offering.deployment_type} {offering.storage_type}", is_true(known(props, "efaEnabled"))
    if offering.is_elastic:
        if is_said(said):
            yield f"storageCapacity {text(said)} does not go with {kind}, which grows by itself. Remove it, or use SSD."
        return
    per_tib = whole(throughput)
    # Without a step the throughput is wrong or unknown, which has a sentence of its own; a backup knows its size.
    if capacity_step(offering, per_tib, efa=efa) is None or _is_open(said) or is_said(known(props, "backupId")):
        return
    if not is_said(said):
        yield f"{kind} needs storageCapacity. Set it in GiB, or choose PERSISTENT_2 with INTELLIGENT_TIERING."
        return
    size = whole(said)
    if size is None or not capacity_fits(offering, size, per_tib, efa=efa):
        below, above = capacities_near(offering, size or 0, per_tib, efa=efa)
        which = f" with {per_tib} MB/s/TiB" if per_tib else ""
        which += " and EFA" if efa else ""
        yield f"storageCapacity {text(said)} GiB is no size of {kind}{which}. Set {below} or {above}."


def _metadata(props: Mapping[str, Any], offering: Offering) -> Iterator[str]:
    whole_block = known(props, "metadataConfiguration")
    mode, iops = known(props, "metadataConfiguration", "mode"), known(props, "metadataConfiguration", "iops")
    if not isinstance(whole_block, Mapping):
        if offering.is_elastic and whole_block is not UNKNOWN:
            yield (
                f"{INTELLIGENT_TIERING} needs metadataConfiguration with mode USER_PROVISIONED. Set 6000 or 12000 "
                "IOPS, or use SSD."
            )
        return
    if not offering.takes_metadata:
        yield (
            f"metadataConfiguration does not go with {offering.deployment_type}. Remove it, or choose {PERSISTENT_2}."
        )
        return
    modes = METADATA_MODES[1:] if offering.is_elastic else METADATA_MODES
    allowed = METADATA_IOPS[offering.storage_type]
    if not _is_open(mode) and mode not in modes:
        yield f"metadataConfiguration.mode {mode} does not go with {offering.storage_type}. Set {' or '.join(modes)}."
    elif mode == METADATA_MODES[0] and is_said(iops):
        yield f"metadataConfiguration.iops {text(iops)} does not go with AUTOMATIC. Remove it, or set USER_PROVISIONED."
    elif mode == METADATA_MODES[1] and not _is_open(iops) and whole(iops) not in allowed:
        yield (
            f"metadataConfiguration.iops {text(iops)} does not exist for {offering.storage_type}. Set one of "
            f"{', '.join(map(str, allowed[:5]))}{' and so on' if len(allowed) > 5 else ''}, or leave AUTOMATIC on SSD."
        )
    version = known(props, "fileSystemTypeVersion")
    if is_said(version) and not _is_open(version) and str(version) != CURRENT_VERSION:
        yield (
            f"metadataConfiguration does not go with Lustre {version}. Set fileSystemTypeVersion {CURRENT_VERSION}, or "
            "remove the configuration."
        )


def _efa(props: Mapping[str, Any], offering: Offering) -> Iterator[str]:
    if not is_true(known(props, "efaEnabled")):
        return
    if not offering.takes_efa:
        yield f"efaEnabled does not go with {offering.deployment_type}. Remove it, or choose {PERSISTENT_2}."
    elif known(props, "metadataConfiguration") is None:
        yield "efaEnabled needs metadataConfiguration. Set its mode to AUTOMATIC, or remove efaEnabled."


def _tiering(props: Mapping[str, Any], offering: Offering) -> Iterator[str]:
    throughput, cache = known(props, "throughputCapacity"), known(props, "dataReadCacheConfiguration")
    if not offering.is_elastic:
        for field, value in (("throughputCapacity", throughput), ("dataReadCacheConfiguration", cache)):
            if is_said(value):
                yield f"{field} does not go with {offering.storage_type}. Remove it, or choose {INTELLIGENT_TIERING}."
        return
    total = whole(throughput)
    good = total is not None and 0 < total <= TIERING_MAX_MBPS and total % TIERING_STEP_MBPS == 0
    if not _is_open(throughput) and not good:
        yield (
            f"throughputCapacity {text(throughput)} is none of {INTELLIGENT_TIERING}. Set a multiple of "
            f"{TIERING_STEP_MBPS} MB/s up to {TIERING_MAX_MBPS}, or use SSD."
        )
    if not _is_open(cache):
        yield from _read_cache(props, total // TIERING_STEP_MBPS if good and total else None)


def _read_cache(props: Mapping[str, Any], steps: int | None) -> Iterator[str]:
    mode = known(props, "dataReadCacheConfiguration", "sizingMode")
    size = known(props, "dataReadCacheConfiguration", "size")
    if not _is_open(mode) and mode not in READ_CACHE_MODES:
        yield (
            f"dataReadCacheConfiguration.sizingMode {mode} does not exist for {INTELLIGENT_TIERING}. Set one of "
            f"{', '.join(READ_CACHE_MODES)}, or use SSD."
        )
    elif mode in READ_CACHE_MODES[:2] and is_said(size):
        yield (
            f"dataReadCacheConfiguration.size {text(size)} does not go with {mode}. Remove it, or set USER_PROVISIONED."
        )
    elif mode == READ_CACHE_MODES[2] and steps is not None and not _is_open(size):
        least, most = (bound * steps for bound in READ_CACHE_GIB_PER_STEP)
        if not least <= (whole(size) or 0) <= most:
            yield (
                f"dataReadCacheConfiguration.size {text(size)} is no size for this throughput. Set {least} to {most} "
                "GiB, or let it follow the throughput."
            )


def _extras(props: Mapping[str, Any], offering: Offering) -> Iterator[str]:
    cache, key = known(props, "driveCacheType"), known(props, "kmsKeyId")
    if offering.storage_type == HDD:
        if not _is_open(cache) and cache not in DRIVE_CACHES:
            yield f"driveCacheType {cache} is none of {HDD}. Set {' or '.join(DRIVE_CACHES)}."
    elif is_said(cache):
        yield f"driveCacheType {text(cache)} goes with {HDD} only. Remove it, or choose PERSISTENT_1 with {HDD}."
    if is_said(key) and not offering.takes_kms_key:
        yield f"kmsKeyId does not go with {offering.deployment_type}. Remove it, or choose a persistent type."
