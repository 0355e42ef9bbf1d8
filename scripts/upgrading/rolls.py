"""Which nodes an upgrade replaces, and when they may go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scripts.upgrading.pin_sets import KUBERNETES, NODE_IMAGE
from stacks.environment import Environment
from stacks.windows import MaintenanceWindow


def nodes_that_roll(names: Sequence[str], environment: Environment) -> Iterator[str]:
    """A line for each group of nodes that these components replace."""
    if KUBERNETES in names:
        system = environment.system_nodes
        yield f"system nodes ({system.count} of {system.instance_type}): a new one first, then drained, zone by zone"
    if KUBERNETES in names or NODE_IMAGE in names:
        for pool in environment.node_pools:
            otherwise = (
                "only when empty" if pool.nodes.fixed is None else "never by themselves, since nodes.fixed keeps them"
            )
            yield f"{pool.name} ({pool.instance_type}): {_when(pool.maintenance_window, otherwise)}"
        for general in environment.general_pools:
            yield f"{general.name}: {_when(general.maintenance_window, 'at any time, a tenth at once')}"


def _when(window: MaintenanceWindow | None, otherwise: str) -> str:
    if window is None:
        return f"{otherwise} (no maintenanceWindow)"
    return f'{window.nodes} at a time, "{window.schedule}" UTC for {window.duration}'
