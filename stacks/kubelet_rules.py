"""Rules of a pool's `kubelet`: those of Karpenter 1.15.2's controller, before a node class that launches nothing.

Source: tag v1.15.2 of aws/karpenter-provider-aws, pkg/apis/v1/kubeletconfiguration_validation.go (read 2026-11-29).
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from components.catalog.instance_types import INSTANCE_TYPES, PREFIX_ADDRESSES
from components.catalog.kubelet import (
    EVICTION_MAPS,
    EVICTION_SIGNALS,
    FIELDS,
    GRACE,
    IMAGE_GC_HIGH,
    IMAGE_GC_LOW,
    NOT_NEGATIVE,
    OWNED,
    RESERVED_MAPS,
    RESERVED_RESOURCES,
    SOFT,
    has_kind,
)
from stacks.problems import Problem, one_of

_PERCENT = re.compile(r"\d+(\.\d+)?%")
_QUANTITY = re.compile(r"\+?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?")
_GO_DURATION = re.compile(r"(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+|0")
DOCS = "docs/configuration.md"


def check_kubelet(path: str, kubelet: Mapping[str, Any], version: str | None) -> Iterator[Problem]:
    """Fields exist, have the right type and are read by the cluster's version; then what the types do not say."""
    where = f"{path}.kubelet"
    for name, value in kubelet.items():
        yield from _check_field(f"{where}.{name}", str(name), value, version)
    for name in EVICTION_MAPS:
        yield from _check_keys(f"{where}.{name}", kubelet, name, EVICTION_SIGNALS, "an eviction signal")
        for key, value in _texts(kubelet, name).items():
            yield from _check_threshold(f"{where}.{name}.{key}", value)
    yield from _check_grace(where, kubelet)
    for name in RESERVED_MAPS:
        yield from _check_keys(f"{where}.{name}", kubelet, name, RESERVED_RESOURCES, "a resource that can be reserved")
        for key, value in _texts(kubelet, name).items():
            if not _QUANTITY.fullmatch(value):
                yield _problem(
                    f"{where}.{name}.{key}",
                    value,
                    "This is no amount of a resource (expressions need Karpenter's gate nodeClassCEL, which is off).",
                    "an amount such as 500m, 2 or 4Gi",
                )
    yield from _check_numbers(where, kubelet)


def _problem(path: str, value: object, reason: str, accepted: str, *ways: str) -> Problem:
    return Problem(
        path=path,
        value=value,
        reason=reason,
        accepted=accepted,
        ways_out=(
            ways[0] if ways else "give it an accepted value",
            ways[1] if len(ways) > 1 else "remove the line: the image's default applies",
        ),
    )


def _check_field(path: str, name: str, value: object, version: str | None) -> Iterator[Problem]:
    field = FIELDS.get(name)
    if name in OWNED:
        yield _problem(
            path,
            value,
            f"{OWNED[name]}.",
            "fields other than " + one_of(OWNED),
            "use the pool's taints",
            "remove the line",
        )
    elif field is None:
        near = get_close_matches(name, FIELDS, n=1)
        yield _problem(
            path,
            value,
            "A kubelet has no such setting; Karpenter's API would take it and then launch no node."
            + (f" Did you mean {near[0]}?" if near else ""),
            "fields of KubeletConfiguration v1beta1, in camelCase",
            f"rename it to {near[0]}" if near else f"look it up in {DOCS} (nodePools.kubelet)",
            "remove the line",
        )
    elif not has_kind(value, field.kind):
        yield _problem(path, value, "The value has another type than the kubelet's.", field.accepts)
    elif field.kind == "duration" and not _GO_DURATION.fullmatch(str(value)):
        yield _problem(path, value, "This is no duration.", field.accepts)
    elif version is not None and _minor(field.since) > _minor(version):
        yield _problem(
            path,
            value,
            f"Kubelets know this setting from {field.since}; one of {version} does not start with it.",
            f"settings of {version}",
            "remove the line",
            f'set cluster.kubernetesVersion: "{field.since}", where EKS has it',
        )


def _minor(version: str) -> int:
    tail = version.rpartition(".")[2]
    return int(tail) if tail.isdigit() else 0


def _check_keys(
    path: str, kubelet: Mapping[str, Any], name: str, known: tuple[str, ...], what: str
) -> Iterator[Problem]:
    for key, value in _texts(kubelet, name).items():
        if key not in known:
            near = get_close_matches(key, known, n=1) or [known[0]]
            yield _problem(
                f"{path}.{key}",
                value,
                f"This is not {what}; the kubelet would ignore it.",
                one_of(known),
                f"did you mean {near[0]}?",
                "remove the line",
            )


