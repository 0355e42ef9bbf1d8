"""Every documented constraint, with the gates that enforce it: one registry.

The rows lie in `catalogue/`, a file for each area. What enforces a row is not listed there but found: a rule of the
pack names ids in its `tags`, an admission policy in its annotation. Where a gate's owner is not built yet, the row
says so by `planned`; where no gate can see it, by `doc`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import yaml

CATALOGUE = Path(__file__).parent / "catalogue"
ADMISSION = Path(__file__).parent / "admission"
ANNOTATION = "eks-training-platform/constraints"
"""Of a ValidatingAdmissionPolicy: the ids that it enforces, with blanks between."""

Gate = Literal["CONFIG", "PREVIEW", "ADMISSION", "PREFLIGHT", "RUNTIME", "DOC"]
GATES: tuple[Gate, ...] = ("CONFIG", "PREVIEW", "ADMISSION", "PREFLIGHT", "RUNTIME", "DOC")
SEVERITIES = ("low", "medium", "high", "critical")


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """One documented constraint."""

    id: str
    area: str
    statement: str
    """What has to hold, in one sentence."""
    why: str
    """What happens otherwise."""
    remedy: str
    severity: str
    gates: tuple[Gate, ...]
    """Where it can be seen, earliest first."""
    source: str
    config: tuple[str, ...] = ()
    """Tests that show the typed environment refusing it: `path::name`."""
    planned: Mapping[str, str]
    """Gate -> the area of work that owns it and is not built yet."""
    doc: str = ""
    """Why nothing but a document can state it, or what the document adds."""


@cache
def catalogue(folder: Path = CATALOGUE) -> Mapping[str, Constraint]:
    """All constraints by id, in the order of the files.

    Raises:
        ValueError: a row lacks a field, names an unknown gate or severity, or an id stands twice.
    """
    found: dict[str, Constraint] = {}
    for path in sorted(folder.glob("*.yaml")):
        for row in yaml.safe_load(path.read_text(encoding="utf-8")) or []:
            constraint = _constraint(path.stem, row)
            if constraint.id in found:
                raise ValueError(f"{path.name}: '{constraint.id}' stands twice")
            found[constraint.id] = constraint
    return MappingProxyType(found)


def _constraint(area: str, row: Mapping[str, Any]) -> Constraint:
    try:
        made = Constraint(
            id=row["id"],
            area=row["id"].split("-")[0],
            statement=row["statement"],
            why=row["why"],
            remedy=row["remedy"],
            severity=row["severity"],
            gates=tuple(row["gates"]),
            source=row["source"],
            config=tuple(row.get("config", ())),
            planned=row.get("planned", {}),
            doc=row.get("doc", ""),
        )
    except KeyError as problem:
        raise ValueError(f"{area}.yaml: '{row.get('id')}' lacks {problem}") from problem
    unknown = [gate for gate in (*made.gates, *made.planned) if gate not in GATES]
    if unknown or made.severity not in SEVERITIES:
        raise ValueError(f"{area}.yaml: '{made.id}' has unknown gates {unknown} or severity '{made.severity}'")
    return made


def admission_ids(folder: Path = ADMISSION) -> Mapping[str, Sequence[str]]:
    """Id -> the admission policies that enforce it."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.yaml")):
        policy = next(iter(yaml.safe_load_all(path.read_text(encoding="utf-8"))))
        for constraint in policy["metadata"].get("annotations", {}).get(ANNOTATION, "").split():
            found.setdefault(constraint, []).append(policy["metadata"]["name"])
    return found
