"""Network cards of an instance type and the interfaces that a node of a pool with static EFA gets on them."""

from __future__ import annotations

from collections.abc import Mapping

from components.catalog.instance_types import INSTANCE_TYPES, InstanceType
from scripts.picturing.drawing import LINE, PLAIN, POOL, SYSTEM, Look, box, picture, text

ACROSS = 8
CARD_WIDTH, CARD_HEIGHT, GAP = 112, 66, 10
LEFT, TOP = 16, 66

Layout = tuple[tuple[int, int, str], ...]


def layouts() -> Mapping[str, list[InstanceType]]:
    """Types by the picture that shows them: the first type's name, for all that have the same interfaces."""
    by_layout: dict[Layout, list[InstanceType]] = {}
    for facts in INSTANCE_TYPES.values():
        if facts.efa_layout:
            by_layout.setdefault(facts.efa_layout, []).append(facts)
    return {same[0].name: same for same in by_layout.values()}


def interfaces_picture(facts: InstanceType) -> str:
    """The layout of a type: a box a network card, in it the device indices that are used."""
    cards = max(card for card, _, _ in facts.efa_layout) + 1
    rows = -(-cards // ACROSS)
    across = min(cards, ACROSS)
    width = max(2 * LEFT + across * (CARD_WIDTH + GAP) - GAP, 640)
    drawn = [
        text(LEFT, 28, layout_name(facts), bold=True, size=16),
        text(LEFT, 50, "Pods get their addresses from card 0 alone."),
    ]
    for card in range(cards):
        x = LEFT + card % ACROSS * (CARD_WIDTH + GAP)
        y = TOP + card // ACROSS * (CARD_HEIGHT + GAP)
        drawn += [box(x, y, CARD_WIDTH, CARD_HEIGHT, PLAIN), text(x + 8, y + 17, f"card {card}", size=12)]
        used = [(device, kind) for number, device, kind in facts.efa_layout if number == card]
        for place, (device, kind) in enumerate(used):
            drawn += _interface(x + 6, y + 22 + place * 20, device, kind)
    bottom = TOP + rows * (CARD_HEIGHT + GAP)
    drawn += [
        box(LEFT, bottom + 6, 14, 14, SYSTEM),
        text(LEFT + 22, bottom + 18, "interface: addresses of the node and its pods (TCP/IP)", size=12),
        box(LEFT + 360, bottom + 6, 14, 14, POOL),
        text(LEFT + 382, bottom + 18, "efa-only: no address (EFA)", size=12),
    ]
    return picture(width, bottom + 2 * LINE, f"Network interfaces: {layout_name(facts)}", drawn)


def layout_name(facts: InstanceType) -> str:
    cards = max(card for card, _, _ in facts.efa_layout) + 1
    return f"{facts.efa_interfaces} EFA on {cards} network card{'s' if cards > 1 else ''}"


def _interface(x: int, y: int, device: int, kind: str) -> list[str]:
    look: Look = SYSTEM if kind == "interface" else POOL
    return [box(x, y, CARD_WIDTH - 12, 18, look), text(x + 6, y + 13, f"{device}: {kind}", size=11)]