def _check_threshold(path: str, value: str) -> Iterator[Problem]:
    if _PERCENT.fullmatch(value):
        if float(value.rstrip("%")) > 100:
            yield _problem(path, value, "More than everything cannot be free.", "a percentage from 0% to 100%")
    elif not _QUANTITY.fullmatch(value):
        yield _problem(
            path, value, "This is neither a percentage nor an amount.", "a percentage such as 5%, or 500Mi", "write 5%"
        )


def _check_grace(where: str, kubelet: Mapping[str, Any]) -> Iterator[Problem]:
    soft, grace = _texts(kubelet, SOFT), _texts(kubelet, GRACE)
    yield from _check_keys(f"{where}.{GRACE}", kubelet, GRACE, EVICTION_SIGNALS, "an eviction signal")
    for key, value in grace.items():
        if not _GO_DURATION.fullmatch(value):
            yield _problem(f"{where}.{GRACE}.{key}", value, "This is no duration.", "a duration such as 1m30s")
    for mine, theirs, given in ((SOFT, GRACE, soft), (GRACE, SOFT, grace)):
        other = grace if mine == SOFT else soft
        for key, value in given.items():
            if key not in other and key in EVICTION_SIGNALS:
                yield _problem(
                    f"{where}.{mine}.{key}",
                    value,
                    f"{theirs} has no {key}: a soft threshold works only with its grace period, and the other way "
                    "round.",
                    f"the same keys in {SOFT} and {GRACE}",
                    f"add {key} to {theirs}",
                    "remove the line",
                )


def _check_numbers(where: str, kubelet: Mapping[str, Any]) -> Iterator[Problem]:
    for name in NOT_NEGATIVE:
        if (value := _number(kubelet, name)) is not None and value < 0:
            yield _problem(f"{where}.{name}", value, "This cannot be negative.", "a whole number from 0")
    for name in (IMAGE_GC_HIGH, IMAGE_GC_LOW):
        if (value := _number(kubelet, name)) is not None and not 0 <= value <= 100:
            yield _problem(f"{where}.{name}", value, "This is a percentage.", "a whole number from 0 to 100")
    high, low = _number(kubelet, IMAGE_GC_HIGH), _number(kubelet, IMAGE_GC_LOW)
    if high is not None and low is not None and high <= low:
        yield _problem(
            f"{where}.{IMAGE_GC_HIGH}",
            high,
            f"Clean-up starts above the high mark and ends at the low one ({low}), so it would never run.",
            f"more than {low}",
            f"set it above {low}, such as {min(low + 5, 100)}",
            f"lower {IMAGE_GC_LOW}",
        )


def check_max_pods(
    path: str, kubelet: Mapping[str, Any], instance_type: str, *, static: bool, efa_choice: bool
) -> Iterator[Problem]:
    """`maxPods` is not above the addresses that the node's interfaces have, even with prefix delegation."""
    facts, wanted = INSTANCE_TYPES.get(instance_type), _number(kubelet, "maxPods")
    if facts is None or wanted is None:
        return
    most, plain = facts.pods_by_addresses(static=static, prefixes=True), facts.pods_by_addresses(static=static)
    if most is None or wanted <= most:
        return
    enis, per_eni = facts.enis_with_addresses(static=static), facts.ipv4_per_eni or 0
    taken = (facts.max_enis_per_card or 0) - enis
    cards = f"({facts.max_enis_per_card} interfaces on card 0 - {taken} efa-only)" if taken else f"{enis} interfaces"
    yield Problem(
        path=f"{path}.kubelet.maxPods",
        value=wanted,
        reason=f"A {facts.name} has addresses for {plain} pods: {cards} x ({per_eni} addresses - 1) + 2. With prefix "
        f"delegation each address becomes a block of {PREFIX_ADDRESSES}: {most} pods. More would wait for an address "
        "for ever.",
        accepted=f"a whole number up to {most}",
        ways_out=(
            f"set maxPods: {plain}, or up to {most} with prefix delegation",
            "set efa: onRequest or off, which leaves the interface to pods"
            if taken and efa_choice
            else "remove maxPods",
        ),
    )


def _texts(kubelet: Mapping[str, Any], name: str) -> Mapping[str, str]:
    """A field that maps names to text; empty where it is absent or something else, which is reported as such."""
    value = kubelet.get(name)
    return value if isinstance(value, Mapping) and has_kind(value, "map of text") else {}


def _number(kubelet: Mapping[str, Any], name: str) -> int | None:
    value = kubelet.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
