"""What storage costs, worked out line by line from sizes and retention that the environment states.

Storage alone: requests, retrievals, transfers between zones, backups and compression are not in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from components.catalog.instance_prices import InstancePrice
from components.catalog.s3_classes import STANDARD
from components.catalog.service_prices import EFS, KMS, LUSTRE, S3, LookUp, ServicePrice, lustre_item, price_of
from stacks.buckets import BucketSpec
from stacks.storage import Storage

Price = InstancePrice | ServicePrice

YEAR = 365


@dataclass(frozen=True, kw_only=True, slots=True)
class CostLine:
    """One thing that costs, with the sum that was worked out."""

    what: str
    usd_a_month: Decimal | None
    """None: a price or a size is not known; `how` says which."""
    how: str

    def __str__(self) -> str:
        amount = "cost not known" if self.usd_a_month is None else f"about {self.usd_a_month:,.2f} USD a month"
        return f"{self.what}: {amount} ({self.how})"


def cost_lines(storage: Storage, region: str, look_up: LookUp = price_of) -> list[CostLine]:
    """A line for everything in the section that is paid for by its size, in the order of the section.

    `look_up` finds prices; the catalog's unless somebody has newer ones.
    """
    return [
        *([key_cost(region, look_up)] if storage.encryption.kms_key == "create" else []),
        *(
            lustre_cost(
                name=spec.name,
                deployment_type=spec.deployment_type or "",
                storage_type=spec.storage_type,
                capacity_gib=spec.capacity_gib,
                throughput_mbps_per_tib=spec.throughput_mbps_per_tib,
                region=region,
                look_up=look_up,
            )
            for spec in storage.lustre
            if spec.existing is None
        ),
        *(efs_cost(name=spec.name, region=region, look_up=look_up) for spec in storage.efs if spec.existing is None),
        *(bucket_cost(bucket, region, look_up) for bucket in storage.buckets),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stay:
    """How long an object lies in one class."""

    storage_class: str
    days: int


def bucket_cost(bucket: BucketSpec, region: str, look_up: LookUp = price_of) -> CostLine:
    """The monthly cost of a bucket once as much leaves as comes, or after a year where nothing ever leaves.

    A day's objects lie in each class for the days of its tier; an expired object stays for the recovery window more.
    Overwritten objects cost besides: nobody says how many there are.
    """
    what = f"bucket {bucket.name}"
    if bucket.existing is not None:
        return CostLine(what=what, usd_a_month=None, how="another team's bucket: it pays")
    if bucket.expected_gib_per_day is None:
        return CostLine(what=what, usd_a_month=None, how="size not known: say expectedGiBPerDay")
    if bucket.expire_after_days is None:
        total, when = YEAR, "after one year, and growing: expireAfterDays is not set"
    else:
        total, when = bucket.expire_after_days + bucket.recovery_window_days, "once as much leaves as comes"
    terms: list[tuple[int, ServicePrice]] = []
    for stay in stays(bucket, total):
        price = look_up(S3, stay.storage_class, region)
        if price is None:
            return CostLine(what=what, usd_a_month=None, how=f"price of {stay.storage_class} not known")
        terms.append((stay.days, price))
    gib = bucket.expected_gib_per_day
    written = " + ".join(f"{days} days x {gib:,} GiB x {price.usd} USD of {price.item}" for days, price in terms)
    return CostLine(
        what=what,
        usd_a_month=sum((days * gib * (price.usd or Decimal(0)) for days, price in terms), Decimal(0)),
        how=f"{when}: {written}; {origin(region, [price for _, price in terms])}",
    )


def stays(bucket: BucketSpec, total_days: int) -> Sequence[_Stay]:
    """In which class an object lies for how long, until it has been there for `total_days`."""
    starts = [(0, STANDARD), *((tier.after_days, str(tier.storage_class)) for tier in bucket.tiers)]
    # An expired object becomes an old version, which no tier moves any further.
    last_move = total_days if bucket.expire_after_days is None else bucket.expire_after_days
    begun = [(day, name) for day, name in starts if day < last_move]
    ends = [*(day for day, _ in begun[1:]), total_days]
    return [
        _Stay(storage_class=name, days=end - day) for (day, name), end in zip(begun, ends, strict=True) if end > day
    ]


def lustre_cost(
    *,
    name: str,
    deployment_type: str,
    storage_type: str,
    capacity_gib: int | None,
    throughput_mbps_per_tib: int | None,
    region: str,
    look_up: LookUp = price_of,
) -> CostLine:
    """The monthly cost of a Lustre file system: what was provisioned, used or not."""
    what, item = f"Lustre {name}", lustre_item(deployment_type, storage_type, throughput_mbps_per_tib)
    price = look_up(LUSTRE, item, region)
    if capacity_gib is None:
        return CostLine(what=what, usd_a_month=None, how="billed by what lies in it, which nobody states")
    if price is None or price.usd is None:
        return CostLine(what=what, usd_a_month=None, how=f"{capacity_gib:,} GiB; price of {item} not known")
    return CostLine(
        what=what,
        usd_a_month=capacity_gib * price.usd,
        how=f"{capacity_gib:,} GiB x {price.usd} USD of {item}; {origin(region, [price])}",
    )


def efs_cost(*, name: str, region: str, gib: int | None = None, look_up: LookUp = price_of) -> CostLine:
    """The monthly cost of an EFS file system of that size, all of it in the Standard class."""
    what, price = f"EFS {name}", look_up(EFS, STANDARD, region)
    if price is None or price.usd is None:
        return CostLine(what=what, usd_a_month=None, how="price not known")
    if gib is None:
        how = f"billed by what lies in it: 100 GiB are {100 * price.usd:,.2f} USD a month; {origin(region, [price])}"
        return CostLine(what=what, usd_a_month=None, how=how)
    how = f"{gib:,} GiB x {price.usd} USD; {origin(region, [price])}"
    return CostLine(what=what, usd_a_month=gib * price.usd, how=how)


def key_cost(region: str, look_up: LookUp = price_of) -> CostLine:
    """The monthly cost of the storage key of ours, without requests."""
    price = look_up(KMS, "customer key", region)
    usd = None if price is None else price.usd
    how = "price not known" if price is None else origin(region, [price])
    return CostLine(what="storage key", usd_a_month=usd, how=how)


def origin(region: str, prices: Sequence[Price]) -> str:
    """Where and when the prices held, and that they are not the stack's where they are not."""
    return "; ".join(dict.fromkeys(_origins(region, prices)))


def _origins(region: str, prices: Sequence[Price]) -> Iterator[str]:
    for price in prices:
        rough = "approximate price" if price.quality == "approximate" else "price"
        elsewhere = "" if price.region == region else f", not of {region}"
        yield f"{rough} of {price.where}{elsewhere}, source {price.source_date}, read {price.date_seen}"
