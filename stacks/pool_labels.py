"""Rules of the labels and taints that a pool adds: none that others own, none that contradicts the hardware."""

import re
from collections.abc import Iterator, Mapping, Sequence

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.karpenter import DEVICE_DOMAINS, RESTRICTED_DOMAINS, in_domain
from components.catalog.labels import OWN_DOMAIN
from stacks.pool_parts import Taint
from stacks.problems import Problem, one_of

_DOMAINS = (*RESTRICTED_DOMAINS, *DEVICE_DOMAINS, OWN_DOMAIN)
_DRIVER_TAINT = ".csi.aws.com/agent-not-ready"
_ACCELERATORS = {t.accelerator for t in INSTANCE_TYPES.values() if t.accelerator}


def check_labels(path: str, labels: Mapping[str, str], instance_type: str | None) -> Iterator[Problem]:
    """Labels lie in domains of the user's own and name no accelerator but the node's."""
    facts = INSTANCE_TYPES.get(instance_type or "")
    for key, value in labels.items():
        if domain := in_domain(key, _DOMAINS):
            yield _owned(f"{path}.labels.{key}", value, domain, "label")
        named = _ACCELERATORS & set(re.split(r"[-_.]", value.lower()))
        if facts is not None and facts.accelerator and named and facts.accelerator not in named:
            yield Problem(
                path=f"{path}.labels.{key}",
                value=value,
                reason=f"{facts.name} has {facts.accelerator}, not {min(named)}: pods that ask for the label "
                "would run on other hardware than they name.",
                accepted=f"a value that names {facts.accelerator}, or no accelerator",
                ways_out=(
                    f"write {facts.accelerator}",
                    f"remove the line: nodes have {OWN_DOMAIN}/accelerator: {facts.accelerator} already",
                ),
            )


def check_taints(path: str, taints: Sequence[Taint]) -> Iterator[Problem]:
    """Taints lie in domains of the user's own, and each stands once."""
    seen: set[tuple[str, str]] = set()
    for position, taint in enumerate(taints):
        where = f"{path}.taints[{position}].key"
        if domain := in_domain(taint.key, _DOMAINS):
            yield _owned(where, taint.key, domain, "taint")
        if taint.key.endswith(_DRIVER_TAINT):
            yield Problem(
                path=where,
                value=taint.key,
                reason="Nodes start with this taint wherever storage needs the driver, and the driver takes it off; a "
                "node that has it twice is refused, and one without the driver keeps it for ever.",
                accepted="a key in a domain of your own, such as example.com/team",
                ways_out=("remove the taint: it follows the section storage", "use a key of your own"),
            )
        if (taint.key, taint.effect) in seen:
            yield Problem(
                path=where,
                value=taint.key,
                reason=f"A node has one taint of a key and effect; {taint.key} with {taint.effect} stands here twice.",
                accepted="pairs of key and effect that differ",
                ways_out=("remove one of the two", "give this one another key or effect"),
            )
        seen.add((taint.key, taint.effect))


def _owned(path: str, value: str, domain: str, what: str) -> Problem:
    return Problem(
        path=path,
        value=value,
        reason=f"A {what} in {domain} is set by Kubernetes, AWS, a device plugin or this project, never by hand.",
        accepted=f"keys outside {one_of(_DOMAINS)}",
        ways_out=(f"use a domain of your own, such as example.com/{path.rpartition('/')[2] or 'team'}", "remove it")
        if what == "label"
        else ("use a domain of your own, such as example.com/team", "remove it: accelerators are tainted already"),
    )
