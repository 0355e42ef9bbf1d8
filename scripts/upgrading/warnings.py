"""What to look at in a step that may be taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from components.catalog.kubernetes_versions import KARPENTER_FLOORS, KUBERNETES_VERSIONS
from scripts.upgrading.changes import Change
from scripts.upgrading.pin_sets import ADDON_DEFAULT, ADDONS, KUBERNETES, SLURM, SLURM_NODES, PinSet
from scripts.upgrading.runbook import Runbook
from scripts.upgrading.stops import ONE_WAY
from scripts.upgrading.versions import Direction, is_new_major, parse


def of_change(change: Change, others: Sequence[Change], after: PinSet, runbook: Runbook) -> Iterator[str]:
    """What a change brings.

    Args:
        change: the change.
        others: every change of the plan.
        after: the pins to come.
        runbook: the page.
    """
    # What a revert does not bring back is a stop, with its own way.
    if change.direction is Direction.DOWN and change.name not in ONE_WAY:
        yield f"{change.name} goes back: {runbook.back}"
    if change.name != SLURM and is_new_major(change.before, change.after):
        yield f"{change.name} is a new major: its release notes say what breaks"
    if comes_before_kubernetes(change, others):
        yield f"before Kubernetes, which wants karpenter {_floor(others)} or newer"
    if change.name == KUBERNETES:
        yield from _of_kubernetes(change, others, after)
    if change.name.startswith(SLURM_NODES) and any(other.name == SLURM for other in others):
        yield "in an update of its own, after Slurm itself: a slurmd must not be newer than its slurmctld"
    if after.versions.get(change.name) == ADDON_DEFAULT:
        yield f"{change.name} becomes EKS' default on the day of the update: nobody can say which here"


def _of_kubernetes(change: Change, others: Sequence[Change], after: PinSet) -> Iterator[str]:
    known = KUBERNETES_VERSIONS.get(change.after)
    if known is not None and known.note:
        yield f"Kubernetes {known.version}: {known.note}"
    moving = {other.name for other in others}
    stay = [
        f"{name.rsplit('.', 1)[-1]} {version}"
        for name, version in after.versions.items()
        if name.startswith(f"{ADDONS}.") and name in after.installed and name not in moving and version != ADDON_DEFAULT
    ]
    if stay:
        yield (
            f"these add-ons stay as they are: {', '.join(stay)}. Is each offered for {change.after}? "
            f"aws eks describe-addon-versions --addon-name NAME --kubernetes-version {change.after}"
        )


def comes_before_kubernetes(change: Change, others: Sequence[Change]) -> bool:
    """Whether Karpenter, as it runs now, is too old for the Kubernetes minor to come."""
    floor, running = KARPENTER_FLOORS.get(_minor(others)), parse(change.before)
    return change.name == "karpenter" and floor is not None and running is not None and running.numbers < floor


def _minor(changes: Sequence[Change]) -> str:
    """The Kubernetes minor to come, or nothing where it stays."""
    return next((change.after for change in changes if change.name == KUBERNETES), "")


def _floor(changes: Sequence[Change]) -> str:
    return ".".join(str(number) for number in KARPENTER_FLOORS[_minor(changes)])
