"""A bill for people: a table in the terminal."""

from __future__ import annotations

from decimal import Decimal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scripts.costing.bill import NOT_COUNTED
from scripts.costing.lines import Bill, Kind, Total

HEADINGS = {
    Kind.ALWAYS_ON: "Always on",
    Kind.POOL: "Pools",
    Kind.DATA: "Data",
}

TOTALS = {"idle": "no job at all", "limit": "every pool at its limit"}


def show(bill: Bill, name: str, console: Console, *, sums: bool) -> None:
    """Print the bill; `sums` adds how each amount came about."""
    console.print(f"{name}, {bill.region}, USD, 730 hours a month, without taxes and discounts\n", highlight=False)
    for kind, heading in HEADINGS.items():
        lines = [line for line in bill.lines if line.kind is kind]
        if not lines:
            continue
        table = Table(box=box.SIMPLE_HEAD, title=heading, title_justify="left", pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column("pool" if kind is Kind.POOL else "what", overflow="fold")
        if kind is Kind.POOL:
            table.add_column("nodes", overflow="fold")
        columns = ("idle, hour", "idle, month", "limit, hour", "limit, month")
        for column in columns if kind is Kind.POOL else ("an hour", "a month"):
            table.add_column(column, justify="right", no_wrap=True)
        for line in lines:
            amounts = [_usd(line.idle), _usd(line.idle_a_month)]
            if kind is Kind.POOL:
                amounts += [_usd(line.limit), _usd(line.limit_a_month)]
            names = [line.what.removeprefix("pool "), line.size] if kind is Kind.POOL else [line.what]
            table.add_row(*(Text(name) for name in names), *amounts)
        console.print(table)
        if sums:
            for line in lines:
                console.print(f"  {line.what} ({line.path}): {line.how}", highlight=False, markup=False, soft_wrap=True)
            console.print()
    for key, words in TOTALS.items():
        console.print(total_line(words, bill.totals[key]), highlight=False, markup=False, soft_wrap=True)
    console.print("\nNot counted: " + "; ".join(NOT_COUNTED) + ".", highlight=False, markup=False, soft_wrap=True)


def total_line(words: str, total: Total) -> str:
    """One total in words; what it leaves out is named."""
    bound = "at least " if total.unknown else ""
    line = f"Total, {words}: {bound}{total.usd_an_hour:,.2f} an hour, {bound}{total.usd_a_month:,.2f} a month"
    return f"{line}. Not known: {', '.join(total.unknown)}." if total.unknown else f"{line}."


def _usd(amount: Decimal | None) -> str:
    return "not known" if amount is None else f"{amount:,.2f}"
