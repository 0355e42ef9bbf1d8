"""Newer prices put into the catalog's two files, row by row, so that a person reads the difference in git."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from components.catalog import instance_prices, service_prices
from scripts.costing.refresh import Refreshed


def write(
    found: Refreshed, instances: Path = instance_prices.DATA, services: Path = service_prices.DATA
) -> Sequence[Path]:
    """Replace the rows of the same thing and region, add the others; the files that changed."""
    changed: list[Path] = []
    new_instances = [
        {
            "instanceType": price.instance_type,
            "region": price.region,
            "usd": f"{price.usd.normalize():f}",
            "quality": price.quality,
            "sourceDate": price.source_date,
            "dateSeen": price.date_seen,
            "source": price.source,
            "note": price.note,
        }
        for price in found.instances
    ]
    new_services = [
        {
            "service": price.service,
            "item": price.item,
            "region": price.region,
            "usd": "" if price.usd is None else f"{price.usd.normalize():f}",
            "unit": price.unit,
            "quality": price.quality,
            "sourceDate": price.source_date,
            "dateSeen": price.date_seen,
            "source": price.source,
            "note": price.note,
        }
        for price in found.services
    ]
    for path, rows, key in (
        (instances, new_instances, ("instanceType", "region")),
        (services, new_services, ("service", "item", "region")),
    ):
        if rows:
            path.write_text(_merged(path.read_text(encoding="utf-8"), rows, key), encoding="utf-8")
            changed.append(path)
    return changed


def _merged(text: str, rows: Sequence[Mapping[str, str]], key: Sequence[str]) -> str:
    reader = csv.DictReader(io.StringIO(text))
    columns = list(reader.fieldnames or ())
    new = {tuple(row[column] for column in key): row for row in rows}
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in reader:
        writer.writerow(new.pop(tuple(row[column] for column in key), row))
    writer.writerows(new.values())
    return out.getvalue()
