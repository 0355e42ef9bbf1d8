"""Sums of amounts and prices, with the words that say how they came about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from components.catalog.instance_prices import HOURS_A_MONTH
from stacks.storage_costs import Price, origin


@dataclass(frozen=True, kw_only=True, slots=True)
class Term:
    """So many of one thing. `price` is None where it is not known."""

    count: int
    name: str
    price: Price | None
    monthly: bool = False
    """The price is that of a month, not of an hour."""

    @property
    def usd_an_hour(self) -> Decimal | None:
        if self.count == 0:
            return Decimal(0)
        if self.price is None or self.price.usd is None:
            return None
        total = self.count * self.price.usd
        return total / HOURS_A_MONTH if self.monthly else total

    def __str__(self) -> str:
        if self.price is None or self.price.usd is None:
            return f"{self.count:,} x {self.name}, price not known"
        period = "a month" if self.monthly else "an hour"
        return f"{self.count:,} x {self.price.usd.normalize():f} USD {period} of {self.name}"


def an_hour_of(terms: Sequence[Term]) -> Decimal | None:
    """All terms together; None as soon as one is not known."""
    total = Decimal(0)
    for term in terms:
        amount = term.usd_an_hour
        if amount is None:
            return None
        total += amount
    return total


def words_of(terms: Sequence[Term], region: str) -> str:
    """The sum in words, then where and when its prices held."""
    told = " + ".join(str(term) for term in terms if term.count)
    prices = [term.price for term in terms if term.count and term.price is not None and term.price.usd is not None]
    return "; ".join(part for part in (told, origin(region, prices)) if part)
