"""Exceptions to rules: configuration with a reason and an end, in `exceptions.yaml`, never code.

An exception silences one rule about the resources that it names, in the stacks that it names, until the end of a day.
A level changes what a rule does everywhere. What is in force is said in every preview; what has expired, or cannot be
read, fails it.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

FILE = Path(__file__).parent / "exceptions.yaml"
VARIABLE = "EKS_POLICY_EXCEPTIONS"
"""Environment variable: another file in the place of ours, for a project of its own that runs this pack."""
LEVELS = {"advisory": EnforcementLevel.ADVISORY, "mandatory": EnforcementLevel.MANDATORY}
DISABLED = "disabled"
_URL = "https://www.pulumi.com/docs/insights/policy/policy-packs/authoring/"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One exception, or one level."""

    rule: str
    reason: str
    expires: date
    resources: tuple[str, ...] = ()
    """Names of resources in the program, `*` for any part of a name; empty for a level."""
    stacks: tuple[str, ...] = ("*",)
    level: str = ""

    def excuses(self, rule: str, urn: str) -> bool:
        """Whether a violation of a rule by a resource is excepted. `urn` may be empty: then only `*` matches."""
        parts = urn.split("::")
        stack, name = parts[0].rpartition(":")[2], parts[-1] if urn else ""
        return (
            not self.level
            and self.rule == rule
            and any(fnmatchcase(name, pattern) for pattern in self.resources)
            and (not urn or any(fnmatchcase(stack, pattern) for pattern in self.stacks))
        )


def load(path: Path | None = None, *, rules: Iterable[str]) -> tuple[list[Entry], list[str]]:
    """Entries of the file, and what is wrong with it; an absent file has none of either."""
    path = path or Path(os.environ.get(VARIABLE) or FILE)
    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        return [], ([f"{path} does not exist. Write it, or unset {VARIABLE}."] if os.environ.get(VARIABLE) else [])
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        first = str(problem).splitlines()[0]
        return [], [f"{path.name} cannot be read ({first}). Mend it, or empty it."]
    found: list[Entry] = []
    problems: list[str] = []
    lists = told if isinstance(told, Mapping) else {}
    if not isinstance(told, Mapping) or set(told) - {"exceptions", "levels"}:
        problems.append(f"{path.name} has other keys than exceptions and levels. Move them there, or remove them.")
    for key in ("exceptions", "levels"):
        given = lists.get(key) or []
        for index, row in enumerate(given if isinstance(given, list) else [given]):
            wrong = list(_problems(key, row, set(rules)))
            problems += [f"{path.name}, {key}[{index}]: {text}" for text in wrong]
            if not wrong:
                found.append(_entry(row))
    return found, problems


def _problems(key: str, row: Any, rules: set[str]) -> Iterable[str]:
    if not isinstance(row, Mapping):
        yield "is no mapping. Write rule, reason and expires under it, or remove it."
        return
    allowed = {"rule", "reason", "expires", *(("level",) if key == "levels" else ("resources", "stacks"))}
    if unknown := sorted(set(map(str, row)) - allowed):
        yield f"has {', '.join(unknown)}, which nothing reads. Use {', '.join(sorted(allowed))}, or remove it."
    if row.get("rule") not in rules:
        yield f"names rule {row.get('rule')!r}, which the pack does not have. See docs/policies.md, or remove it."
    if not isinstance(row.get("reason"), str) or len(row["reason"].strip()) < 10:
        yield "has no reason of at least ten letters. Say why, or remove it."
    if not isinstance(row.get("expires"), date):
        yield f"expires {row.get('expires')!r}, which is no day. Write one such as 2027-03-31, or remove it."
    for list_key in ("resources", "stacks"):
        listed = row.get(list_key, ["*"] if list_key == "stacks" or key == "levels" else None)
        if not isinstance(listed, list) or not listed or not all(isinstance(name, str) for name in listed):
            yield f"has no list of names in {list_key}. Name some, such as [gpu-*], or remove the entry."
    if key == "levels" and row.get("level") not in (*LEVELS, DISABLED):
        yield f"has level {row.get('level')!r}. Write advisory, mandatory or disabled, or remove it."


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(
        rule=row["rule"],
        reason=" ".join(row["reason"].split()),
        expires=row["expires"],
        resources=tuple(row.get("resources", ())),
        stacks=tuple(row.get("stacks", ("*",))),
        level=row.get("level", ""),
    )


