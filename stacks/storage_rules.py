"""The rules of the section `storage`, run on whatever of it is well-formed."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from stacks.bucket_rules import check_buckets
from stacks.buckets import BucketAccess, BucketMount, BucketSpec
from stacks.drafts import Placed, entries, part
from stacks.efs import EfsSpec
from stacks.efs_rules import check_efs
from stacks.general_pools import GeneralPool
from stacks.lustre import LustreSpec
from stacks.lustre_class_rules import check_lustre_classes
from stacks.lustre_classes import LustreClassSpec
from stacks.lustre_rules import check_lustre
from stacks.network import Network
from stacks.node_pools import NodePool
from stacks.problems import Problem
from stacks.storage_encryption import StorageEncryption, check_storage_key


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageDraft:
    """The parts of the section that are well-formed."""

    encryption: StorageEncryption | None
    lustre: Placed[LustreSpec]
    lustre_classes: Placed[LustreClassSpec]
    efs: Placed[EfsSpec]
    buckets: Placed[BucketSpec]
    access: Placed[BucketAccess]
    mounts: Placed[BucketMount]

    @classmethod
    def of(cls, raw: Mapping[str, object]) -> "StorageDraft":
        """Read each part by itself and keep those that parse."""
        return cls(
            encryption=part(StorageEncryption, raw.get("encryption", {})),
            lustre=entries(LustreSpec, raw.get("lustre"), "storage.lustre"),
            lustre_classes=entries(LustreClassSpec, raw.get("lustreClasses"), "storage.lustreClasses"),
            efs=entries(EfsSpec, raw.get("efs"), "storage.efs"),
            buckets=entries(BucketSpec, raw.get("buckets"), "storage.buckets"),
            access=entries(BucketAccess, raw.get("bucketAccess"), "storage.bucketAccess"),
            mounts=entries(BucketMount, raw.get("bucketMounts"), "storage.bucketMounts"),
        )

    @property
    def parts(self) -> Collection[str]:
        """What the catalog's table of requests calls the drivers in use."""
        used = {
            "storage.lustre": self.lustre or self.lustre_classes,
            "storage.efs": self.efs,
            "storage.bucketMounts": self.mounts,
        }
        return [name for name, users in used.items() if users]


def check_storage(
    draft: StorageDraft,
    *,
    network: Network | None,
    pools: Placed[NodePool],
    general: Placed[GeneralPool],
    namespaces: Collection[str],
    protect_data: bool | None,
    region: str | None,
) -> Iterator[Problem]:
    """Every rule, in the order of the file.

    Args:
        draft: the section.
        network: None where that section is not well-formed; so with `protect_data`.
        pools: the well-formed entries of `nodePools`.
        general: those of `generalPools`.
        namespaces: names of those of `namespaces`.
        protect_data: `lifecycle.protectData`.
        region: of the stack; None leaves out what compares with it.
    """
    if draft.encryption is not None:
        yield from check_storage_key(draft.encryption, region)
    yield from check_lustre(
        draft.lustre,
        network=network,
        pools=pools,
        general=general,
        buckets=[bucket.name for _, bucket in draft.buckets],
        namespaces=namespaces,
    )
    yield from check_lustre_classes(draft.lustre_classes, network=network)
    yield from check_efs(draft.efs, namespaces=namespaces)
    yield from check_buckets(
        draft.buckets, draft.access, draft.mounts, namespaces=namespaces, protect_data=protect_data
    )
