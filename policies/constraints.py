"""Every documented constraint, with the gates that enforce it: one registry.

The rows lie in `catalogue/`, a file for each area. What enforces a row is not listed there but found: a rule of the
pack names ids in its `tags`, an admission policy in its annotation. Where a gate's owner is not built yet, the row
says so by `planned`; where no gate can see it, by `doc`.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import yaml

CATALOGUE = Path(__file__).parent / "catalogue"
ADMISSION = Path(__file__).parent / "admission" / "rules"
ASKING = tuple(Path(__file__).resolve().parent.parent / "scripts" / name for name in ("preflighting", "verifying"))
"""Commands that ask AWS, and the cluster; a finding of theirs names the ids that it is about."""
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
    proofs: tuple[str, ...] = ()
    """Tests that show what RUNTIME and DOC ask for: `path::name`."""
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
            proofs=tuple(row.get("proofs", ())),
            planned=row.get("planned", {}),
            doc=row.get("doc", ""),
        )
    except KeyError as problem:
        raise ValueError(f"{area}.yaml: '{row.get('id')}' lacks {problem}") from problem
    unknown = [gate for gate in (*made.gates, *made.planned) if gate not in GATES]
    if unknown or made.severity not in SEVERITIES:
        raise ValueError(f"{area}.yaml: '{made.id}' has unknown gates {unknown} or severity '{made.severity}'")
    return made


@cache
def admission_ids(folder: Path = ADMISSION) -> Mapping[str, Sequence[str]]:
    """Id -> the admission policies that enforce it."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.yaml")):
        policy = next(iter(yaml.safe_load_all(path.read_text(encoding="utf-8"))))
        for constraint in policy["metadata"].get("annotations", {}).get(ANNOTATION, "").split():
            found.setdefault(constraint, []).append(policy["metadata"]["name"])
    return found


@cache
def asked_ids(folders: Sequence[Path] = ASKING) -> Mapping[str, Sequence[str]]:
    """Id -> the modules of `preflight` and `verify` that name it in findings. Read, not imported."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in catalogue():
                modules = found.setdefault(node.value, [])
                if (name := f"{path.parent.name}/{path.name}") not in modules:
                    modules.append(name)
    return found


@dataclass(frozen=True, kw_only=True)
class GateSummary:
    """How many constraints a gate has, and how many of them are enforced there."""

    gate: Gate
    documented: int
    enforced: int
    planned: int
    stated: int
    """Only said in a document, with the reason."""


@cache
def preview_ids() -> Mapping[str, Sequence[str]]:
    """Id -> the rules of the pack that enforce it."""
    # The rules import half of the catalog; who only reads the rows does not need them.
    from policies.rules import ALL  # noqa: PLC0415

    found: dict[str, list[str]] = {}
    for rule in ALL:
        for tag in rule.tags or []:
            found.setdefault(tag, []).append(rule.name)
    return found


def enforcers(constraint: Constraint, gate: Gate) -> Sequence[str]:
    """What enforces a constraint at a gate: names of rules, of admission policies, of modules, or of tests."""
    if gate == "PREVIEW":
        return preview_ids().get(constraint.id, ())
    if gate == "ADMISSION":
        return admission_ids().get(constraint.id, ())
    if gate == "CONFIG":
        return constraint.config
    if gate == "PREFLIGHT":
        return asked_ids().get(constraint.id, ())
    return constraint.proofs if gate == "RUNTIME" else ()


def owners(constraint: Constraint, gate: Gate) -> str:
    """Who answers for a constraint at a gate, in words; empty where nobody does."""
    if found := enforcers(constraint, gate):
        return ", ".join(found)
    if gate in constraint.planned:
        return f"planned: {constraint.planned[gate]}"
    return "stated" if constraint.doc and gate in ("DOC", "CONFIG", "RUNTIME") else ""


def summary() -> list[GateSummary]:
    """A row for each gate."""
    found = []
    for gate in GATES:
        rows = [constraint for constraint in catalogue().values() if gate in constraint.gates]
        enforced = sum(bool(enforcers(row, gate)) for row in rows)
        planned = sum(gate in row.planned and not enforcers(row, gate) for row in rows)
        found.append(
            GateSummary(
                gate=gate,
                documented=len(rows),
                enforced=enforced,
                planned=planned,
                stated=len(rows) - enforced - planned,
            )
        )
    return found
