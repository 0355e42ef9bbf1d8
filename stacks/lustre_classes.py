"""Section `storage.lustreClasses`: StorageClasses that make a Lustre file system for each claim."""

from typing import Annotated, Literal

from pydantic import Field

from stacks.lustre_parts import MAX_NAME, DeploymentType
from stacks.model import Int, Section, says
from stacks.names import DNS_LABEL

_A_CLASS = ("kubernetes:storage.k8s.io/v1:StorageClass",)
_CHANGE = "the class; file systems made by it stay"


class LustreClassSpec(Section):
    """A StorageClass lustre-<name>: the FSx CSI driver makes a file system (SSD) for each claim, of its size."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_NAME),
        says(
            "Name of the class, after lustre-.",
            "REPLACES",
            change=_CHANGE,
            replaces=_A_CLASS,
            accepts=f"lower-case letters, digits and inner dashes, at most {MAX_NAME} characters",
            example="scratch",
        ),
    ]
    zone: Annotated[
        str,
        says(
            "Zone of the file systems.",
            "REPLACES",
            change=_CHANGE,
            replaces=_A_CLASS,
            accepts="one of network.zones",
            example="us-west-2b",
        ),
    ]
    deployment_type: Annotated[
        DeploymentType,
        says(
            "As of storage.lustre.",
            "REPLACES",
            change=_CHANGE,
            replaces=_A_CLASS,
        ),
    ] = "SCRATCH_2"
    throughput_mbps_per_tib: Annotated[
        Int | None,
        Field(alias="throughputMBpsPerTiB"),
        says(
            "Throughput for each TiB of persistent types; null for scratch types.",
            "REPLACES",
            change=_CHANGE,
            replaces=_A_CLASS,
            unit="MB/s per TiB",
            accepts="PERSISTENT_2: 125, 250, 500 or 1000; PERSISTENT_1: 50, 100 or 200",
            example=125,
        ),
    ] = None
    compression: Annotated[
        Literal["LZ4", "NONE"],
        says("Compression.", "REPLACES", change=_CHANGE, replaces=_A_CLASS),
    ] = "LZ4"
    lustre_version: Annotated[
        str,
        says(
            "Version of Lustre.",
            "REPLACES",
            change=_CHANGE,
            replaces=_A_CLASS,
            accepts='"2.15" or "2.12"',
            example="2.15",
        ),
    ] = "2.15"
    reclaim: Annotated[
        Literal["Delete", "Retain"],
        says(
            "What becomes of a file system whose claim is deleted.",
            "REPLACES",
            change=_CHANGE,
            replaces=_A_CLASS,
        ),
    ] = "Delete"

    @property
    def storage_class(self) -> str:
        """Name of the Kubernetes object."""
        return f"lustre-{self.name}"
