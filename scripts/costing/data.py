"""Lines of what is paid for by its size: buckets with the retention that the environment states, EFS, claims."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.costing.lines import Kind, Line, an_hour
from scripts.costing.price_book import PriceBook
from stacks.buckets import BucketSpec
from stacks.environment import Environment
from stacks.storage_costs import bucket_cost, efs_cost, lustre_cost

SMALLEST_CLAIM_GIB = 1200
"""The smallest Lustre file system that a claim can make."""


def data_lines(environment: Environment, region: str, prices: PriceBook) -> Iterator[Line]:
    """Buckets, EFS file systems, file systems that claims make, home folders of notebooks."""
    storage = environment.storage
    for at, bucket in enumerate(storage.buckets):
        if bucket.existing is not None:
            continue
        cost = bucket_cost(bucket, region, prices.service)
        usd = an_hour(cost.usd_a_month)
        how = f"{_retention(bucket)}; {cost.how}"
        yield Line(kind=Kind.DATA, path=f"storage.buckets[{at}]", what=cost.what, idle=usd, limit=usd, how=how)
    for at, efs in enumerate(storage.efs):
        if efs.existing is not None:
            continue
        cost = efs_cost(name=efs.name, region=region, look_up=prices.service)
        yield _by_use(f"storage.efs[{at}]", cost.what, cost.how)
    for at, spec in enumerate(storage.lustre_classes):
        cost = lustre_cost(
            name=spec.name,
            deployment_type=spec.deployment_type,
            storage_type="SSD",
            capacity_gib=SMALLEST_CLAIM_GIB,
            throughput_mbps_per_tib=spec.throughput_mbps_per_tib,
            region=region,
            look_up=prices.service,
        )
        each = f"each claim makes a file system; the smallest: {cost.how}"
        if cost.usd_a_month is not None:
            each += f" = {cost.usd_a_month:,.2f} USD a month"
        yield _by_use(f"storage.lustreClasses[{at}]", f"Lustre claims of class {spec.name}", each)
    hub = environment.platform.jupyterhub
    if hub is not None and hub.home.claim is None:
        most = f"{hub.home.size_gib} GiB for each user, at most {hub.quota.storage_gib:,} GiB together"
        price = prices.volume(region)
        if price is not None and price.usd is not None:
            most += f" = {hub.quota.storage_gib * price.usd:,.2f} USD a month"
        yield _by_use("platform.jupyterhub.home", "home volumes of notebooks", most)


def _by_use(path: str, what: str, how: str) -> Line:
    return Line(kind=Kind.DATA, path=path, what=what, idle=None, limit=None, how=how)


def _retention(bucket: BucketSpec) -> str:
    kept = "kept for ever" if bucket.expire_after_days is None else f"kept {bucket.expire_after_days} days"
    return f"{kept}, deleted objects {bucket.recovery_window_days} days more"
