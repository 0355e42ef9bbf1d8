"""docs/network-interfaces.md: which interfaces a node with static EFA has, with a picture for each layout."""

from __future__ import annotations

from components.catalog.instance_types import InstanceType
from scripts.pages import NOTICE, OPEN
from scripts.picturing.interfaces import layout_name, layouts

_ABOVE = f"""# Network interfaces of each type

{NOTICE}

EFA is a device of an interface, and interfaces belong to network cards. With `efa: static` Karpenter starts each node
with the interfaces below (`spec.networkInterfaces` of its EC2NodeClass); they are fixed for the life of the node.
Card 0 has the one interface with addresses. An `efa-only` one has none and takes none from the subnet. Types with the
same interfaces share a picture; pods are counted without prefix delegation.

A type that is missing here has no EFA, or is refused: [choosing a type](instance-types.md)."""


def picture_of(name: str) -> str:
    """The picture of a type's layout, as a page in docs/ names it."""
    return f"pictures/interfaces-{name}.svg"


def interfaces_page() -> str:
    lines = [_ABOVE]
    for name, same in layouts().items():
        lines += ["", f"## {layout_name(same[0])}", ""]
        lines += [f"![{layout_name(same[0])}]({picture_of(name)})", ""]
        lines += ["| type | Gbit/s | pods by addresses | layout |", "| --- | --- | --- | --- |"]
        lines += [_row(facts) for facts in same]
    return "\n".join(lines) + "\n"


def _row(facts: InstanceType) -> str:
    source = "read in a source" if facts.efa_layout_is_sourced else "worked out, no source shows it"
    pods = OPEN if facts.pods_static is None else facts.pods_static
    return f"| {facts.name} | {facts.network_gbps:g} | {pods} | {source} |"
