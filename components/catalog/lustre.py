"""FSx for Lustre: which settings go together, and which instance types may reach a file system over EFA.

Sources, all read 2026-11-29:
- [A] FSx API reference: CreateFileSystem (StorageCapacity, FileSystemTypeVersion), CreateFileSystemLustreConfiguration,
  CreateFileSystemLustreMetadataConfiguration, LustreReadCacheConfiguration, LustreRootSquashConfiguration,
  DataRepositoryAssociation, UpdateFileSystem (StorageCapacity), UpdateFileSystemLustreConfiguration, CreateBackup
- [G] FSx for Lustre user guide: using-fsx-lustre, efa-file-systems, configure-efa-clients, managing-storage-capacity,
  increase-storage-capacity, managing-throughput-capacity, managing-metadata-performance, using-backups-fsx, create-dra
- [S] documentation of aws.fsx.LustreFileSystem in pulumi-aws 7.51.1
- [E] Amazon EC2 instance types guide, "Instance family summary" of each category, column Hypervisor; EC2 user guide,
  "Supported instance types" of EFA, which lists hpc6a under Nitro v4
No file system was made. Facts only: what to refuse, and in which words, is decided by those who read this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from components.catalog.instance_types import INSTANCE_TYPES, InstanceType

READ_ON = "2026-11-29"

SCRATCH_1, SCRATCH_2, PERSISTENT_1, PERSISTENT_2 = "SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"
DEPLOYMENT_TYPES = (SCRATCH_1, SCRATCH_2, PERSISTENT_1, PERSISTENT_2)
SSD, HDD, INTELLIGENT_TIERING = "SSD", "HDD", "INTELLIGENT_TIERING"
STORAGE_TYPES = (SSD, HDD, INTELLIGENT_TIERING)

LUSTRE_VERSIONS = ("2.15", "2.12")
"""Versions that a node with AL2023 can mount; FSx also makes 2.10 and, unless told, does so for most types. [A]
A client of AL2023 fails on 2.10: kubernetes-sigs/aws-fsx-csi-driver#437."""
CURRENT_VERSION = "2.15"


@dataclass(frozen=True, kw_only=True, slots=True)
class Offering:
    """One pair of deployment and storage type that FSx sells. Capacities are GiB, throughputs MB/s for each TiB."""

    deployment_type: str
    storage_type: str
    throughputs: tuple[int, ...]
    """One of these must be said; empty where none may be. [A][G]"""
    first_capacities: tuple[int, ...] = ()
    """Capacities below the first multiple of the step. [A]"""
    steps: Mapping[int | None, int]
    """Throughput -> step of the capacity; the key None holds for every throughput. Empty: capacity is elastic. [A]"""
    efa_steps: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    """The same for file systems with EFA. [G: increase-storage-capacity, efa-file-systems]"""
    is_replicated: bool
    """Persistent types copy data within their zone and replace failed servers; scratch types do neither. [G]"""
    may_link_s3: bool
    """Data repository associations. [A: "excluding Intelligent-Tiering and scratch_1 file systems"]"""
    may_grow: bool
    """Whether capacity grows in place; it never shrinks. [A: UpdateFileSystem]"""
    throughput_changes: bool
    """Whether throughput for each TiB changes in place: SSD of persistent types, and not with EFA. [G]"""

    @property
    def takes_metadata(self) -> bool:
        """A metadata configuration: PERSISTENT_2 only. [A]"""
        return self.deployment_type == PERSISTENT_2

    @property
    def takes_efa(self) -> bool:
        """EFA: PERSISTENT_2 with a metadata configuration, on either of its storage types. [G: efa-file-systems]"""
        return self.deployment_type == PERSISTENT_2

    @property
    def takes_backups(self) -> bool:
        """Backups, unless anything in S3 is linked. [A: CreateBackup; G: using-backups-fsx]"""
        return self.is_replicated

    @property
    def takes_kms_key(self) -> bool:
        """A customer's key; scratch types use the service's own. [S]"""
        return self.is_replicated

    @property
    def is_elastic(self) -> bool:
        """Capacity follows the data and must not be said; throughput is one number for the file system. [A]"""
        return self.storage_type == INTELLIGENT_TIERING


