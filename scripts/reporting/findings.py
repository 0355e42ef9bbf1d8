"""What the policy pack said in a preview, read from the engine's own events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

UNDECIDED = "can't run policy"
"""How pulumi_policy begins where a rule met a value that the preview does not know (1.21.0)."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One sentence of one rule about one resource."""

    rule: str
    level: str
    """`mandatory`: the preview fails; `advisory`; or `undecided`: the rule met a value that is not known yet."""
    severity: str
    urn: str
    """Empty where the rule judges the whole stack."""
    message: str

    @property
    def resource(self) -> str:
        """Type and name, as in `kubernetes:batch/v1:Job train`; `the stack` without a resource."""
        if not self.urn:
            return "the stack"
        *_, types, name = self.urn.split("::")
        return f"{types.rsplit('$', 1)[-1]} {name}"

    def as_json(self) -> dict[str, str]:
        return {**asdict(self), "resource": self.resource}


def findings(events: Iterable[dict[str, Any]]) -> list[Finding]:
    """What is said in the events, worst first; the same sentence once."""
    found: dict[tuple[str, str, str], Finding] = {}
    for event in events:
        told = event.get("policyEvent")
        if not isinstance(told, dict):
            continue
        message = _one_line(str(told.get("message", "")), str(told.get("policyName", "")))
        level = "undecided" if UNDECIDED in message else str(told.get("enforcementLevel", "advisory"))
        finding = Finding(
            rule=str(told.get("policyName", "")),
            level=level,
            severity=str(told.get("severity") or "medium"),
            urn="" if _is_stack(str(told.get("resourceUrn", ""))) else str(told.get("resourceUrn", "")),
            message=message,
        )
        found[finding.rule, finding.urn, finding.message] = finding
    order = {"mandatory": 0, "advisory": 1, "undecided": 2}
    return sorted(found.values(), key=lambda each: (order.get(each.level, 1), each.rule, each.urn, each.message))


def _is_stack(urn: str) -> bool:
    return "::pulumi:pulumi:Stack::" in urn


def _one_line(message: str, rule: str) -> str:
    """The engine puts the rule's description in front of its sentence, on a line of its own."""
    lines = [line.strip() for line in message.replace("<{%reset%}>", "").splitlines() if line.strip()]
    return " ".join(lines[1:] if len(lines) > 1 else lines) or rule
