"""What Slinky 1.2 and Slurm 26.05 take: images, names, keys of slurm.conf that nobody else may set."""

from collections.abc import Mapping
from types import MappingProxyType

from components.catalog.instance_types import InstanceType
from components.catalog.requests import Room

API_GROUP = "slinky.slurm.net"
API_VERSION = f"{API_GROUP}/v1beta1"
KINDS = ("Controller", "NodeSet", "Accounting", "LoginSet", "RestApi", "Token")
"""All that the definitions of Slinky 1.2.1 have (config/crd, read 2026-11-29)."""
OLD_KINDS = ("SlurmCluster", "SlurmNodeSet")
"""Kinds that examples in the wild still show under this group; no release of 1.x has them."""

IMAGES = "ghcr.io/slinkyproject"
IMAGE_TAG = "26.05-ubuntu26.04"
"""Tag of slurmctld, slurmdbd, slurmrestd and login: it MOVES, and no source here gives digests (chart 1.2.1)."""
MINIMUM_SLURM = "25.11"
"""Oldest Slurm of a node image: the operator speaks data parser 0.0.44 (README of slurm-operator release-1.2)."""

MINIMUM_KUBERNETES = "1.29"
"""Oldest Kubernetes that the operator supports (README of slurm-operator release-1.2, `kubeVersion` of its chart)."""

ALPINE_TAG = "3.23.5"
ALPINE_DIGEST = "sha256:fd791d74b68913cbb027c6546007b3f0d3bc45125f797758156952bc2d6daf40"
"""Index of docker.io/library/alpine:3.23.5, as public Dockerfiles pin it (read 2026-11-29). The chart takes latest."""

MAX_CLUSTER_NAME = 40
"""The webhook refuses longer ones (slurm-operator v1.2.1, internal/webhook)."""
MAX_LABEL = 63
"""The operator labels each pod with its own name (api/v1beta1 well_known.go, LabelNodeSetPodName)."""
DEFAULT_MAX_NODES = 1024
"""MaxNodeCount that the operator writes (v1.2.1, controller_config.go)."""

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a mount point, no temporary file

GENERATED_KEYS = (
    "ClusterName",
    "SlurmUser",
    "SlurmctldHost",
    "SlurmctldPort",
    "SlurmctldAddr",
    "StateSaveLocation",
    "SlurmdUser",
    "SlurmdPort",
    "SlurmdSpoolDir",
    "SlurmctldLogFile",
    "SlurmSchedLogFile",
    "SlurmdLogFile",
    "AuthType",
    "CredType",
    "AuthAltTypes",
    "AuthAltParameters",
    "AuthInfo",
    "MetricsType",
    "AccountingStorageType",
    "AccountingStorageHost",
    "AccountingStoragePort",
    "NodeName",
    "NodeSet",
    "PartitionName",
    "Prolog",
    "Epilog",
    "PrologSlurmctld",
    "EpilogSlurmctld",
)
"""Keys that the operator or this project write from other fields (v1.2.1, controller_config.go)."""

BASELINE: Mapping[str, str] = MappingProxyType(
    {
        # A pod that comes back under its old name registers again; with Slurm's own 0 its node would stay DOWN, since
        # slurmd's preStop sets DOWN and the operator only ever drains and undrains.
        "ReturnToService": "2",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "ProctrackType": "proctrack/cgroup",
        "TaskPlugin": "task/affinity,task/cgroup",
        "PrologFlags": "Contain",
        "JobAcctGatherType": "jobacct_gather/cgroup",
    }
)
"""What 1.1 wrote and 1.2 no longer does (CHANGELOG 1.2.0-rc1): without it jobs see every GPU of the node."""

OWNED_KEYS = frozenset(
    key.lower() for key in (*GENERATED_KEYS, *BASELINE, "GresTypes", "AccountingStorageTRES", "MaxNodeCount")
)
"""Keys of slurm.conf that the environment may not set; Slurm does not tell upper from lower case."""

DEFAULTS: Mapping[str, str] = MappingProxyType({"JobRequeue": "1", "KillWait": "120"})
"""Ours, and the environment may say otherwise: jobs of a lost node run again, and have two minutes to save."""

DAEMONS = Room(cpu_m=1000, memory_mib=2048)
"""Kept free on each node for DaemonSets (network, storage, devices, metrics): more than all of ours ask for."""


def gres_of(facts: InstanceType) -> str:
    """`gpu:h100:8` or `neuron:16`: the devices of a node as Slurm counts them. Neuron devices carry no type.

    Slurm takes a GPU's type for a part of the driver's name for it (`nvidia_h100_80gb_hbm3`); a name of ours that is
    more than one word (rtx-pro-server-6000) is none, and a type that does not match makes Slurm ignore the GPUs.
    """
    if facts.is_neuron:
        return f"neuron:{facts.accelerator_count}"
    kind = str(facts.accelerator)
    return f"gpu:{facts.accelerator_count}" if "-" in kind else f"gpu:{kind}:{facts.accelerator_count}"
