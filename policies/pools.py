"""What Karpenter's objects say about the nodes they start, as far as a preview knows it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.instance_types import GPU_RESOURCE, INSTANCE_TYPES, NEURON_RESOURCE
from components.catalog.karpenter import CAPACITY_TYPE, INSTANCE_TYPE, RESERVATION_TYPE
from components.catalog.labels import CAPACITY_LABEL, EFA_LABEL
from policies.reading import has_efa_type, mapping, mappings, required_values, sequence

ACCELERATOR_TAINTS = (GPU_RESOURCE, NEURON_RESOURCE)
NEVER = "Never"
_UNITS = {"h": 3600, "m": 60, "s": 1}


def template(node_pool: Mapping[str, Any]) -> Mapping[str, Any]:
    """`spec.template.spec` of a NodePool."""
    return mapping(node_pool, "spec", "template", "spec")


def node_labels(node_pool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Labels that a NodePool gives its nodes."""
    return mapping(node_pool, "spec", "template", "metadata", "labels")


def is_training(node_pool: Mapping[str, Any]) -> bool:
    """Whether its nodes have accelerators: by the types it requires, or by the taint that keeps others off them."""
    types = required_values(node_pool, INSTANCE_TYPE) or ()
    taints = [taint.get("key") for taint in mappings(template(node_pool), "taints")]
    accelerated = any(name in INSTANCE_TYPES and INSTANCE_TYPES[name].is_accelerated for name in types)
    return accelerated or any(key in ACCELERATOR_TAINTS for key in taints)


def uses_efa(node_pool: Mapping[str, Any]) -> bool:
    """Whether its nodes may carry EFA: what its label says, else what its types have."""
    label = node_labels(node_pool).get(EFA_LABEL)
    return label == "true" or (label != "false" and has_efa_type(required_values(node_pool, INSTANCE_TYPE)))


def may_be_spot(node_pool: Mapping[str, Any]) -> bool:
    """Whether Karpenter may buy spot: it is named, or nothing is (then Karpenter considers spot first)."""
    kinds = required_values(node_pool, CAPACITY_TYPE)
    return kinds is None or "spot" in list(kinds)


def is_capacity_block(resource: Mapping[str, Any]) -> bool:
    """Whether an EC2NodeClass (by its label) or a NodePool (by its requirement) is for Capacity Blocks."""
    label = mapping(resource, "metadata", "labels").get(CAPACITY_LABEL)
    return label == "capacity-block" or "capacity-block" in list(required_values(resource, RESERVATION_TYPE) or ())


def seconds(duration: object) -> int | None:
    """`1h30m` as 5400; None for anything that is no duration, `Never` included."""
    if not isinstance(duration, str) or not re.fullmatch(r"([0-9]+[hms])+", duration):
        return None
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([hms])", duration))


def budgets_for(node_pool: Mapping[str, Any], reason: str) -> Iterator[Mapping[str, Any]]:
    """The disruption budgets that bound a reason: those that name it, and those that name none."""
    for budget in mappings(mapping(node_pool, "spec", "disruption"), "budgets"):
        reasons: Sequence[Any] = sequence(budget, "reasons")
        if not len(reasons) or reason in list(reasons):
            yield budget
