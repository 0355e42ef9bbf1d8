"""Steps that must not be taken as they are: what each breaks, what is accepted, and two ways out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from components.catalog.kubernetes_versions import KARPENTER_FLOORS
from scripts.upgrading.changes import Change
from scripts.upgrading.pin_sets import KUBERNETES, SLURM, VPC_CNI, PinSet
from scripts.upgrading.runbook import Row
from scripts.upgrading.versions import Direction, minors_between, parse, slurm_releases_between

# Read on 2026-11-30. EKS refuses more than one; the other two are what the projects recommend.
ONE_MINOR: Mapping[str, str] = {
    KUBERNETES: "https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html",
    VPC_CNI: "https://docs.aws.amazon.com/eks/latest/userguide/managing-vpc-cni.html",
    "cert-manager": "https://cert-manager.io/docs/installation/upgrade/",
}
"""Component -> where it is written that it goes up one minor at a time."""

SLURM_REACH = 3
SLURM_SOURCE = "https://slurm.schedmd.com/upgrades.html"
"""Since 24.11 Slurm reads state and messages of the three releases before it."""

TOGETHER = (("karpenter-crd", "karpenter"), ("slurm-operator-crds", "slurm-operator", "slurm"))
"""Charts that belong together, at one version."""

ONE_WAY = (KUBERNETES, SLURM, "jupyterhub")
"""What a revert alone does not bring back: a control plane, and databases that the newer release converted."""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """One reason."""

    what: str
    accepted: str
    ways_out: tuple[str, str]


def of_change(change: Change, row: Row) -> Iterator[Stop]:
    """Minors left out, and ways back that there are not."""
    if not change.is_of_version:
        return
    skipped = minors_between(change.before, change.after)
    if skipped and change.name in ONE_MINOR:
        yield Stop(
            what=f"{change.name} {change.before} -> {change.after} leaves out {', '.join(skipped)}",
            accepted=f"one minor at a time ({ONE_MINOR[change.name]})",
            ways_out=(f"go by way of {skipped[0]}: update, check, then go on", f"stay at {change.before}"),
        )
    if change.name in ONE_WAY and _goes_back(change):
        yield Stop(
            what=f"{change.name} goes back from {change.before} to {change.after}, and a revert is not enough",
            accepted=row.back,
            ways_out=(
                f"stay at {change.before}",
                f"go back as docs/runbooks/upgrade.md says, then to {change.after} here",
            ),
        )
    if change.name == SLURM:
        yield from _too_far(change)


def _goes_back(change: Change) -> bool:
    if change.name != SLURM:
        return change.direction is Direction.DOWN
    return (slurm_releases_between(change.before, change.after) or 0) < 0


def _too_far(change: Change) -> Iterator[Stop]:
    releases = slurm_releases_between(change.before, change.after) or 0
    if releases > SLURM_REACH:
        yield Stop(
            what=f"Slurm {change.before} -> {change.after} is {releases} releases at once",
            accepted=f"at most {SLURM_REACH} ({SLURM_SOURCE})",
            ways_out=("name a release in between first, node images too", f"stay at {change.before}"),
        )


def apart(after: PinSet) -> Mapping[str, Stop]:
    """Component -> why: charts that belong together and are pinned at different versions."""
    found = {}
    for names in TOGETHER:
        versions = {name: after.versions[name] for name in names if name in after.versions}
        if len(set(versions.values())) > 1:
            newest = max(versions.values(), key=lambda text: (parse(text) is not None, parse(text) or 0, text))
            stop = Stop(
                what=", ".join(f"{name} {version}" for name, version in versions.items()) + ": they belong together",
                accepted="one version for all",
                ways_out=(f"pin all at {newest}", "pin all at the version that runs now"),
            )
            found.update(dict.fromkeys(names, stop))
    return found


def half_way(change: Change, before: PinSet, environment: str) -> Iterator[Stop]:
    """A release that an update left half-way; Helm refuses to touch it."""
    if change.name in before.half_way:
        yield Stop(
            what=f"release {change.name} is {before.half_way[change.name]}: an update was killed",
            accepted="a release that is deployed",
            ways_out=(
                f"./scripts/unstick {environment}, which shows and with --yes mends it",
                f"helm rollback {change.name}",
            ),
        )


def too_old_for_kubernetes(after: PinSet) -> Stop | None:
    """Karpenter's floor of the Kubernetes minor to come."""
    minor, karpenter = after.versions.get(KUBERNETES, ""), after.versions.get("karpenter", "")
    floor, pinned = KARPENTER_FLOORS.get(minor), parse(karpenter)
    if floor is None or pinned is None or pinned.numbers >= floor:
        return None
    least = ".".join(str(number) for number in floor)
    return Stop(
        what=f"Kubernetes {minor} with karpenter {karpenter}",
        accepted=f"karpenter {least} or newer (karpenter-provider-aws, compatibility.yaml)",
        ways_out=(f"pin karpenter and karpenter-crd at {least} or newer, first", "leave cluster.kubernetesVersion"),
    )
