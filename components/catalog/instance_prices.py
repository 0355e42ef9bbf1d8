"""On-demand prices of EC2 types, Linux, shared tenancy, read from `data/instance_prices.csv` with source and date.

They are for a first estimate: most are of one region, and a type that is not in the file has no known price.
`./scripts/cost ENV --refresh --write` puts in what AWS says today.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

DATA = Path(__file__).parent / "data" / "instance_prices.csv"

HOURS_A_MONTH = 730
"""What AWS' own calculator takes a month for: 365 days of 24 hours, divided by twelve."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InstancePrice:
    """The price of one type in one region."""

    instance_type: str
    region: str
    usd: Decimal
    """For one hour."""
    quality: str
    """`exact` or `approximate`."""
    source_date: str
    date_seen: str
    source: str
    note: str

    @property
    def where(self) -> str:
        """The region in words, as `ServicePrice` has it."""
        return self.region


def _prices() -> Iterator[InstancePrice]:
    with DATA.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield InstancePrice(
                instance_type=row["instanceType"],
                region=row["region"],
                usd=Decimal(row["usd"]),
                quality=row["quality"],
                source_date=row["sourceDate"],
                date_seen=row["dateSeen"],
                source=row["source"],
                note=row["note"],
            )


PRICES: Sequence[InstancePrice] = tuple(_prices())


def instance_price(name: str, region: str, prices: Sequence[InstancePrice] = PRICES) -> InstancePrice | None:
    """The price in the region or, where there is none, that of another region, which it names; else None."""
    known = [price for price in prices if price.instance_type == name]
    return min(known, key=lambda price: (price.region != region, price.region), default=None)