_BY_2400: Mapping[int | None, int] = MappingProxyType({None: 2400})

OFFERINGS: Mapping[tuple[str, str], Offering] = MappingProxyType(
    {
        (offering.deployment_type, offering.storage_type): offering
        for offering in (
            Offering(
                deployment_type=SCRATCH_1,
                storage_type=SSD,
                throughputs=(),
                first_capacities=(1200, 2400),
                steps=MappingProxyType({None: 3600}),
                is_replicated=False,
                may_link_s3=False,
                may_grow=False,
                throughput_changes=False,
            ),
            Offering(
                deployment_type=SCRATCH_2,
                storage_type=SSD,
                throughputs=(),
                first_capacities=(1200,),
                steps=_BY_2400,
                is_replicated=False,
                may_link_s3=True,
                may_grow=True,
                throughput_changes=False,
            ),
            Offering(
                deployment_type=PERSISTENT_1,
                storage_type=SSD,
                throughputs=(50, 100, 200),
                first_capacities=(1200,),
                steps=_BY_2400,
                is_replicated=True,
                may_link_s3=True,
                may_grow=True,
                throughput_changes=True,
            ),
            Offering(
                deployment_type=PERSISTENT_1,
                storage_type=HDD,
                throughputs=(12, 40),
                steps=MappingProxyType({12: 6000, 40: 1800}),
                is_replicated=True,
                may_link_s3=True,
                may_grow=True,
                throughput_changes=False,
            ),
            Offering(
                deployment_type=PERSISTENT_2,
                storage_type=SSD,
                throughputs=(125, 250, 500, 1000),
                first_capacities=(1200,),
                steps=_BY_2400,
                efa_steps=MappingProxyType({125: 38400, 250: 19200, 500: 9600, 1000: 4800}),
                is_replicated=True,
                may_link_s3=True,
                may_grow=True,
                throughput_changes=True,
            ),
            Offering(
                deployment_type=PERSISTENT_2,
                storage_type=INTELLIGENT_TIERING,
                throughputs=(),
                steps=MappingProxyType({}),
                is_replicated=True,
                may_link_s3=False,
                may_grow=True,
                throughput_changes=False,
            ),
        )
    }
)
"""(deployment type, storage type) -> what goes with it; pairs that are not here do not exist."""


def capacity_step(offering: Offering, throughput: int | None, *, efa: bool) -> int | None:
    """The step of the capacity in GiB; None where capacity is elastic or the throughput is none of the offering's."""
    if efa:
        return offering.efa_steps.get(throughput) if throughput is not None else None
    return offering.steps.get(throughput) or offering.steps.get(None)


def capacity_fits(offering: Offering, capacity: int, throughput: int | None, *, efa: bool) -> bool:
    """Whether FSx makes a file system of this size: 0 is a multiple of every step, and no size."""
    step = capacity_step(offering, throughput, efa=efa)
    if step is None or capacity <= 0:
        return False
    return capacity % step == 0 or (not efa and capacity in offering.first_capacities)


def capacities_near(offering: Offering, capacity: int, throughput: int | None, *, efa: bool) -> tuple[int, int]:
    """The sizes just below and above one that does not fit, or the two smallest where none is below.

    Raises:
        ValueError: the offering has no sizes with that throughput.
    """
    step = capacity_step(offering, throughput, efa=efa)
    if step is None:
        raise ValueError(f"{offering.deployment_type} {offering.storage_type} has no sizes with {throughput}")
    multiple = max(capacity, 0) // step * step
    sizes = sorted({*(() if efa else offering.first_capacities), *range(multiple, multiple + 3 * step, step)} - {0})
    above = max(next(index for index, size in enumerate(sizes) if size > capacity), 1)
    return sizes[above - 1], sizes[above]


