"""Fields that pools of accelerated nodes and general pools have in common."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from components.catalog.kubelet import FIELDS
from stacks.model import Int, Section, says
from stacks.problems import Problem

LABEL_VALUE = r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"
LABEL_KEY = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
)
MIN_VOLUME, MAX_VOLUME = 50, 16384
MIN_IOPS, MAX_IOPS = 3000, 16000
MIN_THROUGHPUT, MAX_THROUGHPUT = 125, 1000


class RootVolume(Section):
    """The root disk of a node: an encrypted gp3 volume that goes with the node."""

    size_gib: Annotated[
        Int,
        Field(ge=MIN_VOLUME, le=MAX_VOLUME, alias="sizeGiB"),
        says(
            "Size. AL2023's own 20 GiB do not hold one CUDA or Neuron image.",
            "rolls nodes",
            unit="GiB",
            accepts=f"a whole number from {MIN_VOLUME} to {MAX_VOLUME}",
        ),
    ] = 200
    iops: Annotated[
        Int | None,
        Field(ge=MIN_IOPS, le=MAX_IOPS),
        says(
            "I/O operations a second; null leaves gp3's 3000.",
            "rolls nodes",
            unit="IOPS",
            accepts=f"null or a whole number from {MIN_IOPS} to {MAX_IOPS}",
        ),
    ] = None
    throughput_mibps: Annotated[
        Int | None,
        Field(ge=MIN_THROUGHPUT, le=MAX_THROUGHPUT, alias="throughputMiBps"),
        says(
            "Throughput; null leaves gp3's 125. Images are unpacked on this disk where a type has no NVMe.",
            "rolls nodes",
            unit="MiB/s",
            accepts=f"null or a whole number from {MIN_THROUGHPUT} to {MAX_THROUGHPUT}",
        ),
    ] = None


class Taint(Section):
    """A taint besides the one of the accelerator. Every DaemonSet that these nodes need must tolerate it."""

    key: Annotated[
        str,
        Field(pattern=LABEL_KEY),
        says("Key of the taint.", "rolls nodes", accepts="a label key of your own", example="example.com/team"),
    ]
    value: Annotated[
        str,
        Field(pattern=LABEL_VALUE, max_length=63),
        says("Value of the taint.", "rolls nodes", accepts="a label value; empty for none"),
    ] = ""
    effect: Annotated[
        Literal["NoSchedule", "PreferNoSchedule", "NoExecute"],
        says("What it does to pods that do not tolerate it.", "rolls nodes"),
    ] = "NoSchedule"


Labels = Annotated[
    Mapping[
        Annotated[str, Field(pattern=LABEL_KEY)],
        Annotated[str, Field(pattern=LABEL_VALUE, max_length=63)],
    ],
    Field(max_length=50),
    says(
        "More labels of the nodes.",
        "rolls nodes",
        accepts="up to 50 pairs of label keys and values; values in quotes where they look like numbers",
        example={"example.com/team": "research"},
    ),
]

Taints = Annotated[
    tuple[Taint, ...],
    says("More taints of the nodes.", "per field", accepts="a list of {key, value, effect}"),
]

KubeletSettings = Annotated[
    Mapping[str, Any],
    Field(json_schema_extra={"propertyNames": {"enum": sorted(FIELDS)}}),
    says(
        "Fields of the nodes' KubeletConfiguration, such as maxPods or topologyManagerPolicy. Checked here, since "
        "Karpenter's API takes any and then launches nothing.",
        "rolls nodes",
        accepts="fields of KubeletConfiguration that the cluster's Kubernetes version has",
        example={"topologyManagerPolicy": "best-effort"},
    ),
]


def check_volume(path: str, volume: RootVolume) -> Iterator[Problem]:
    """gp3 gives at most 500 IOPS for each GiB and 1 MiB/s for each 4 IOPS (EBS user guide, read 2026-11-29)."""
    iops, throughput = volume.iops or MIN_IOPS, volume.throughput_mibps or MIN_THROUGHPUT
    if iops > 500 * volume.size_gib:
        yield Problem(
            path=f"{path}.iops",
            value=iops,
            reason=f"gp3 gives 500 IOPS for each GiB: {500 * volume.size_gib} with {volume.size_gib} GiB.",
            accepted=f"at most {500 * volume.size_gib}",
            ways_out=(f"set iops: {max(500 * volume.size_gib, MIN_IOPS)}", f"set sizeGiB: {-(-iops // 500)}"),
        )
    if throughput * 4 > iops:
        yield Problem(
            path=f"{path}.throughputMiBps",
            value=throughput,
            reason=f"gp3 gives 1 MiB/s for each 4 IOPS: {iops // 4} with {iops} IOPS.",
            accepted=f"at most {iops // 4}",
            ways_out=(f"set iops: {throughput * 4}", f"set throughputMiBps: {iops // 4}"),
        )
