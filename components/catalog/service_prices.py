"""Prices of storage, keys and gateways, read from `data/service_prices.csv`: each with source, date and quality.

They are for a first estimate. No page of AWS with a figure for every region could be read (2026-11-29), so most prices
are those of one region, some of a third party; a price that nobody could name stays unknown and is never guessed.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

DATA = Path(__file__).parent / "data" / "service_prices.csv"

S3, LUSTRE, EFS, EBS, KMS, VPC = "S3", "FSx for Lustre", "EFS", "EBS", "KMS", "VPC"
EKS, RDS, SECRETS_MANAGER, ELB = "EKS", "RDS", "Secrets Manager", "ELB"
STANDARD_SUPPORT, EXTENDED_SUPPORT = "control plane, standard support", "control plane, extended support"
NAT_HOUR, ENDPOINT_HOUR, ADDRESS_HOUR = "NAT gateway hour", "interface endpoint hour", "public IPv4 address hour"


@dataclass(frozen=True, kw_only=True, slots=True)
class ServicePrice:
    """One price."""

    service: str
    item: str
    """`STANDARD_IA`, or deployment type, storage type and MB/s/TiB of a Lustre file system."""
    region: str
    """Empty where the source names none."""
    usd: Decimal | None
    """For one `unit`; None: not known."""
    unit: str
    """`GB-month`, `GB`, `hour`, `cluster-hour` or `key-month`. AWS's GB of storage are 2^30 bytes."""
    quality: str
    """`exact`, `approximate` or `unknown`."""
    source_date: str
    date_seen: str
    source: str
    note: str

    @property
    def where(self) -> str:
        """The region in words."""
        return self.region or "a region that the source does not name"


def _prices() -> Iterator[ServicePrice]:
    with DATA.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield ServicePrice(
                service=row["service"],
                item=row["item"],
                region=row["region"],
                usd=Decimal(row["usd"]) if row["usd"] else None,
                unit=row["unit"],
                quality=row["quality"],
                source_date=row["sourceDate"],
                date_seen=row["dateSeen"],
                source=row["source"],
                note=row["note"],
            )


PRICES: Sequence[ServicePrice] = tuple(_prices())

LookUp = Callable[[str, str, str], ServicePrice | None]
"""Finds the price of a service's item in a region, as `price_of` does."""


def price_of(service: str, item: str, region: str, prices: Sequence[ServicePrice] = PRICES) -> ServicePrice | None:
    """The known price for the region or, where there is none, that of another region, which it names; else None."""
    known = [price for price in prices if (price.service, price.item) == (service, item) and price.usd is not None]
    return min(known, key=lambda price: (price.region != region, price.region != "", price.region), default=None)


def lustre_item(deployment_type: str, storage_type: str, throughput_mbps_per_tib: int | None) -> str:
    """How the table names a kind of Lustre file system."""
    return " ".join(
        [deployment_type, storage_type, *([str(throughput_mbps_per_tib)] if throughput_mbps_per_tib else [])]
    )
