"""`./scripts/cost ENV`: what an environment costs by the hour and by the month.

Exit status: 0 a bill was printed (prices that are not known are named in it), 2 none could be made.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import boto3
import typer
from botocore.exceptions import BotoCoreError
from rich.console import Console

from components.catalog.price_questions import API_REGION
from scripts.costing.bill import NOT_COUNTED, bill_of
from scripts.costing.price_book import CATALOG, PriceBook
from scripts.costing.price_files import write
from scripts.costing.refresh import Recorder, Refreshed, RefreshError, refreshed
from scripts.costing.stack_files import StackFile, StackFileError, read_stack
from scripts.costing.text import show
from scripts.telling import fail

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def cost(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    as_json: Annotated[bool, typer.Option("--json", help="The bill as JSON on standard output.")] = False,
    sums: Annotated[bool, typer.Option("--sums", help="How each amount came about, with dates of prices.")] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask AWS' Pricing API (pricing:GetProducts) for today's prices first.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--write", help="With --refresh: put the answers into the catalog's files.")
    ] = False,
) -> None:
    """What an environment costs: always on, pools idle and at their limits, data with its retention.

    Prices are the catalog's, each with source and date; no network is asked without --refresh. Exit status: 0 with a
    bill, also when some prices are not known, 2 without one.
    """
    if keep and not refresh:
        fail("--write keeps what --refresh asks: give both, or neither.")
    try:
        stack = read_stack(environment)
        prices = _ask(stack, keep=keep) if refresh else CATALOG
    except (StackFileError, RefreshError) as problem:
        fail(str(problem))
    except BotoCoreError as problem:
        fail(f"AWS cannot be asked: {problem} Log in (aws sso login), or run without --refresh.")
    bill = bill_of(stack.environment, stack.region, prices)
    if as_json:
        print(json.dumps({"environment": stack.name, **bill.as_json(), "notCounted": list(NOT_COUNTED)}, indent=2))
    else:
        show(bill, stack.name, Console(highlight=False), sums=sums)


def pricing_client(profile: str | None) -> Any:
    """boto3's client of the Pricing API, wherever the stack is."""
    return boto3.Session(profile_name=profile, region_name=API_REGION).client("pricing")


def _ask(stack: StackFile, *, keep: bool) -> PriceBook:
    recorder = Recorder(CATALOG)
    bill_of(stack.environment, stack.region, recorder)
    total = len(recorder.asked_instances) + len(recorder.asked_services)
    print(f"asking AWS for {total} prices of {stack.region} ...", file=sys.stderr)
    found = refreshed(
        pricing_client(stack.profile),
        stack.region,
        instances=list(recorder.asked_instances),
        services=list(recorder.asked_services),
    )
    _tell(found)
    if keep:
        for path in write(found):
            print(f"written: {path}", file=sys.stderr)
        print("Read the difference (git diff), then: python -m scripts.generate", file=sys.stderr)
    return found.book


def _tell(found: Refreshed) -> None:
    for answer in found.answers:
        if answer.after is None:
            print(f"  {answer.name}: kept, {answer.why}", file=sys.stderr)
        elif answer.before != answer.after:
            before = "not known" if answer.before is None else answer.before
            print(f"  {answer.name}: {before} -> {answer.after}", file=sys.stderr)
    same = sum(answer.after is not None and answer.before == answer.after for answer in found.answers)
    print(f"  {same} prices are as in the catalog", file=sys.stderr)


if __name__ == "__main__":
    app(prog_name="./scripts/cost")