METADATA_MODES = ("AUTOMATIC", "USER_PROVISIONED")
METADATA_IOPS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        SSD: (1500, 3000, 6000, *range(12000, 192001, 12000)),
        INTELLIGENT_TIERING: (6000, 12000),
    }
)
"""Storage type -> metadata IOPS that USER_PROVISIONED takes; Intelligent-Tiering has no AUTOMATIC. They grow in place,
and a smaller number needs a new file system. [A][G: managing-metadata-performance]"""

TIERING_STEP_MBPS, TIERING_MAX_MBPS = 4000, 2_000_000
"""Throughput of Intelligent-Tiering: multiples, to a maximum; it grows in place and never shrinks. [A][G]"""
READ_CACHE_MODES = ("NO_CACHE", "PROPORTIONAL_TO_THROUGHPUT_CAPACITY", "USER_PROVISIONED")
READ_CACHE_GIB_PER_STEP = (32, 131_072)
"""Smallest and largest SSD read cache for each 4000 MB/s; the size is said with USER_PROVISIONED only. [A]"""

DRIVE_CACHES = ("NONE", "READ")
"""Must be said for HDD, and for nothing else. [S]"""

MAX_BACKUP_DAYS = 90
MAX_REPOSITORIES = 8
"""Data repository associations of one file system. [A]"""
REPOSITORY_EVENTS = ("NEW", "CHANGED", "DELETED")
MAX_ID = 4_294_967_294
"""Of a root squash's UID and GID; 0 would mean root, that is no squash. [A]"""
MAX_EXCEPTED_NIDS = 64

EFA_WORTHWHILE_MBPS = 10_000
"""Above this throughput of the whole file system AWS recommends EFA. [G: performance]"""
TCP_CLIENT_GBPS, EFA_CLIENT_GBPS = 100, 700
"""The most that one client reads, without and with EFA. [G: performance]"""

MAX_EFA_CONNECTIONS = 1024
"""Of one file system: each client has one for each of its EFA devices that carry Lustre. [G: efa-file-systems]"""
EFA_INTERFACES: Mapping[str, int] = MappingProxyType({"p5": 8, "p5e": 8, "p5en": 8, "p6-b200": 8, "p6e-gb200": 8})
"""Family -> EFA devices that the Lustre client uses; others: see `efa_interfaces`. [G: configure-efa-clients]"""


def efa_interfaces(facts: InstanceType) -> int:
    """How many EFA devices of a node carry Lustre: eight on the largest types, else two, or one on a single card."""
    return EFA_INTERFACES.get(facts.family, 2 if (facts.network_cards or 1) > 1 else 1)


NITRO_VERSIONS: Mapping[str, int] = MappingProxyType(
    {
        "p3dn": 3,
        "p4d": 3,
        "p4de": 3,
        "p5": 4,
        "p5e": 4,
        "p5en": 5,
        "p6-b200": 6,
        "p6-b300": 6,
        "p6e-gb200": 5,
        "trn1": 4,
        "trn1n": 4,
        "trn2": 5,
        "trn2u": 5,
        "g4dn": 3,
        "g5": 3,
        "g6": 4,
        "g6e": 4,
        "g7e": 6,
        "inf2": 4,
        "c5n": 3,
        "hpc6a": 4,
        "m7i": 4,
        "c7i": 4,
        "r7i": 4,
    }
)
"""Family -> version of the Nitro system. [E] G7 is in neither page; the platform does not take it."""

EFA_CLIENT_NITRO = 4
_NOT_CLIENTS = ("trn2", "trn2u")
"""[G: efa-file-systems, configure-efa-clients] "Nitro v4 (or higher) EC2 instances that support EFA, excluding the trn2
instance family"; trn2u is trn2 in an UltraServer."""


def may_use_efa_lustre(instance_type: str) -> bool:
    """Whether nodes of this type reach an EFA-enabled file system over EFA; others, and unknown ones, use TCP."""
    facts = INSTANCE_TYPES.get(instance_type)
    if facts is None or not facts.has_efa or facts.family in _NOT_CLIENTS:
        return False
    return NITRO_VERSIONS.get(facts.family, 0) >= EFA_CLIENT_NITRO
