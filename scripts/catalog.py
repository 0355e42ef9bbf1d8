"""`./scripts/catalog`: the catalog's instance types against EC2's own answer.

refresh [--region R] [--profile P] [--write]   what EC2 says otherwise; --write puts it into the file, with the source
row TYPE [--region R] [--profile P]            the row of a type that the catalog lacks, to be added by hand

Reads only, with ec2:DescribeInstanceTypes. Nothing is written without --write.
"""

import argparse
import csv
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from components.catalog.ec2_answers import CELLS, cells, differs
from components.catalog.instance_types import DATA, rows

DEFAULT_REGION = "us-west-2"
BATCH = 100
"""Types in one question; the API takes at most 200 values of a filter."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One cell about which EC2 says something else."""

    instance_type: str
    column: str
    ours: str
    theirs: str


class CatalogError(Exception):
    """Something a person must put right; the text says what."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Compares, or prints a row; returns 1 when there is something to look at."""
    options = _options(arguments)
    try:
        client = _client(options.region, options.profile)
        if options.command == "row":
            return _print_row(client, options.type, options.region)
        return refresh(client, region=options.region, write=options.write)
    except CatalogError as problem:
        print(problem, file=sys.stderr)
        return 2


def refresh(client: Any, *, region: str, write: bool, path: Path = DATA, today: date | None = None) -> int:
    """Print how EC2 differs from the file; with `write`, change the file and say so. 1 = there were differences."""
    known = {row["instance_type"]: row for row in rows(path)}
    answers = {answer["InstanceType"]: cells(answer) for answer in describe(client, list(known))}
    found = [d for name, answer in answers.items() for d in compare(known[name], answer)]
    absent = [name for name in known if name not in answers]
    _report(found, absent, region=region, checked=len(answers))
    if found and write:
        day = today or datetime.now(UTC).date()
        path.write_text(with_differences(path.read_text(encoding="utf-8"), found, region, day), encoding="utf-8")
        print(f"written: {path}. Read the difference before you commit it: git diff {path.name}")
    elif found:
        print("Nothing was written; --write puts EC2's values into the file.")
    return 1 if found else 0


def describe(client: Any, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """EC2's answer about each type that the region offers; others are left out, not an error."""
    try:
        for start in range(0, len(names), BATCH):
            question = [{"Name": "instance-type", "Values": list(names[start : start + BATCH])}]
            for page in client.get_paginator("describe_instance_types").paginate(Filters=question):
                yield from page["InstanceTypes"]
    except ClientError as error:
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        raise CatalogError(
            f"EC2 refused DescribeInstanceTypes ({code}: {message}). Check the credentials (aws sts "
            "get-caller-identity) and that they allow ec2:DescribeInstanceTypes."
        ) from None
    except BotoCoreError as error:
        raise CatalogError(
            f"EC2 could not be asked ({_one_line(error)}). Check --region, --profile and the network."
        ) from None


def compare(row: Mapping[str, str], answer: Mapping[str, str]) -> list[Difference]:
    """The cells about which the two differ."""
    return [
        Difference(instance_type=row["instance_type"], column=column, ours=row[column], theirs=answer[column])
        for column in CELLS
        if differs(column, row[column], answer[column])
    ]


def with_differences(text: str, found: Sequence[Difference], region: str, day: date) -> str:
    """The file's text with EC2's values, a source line for them, and their mark in the rows that changed."""
    mark = f"E{day:%Y%m%d}"
    lines = text.splitlines()
    header = next(index for index, line in enumerate(lines) if not line.startswith("#"))
    reader = csv.DictReader(lines[header:])
    columns = list(reader.fieldnames or ())
    changes: dict[str, dict[str, str]] = {}
    for each in found:
        changes.setdefault(each.instance_type, {})[each.column] = each.theirs
    table = io.StringIO()
    writer = csv.DictWriter(table, columns, lineterminator="\n")
    writer.writeheader()
    for row in reader:
        if changed := changes.get(row["instance_type"]):
            sources = [source for source in row["source"].split("+") if source and source != mark]
            row = {**row, **changed, "source": "+".join([*sources, mark])}  # noqa: PLW2901 - the row as it is written
        writer.writerow(row)
    note = f"#  [{mark}] ec2:DescribeInstanceTypes in {region}, read {day} by scripts/catalog refresh"
    comments = [line for line in lines[:header] if line != note]
    place = next((i for i, line in enumerate(comments) if line.startswith("# COLUMNS")), len(comments))
    return "\n".join([*comments[:place], note, *comments[place:]]) + "\n" + table.getvalue()


def _report(found: Sequence[Difference], absent: Sequence[str], *, region: str, checked: int) -> None:
    print(f"{checked} types compared with EC2 in {region}: {len(found)} differences.")
    if found:
        table = [("type", "column", "catalog", "EC2")]
        table += [(d.instance_type, d.column, d.ours or "(blank)", d.theirs) for d in found]
        widths = [max(len(line[column]) for line in table) for column in range(3)]
        for line in table:
            print("  " + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=False)), line[3])
    if absent:
        print(f"Not offered in {region}, so not compared: {', '.join(absent)}.")


def _print_row(client: Any, name: str, region: str) -> int:
    if name in {row["instance_type"] for row in rows()}:
        raise CatalogError(f"The catalog has {name} already; compare it with: ./scripts/catalog refresh")
    answer = next(iter(describe(client, [name])), None)
    if answer is None:
        raise CatalogError(f"EC2 offers no {name} in {region}. Check the spelling, or name another --region.")
    known = cells(answer)
    columns = next(line for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    source = f"E{datetime.now(UTC):%Y%m%d}"
    row = {**dict.fromkeys(columns.split(","), ""), "instance_type": name, **known, "source": source}
    csv.DictWriter(sys.stdout, columns.split(","), lineterminator="\n").writerow(row)
    print(
        f"Add it to {DATA.name}, and under SOURCES: [{source}] ec2:DescribeInstanceTypes in {region}. Check the layout "
        "against AWS' page on EFA, and that the EKS image has the type's driver.",
        file=sys.stderr,
    )
    return 0


def _client(region: str, profile: str | None) -> Any:
    try:
        session = boto3.Session(profile_name=profile, region_name=region)
        if session.get_credentials() is None:
            raise CatalogError("There are no AWS credentials. Set AWS_PROFILE or name one with --profile.")
        offered = session.get_available_regions("ec2", partition_name=session.get_partition_for_region(region))
        if region not in offered:
            raise CatalogError(f"There is no region {region}. Write it as in us-west-2.")
        return session.client("ec2", config=Config(retries={"mode": "standard", "max_attempts": 3}, connect_timeout=10))
    except BotoCoreError as error:
        raise CatalogError(f"AWS cannot be used ({_one_line(error)}). Check --region and --profile.") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./scripts/catalog", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    common = argparse.ArgumentParser(add_help=False)
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or DEFAULT_REGION
    common.add_argument("--region", default=region, help=f"default: AWS_REGION, else {DEFAULT_REGION}")
    common.add_argument("--profile", help="AWS profile; default: the usual chain")
    commands = parser.add_subparsers(dest="command", required=True)
    again = commands.add_parser("refresh", parents=[common], help="compare every row with EC2")
    again.add_argument("--write", action="store_true", help="put EC2's values into the file")
    row = commands.add_parser("row", parents=[common], help="print the row of a new type")
    row.add_argument("type", help="such as p5.48xlarge")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
