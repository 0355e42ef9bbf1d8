"""One set of pins: the version of everything, in one place at one time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KUBERNETES = "cluster.kubernetesVersion"
ADDONS = "cluster.addonVersions"
VPC_CNI = f"{ADDONS}.vpc-cni"
NODE_IMAGE = "amiRelease"
SLURM = "Slurm"
"""Slurm itself, by the tag of its images; `slurm` is Slinky's chart."""
SLURM_HELPER = "alpine"
"""Image of the small helpers in Slurm's pods."""
SLURM_DIGESTS = "platform.slurm.imageDigests"
SLURM_NODES = "platform.slurm.nodeImage"

ADDON_DEFAULT = "EKS' default"
"""Of an add-on that the environment names no version of."""
BY_TAG = "by tag"
NONE = "none"
UNNAMED = (ADDON_DEFAULT, BY_TAG, NONE)
"""What stands for a version where nobody names one."""


@dataclass(frozen=True, kw_only=True)
class PinSet:
    """Components are named as charts and manifests are, or as the field of the stack file that pins them."""

    name: str
    """Where from: a revision, the working tree, a cluster."""
    versions: Mapping[str, str]
    installed: frozenset[str]
    """Which of them the environment has."""
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Chart -> what the environment adds to its values."""
    unseen: frozenset[str] = frozenset()
    """What this source cannot tell, so that nothing is said of its change."""
    half_way: Mapping[str, str] = field(default_factory=dict)
    """Release -> its status, where an update was killed."""
    notes: tuple[str, ...] = ()
