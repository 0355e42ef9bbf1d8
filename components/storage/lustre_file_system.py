"""An FSx for Lustre file system, of ours or another team's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pulumi
import pulumi_aws as aws

from components.catalog.labels import CROSS_ZONE_TAG, POOLS_TAG, ZONE_TAG
from components.catalog.partitions import dns_suffix
from stacks.lustre import ExistingLustre, LustreSpec

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="2h", delete="2h")
"""AWS' provider waits 30 minutes. Making one takes 10 to 30, and more with many servers; a change of throughput or
capacity up to an hour (FSx for Lustre user guide, managing-throughput-capacity); deleting waits for a last backup
(2026-11-29)."""

ELASTIC_GIB = 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class LustreFileSystemArgs:
    """One file system in one subnet.

    A change of the subnet, the security group or the key REPLACES it, as do the fields of `spec` that say so.
    """

    spec: LustreSpec
    """As the environment's rules accept it; nothing is checked again here."""
    subnet_id: pulumi.Input[str]
    """The private subnet of `spec.zone`."""
    security_group_id: pulumi.Input[str]
    """Of LustreSecurityGroup. Pass the component in `depends_on` too: AWS refuses before its rules are there."""
    kms_key_arn: pulumi.Input[str] | None = None
    """Customer key; None, and any scratch type, leaves it to the service's own key."""
    protect: bool
    """Refuse to delete or replace it. A file system that nothing in S3 is linked to then also leaves a last backup,
    should someone take the protection away and delete it; without `protect` nothing is left."""
    pools: Sequence[str] = ()
    """Names of the pools that mount it: a tag, which policies read."""
    region: str
    """Part of the name by which a file system of another team is mounted."""
    tags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class LustreFileSystem(pulumi.ComponentResource):
    """The file system; with `spec.existing` nothing is made, and the attributes are those of the other team's."""

    file_system_id: pulumi.Output[str]
    dns_name: pulumi.Output[str]
    mount_name: pulumi.Output[str]
    capacity_gib: pulumi.Output[int]
    """What volumes show as their size. Where it is elastic: 1 TiB, a number that limits nobody."""
    efa: bool
    """Whether it can be reached over EFA."""

    def __init__(self, name: str, args: LustreFileSystemArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:LustreFileSystem", name, {}, opts)
        self.efa = args.spec.has_efa
        if args.spec.existing is not None:
            self._refer(args.spec.existing, args.region)
        else:
            self._make(name, args)
        self.register_outputs(
            {
                "fileSystemId": self.file_system_id,
                "dnsName": self.dns_name,
                "mountName": self.mount_name,
                "capacityGiB": self.capacity_gib,
                "efa": self.efa,
            }
        )

    def _refer(self, existing: ExistingLustre, region: str) -> None:
        self.file_system_id = pulumi.Output.from_input(existing.id)
        self.dns_name = pulumi.Output.from_input(f"{existing.id}.fsx.{region}.{dns_suffix(region)}")
        self.mount_name = pulumi.Output.from_input(existing.mount_name)
        self.capacity_gib = pulumi.Output.from_input(existing.capacity_gib)

    def _make(self, name: str, args: LustreFileSystemArgs) -> None:
        spec = args.spec
        tags = {**args.tags, "Name": name, ZONE_TAG: spec.zone}
        if args.pools:
            tags[POOLS_TAG] = " ".join(args.pools)
        if spec.cross_zone:
            tags[CROSS_ZONE_TAG] = "true"
        encrypts = spec.offering is not None and spec.offering.takes_kms_key
        # A backup of what has links to S3, or is scratch, cannot be made: asking for one would fail the deletion.
        last_backup = args.protect and spec.may_be_backed_up
        system = aws.fsx.LustreFileSystem(
            name,
            deployment_type=spec.deployment_type,
            storage_type=spec.storage_type,
            storage_capacity=spec.capacity_gib,
            per_unit_storage_throughput=spec.throughput_mbps_per_tib,
            throughput_capacity=spec.throughput_mbps,
            drive_cache_type=spec.drive_cache,
            data_compression_type=spec.compression,
            file_system_type_version=spec.lustre_version,
            # Nothing for a scratch type or one without EFA: the API has these fields for PERSISTENT_2 alone.
            efa_enabled=True if spec.efa else None,
            # One, in spite of the name.
            subnet_ids=args.subnet_id,
            security_group_ids=[args.security_group_id],
            kms_key_id=args.kms_key_arn if encrypts else None,
            weekly_maintenance_start_time=spec.maintenance_window,
            skip_final_backup=not last_backup,
            final_backup_tags={"Name": name} if last_backup else None,
            tags=tags,
            **_blocks(spec),
            **_backups(spec),
            opts=pulumi.ResourceOptions(parent=self, protect=args.protect, custom_timeouts=TIMEOUTS),
        )
        self.file_system_id, self.dns_name, self.mount_name = system.id, system.dns_name, system.mount_name
        self.capacity_gib = pulumi.Output.from_input(spec.capacity_gib or ELASTIC_GIB)


def _blocks(spec: LustreSpec) -> dict[str, Any]:
    blocks: dict[str, Any] = {}
    if spec.metadata is not None:
        blocks["metadata_configuration"] = aws.fsx.LustreFileSystemMetadataConfigurationArgs(
            mode=spec.metadata.mode, iops=spec.metadata.iops
        )
    if spec.read_cache is not None:
        blocks["data_read_cache_configuration"] = aws.fsx.LustreFileSystemDataReadCacheConfigurationArgs(
            sizing_mode=spec.read_cache.mode, size=spec.read_cache.size_gib
        )
    if spec.root_squash is not None:
        blocks["root_squash_configuration"] = aws.fsx.LustreFileSystemRootSquashConfigurationArgs(
            root_squash=f"{spec.root_squash.uid}:{spec.root_squash.gid}",
            no_squash_nids=list(spec.root_squash.except_nids),
        )
    return blocks


def _backups(spec: LustreSpec) -> dict[str, Any]:
    if spec.backups is None:
        # Said, where it may be said: the provider keeps the days it knows when none are named.
        return {"automatic_backup_retention_days": 0} if spec.may_be_backed_up else {}
    return {
        "automatic_backup_retention_days": spec.backups.retention_days,
        "daily_automatic_backup_start_time": spec.backups.start_time,
        "copy_tags_to_backups": spec.backups.copy_tags,
    }