def with_exceptions(
    rules: Sequence[Policy], entries: Sequence[Entry], problems: Sequence[str], today: date
) -> list[Policy]:
    """The rules with what is in force applied, and two that speak of the exceptions themselves."""
    current = [entry for entry in entries if entry.expires >= today]
    levels = {entry.rule: entry.level for entry in current if entry.level}
    kept = [rule for rule in rules if levels.get(rule.name) != DISABLED]
    made = [_excepted(rule, [e for e in current if e.rule == rule.name], levels.get(rule.name)) for rule in kept]
    return [*made, _expired([e for e in entries if e.expires < today], problems), _in_force(current)]


def _excepted(rule: Policy, entries: Sequence[Entry], level: str | None) -> Policy:
    if not entries:
        return rule
    validate: Any = rule.validate  # type: ignore[attr-defined] # both kinds have it, their base class does not

    def judged(args: Any, report: ReportViolation) -> Any:
        own = args.urn if isinstance(args, ResourceValidationArgs) else ""

        def report_the_rest(message: str, urn: str | None = None) -> None:
            if not any(entry.excuses(rule.name, urn or own) for entry in entries):
                report(message, urn)

        return validate(args, report_the_rest)

    kind = ResourceValidationPolicy if isinstance(rule, ResourceValidationPolicy) else StackValidationPolicy
    return kind(
        name=rule.name,
        display_name=rule.display_name,
        description=rule.description,
        enforcement_level=LEVELS.get(level or "", rule.enforcement_level),
        severity=rule.severity,
        tags=rule.tags,
        remediation_steps=rule.remediation_steps,
        url=rule.url,
        validate=judged,
    )


def _expired(entries: Sequence[Entry], problems: Sequence[str]) -> Policy:
    def validate(_args: StackValidationArgs, report: ReportViolation) -> None:
        for entry in entries:
            report(
                f"The exception to '{entry.rule}' expired on {entry.expires} ({entry.reason}). Mend the resources and "
                "remove it, or give it a new reason and a new day in policies/exceptions.yaml.",
                None,
            )
        for problem in problems:
            report(problem, None)

    return StackValidationPolicy(
        name="policy-exceptions-not-expired",
        display_name="Exceptions are current",
        description="No exception to a rule has expired or is written wrongly.",
        enforcement_level=EnforcementLevel.MANDATORY,
        severity=Severity.HIGH,
        tags=["exceptions"],
        remediation_steps="Mend what the exception is about and remove it from policies/exceptions.yaml.",
        url=_URL,
        validate=validate,
    )


def _in_force(entries: Sequence[Entry]) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        stacks = {resource.urn.split("::")[0].rpartition(":")[2] for resource in args.resources}
        for entry in entries:
            if any(fnmatchcase(stack, pattern) for stack in stacks for pattern in entry.stacks):
                what = f"is {entry.level}" if entry.level else f"does not judge {', '.join(entry.resources)}"
                report(f"Until {entry.expires} rule '{entry.rule}' {what}: {entry.reason}", None)

    return StackValidationPolicy(
        name="policy-exceptions-in-force",
        display_name="Exceptions in force",
        description="What is excepted from a rule is said in every preview.",
        enforcement_level=EnforcementLevel.ADVISORY,
        severity=Severity.LOW,
        tags=["exceptions"],
        remediation_steps="Nothing, until it expires.",
        url=_URL,
        validate=validate,
    )
