"""Rules of the StorageClasses that make Lustre file systems."""

from collections.abc import Iterator, Sequence

from components.catalog.lustre import OFFERINGS, SSD
from stacks.lustre_classes import LustreClassSpec
from stacks.lustre_rules import check_throughput, check_version
from stacks.network import Network
from stacks.pools_together import check_unique, check_zone
from stacks.problems import Problem


def check_lustre_classes(
    entries: Sequence[tuple[str, LustreClassSpec]], *, network: Network | None
) -> Iterator[Problem]:
    """Every rule of `storage.lustreClasses`; the zone is left out where `network` is None."""
    yield from check_unique("name", [(path, spec.name) for path, spec in entries])
    for path, spec in entries:
        if network is not None:
            yield from check_zone(f"{path}.zone", spec.zone, network)
        yield from check_throughput(path, spec.throughput_mbps_per_tib, OFFERINGS[spec.deployment_type, SSD])
        yield from check_version(path, spec.lustre_version, with_metadata=False)
