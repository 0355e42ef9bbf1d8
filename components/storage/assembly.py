"""The storage of an environment in its one order: key, buckets, file systems, drivers, volumes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER
from components.network import LustreSecurityGroup, LustreSecurityGroupArgs
from components.storage.bucket import Bucket
from components.storage.bucket_access import access_for
from components.storage.bucket_mounts import BucketMounts, BucketMountsArgs, mounts_policy
from components.storage.data_repositories import DataRepositories, DataRepositoriesArgs
from components.storage.drivers import StorageDrivers, StorageDriversArgs
from components.storage.efs_file_system import SHOWN_GIB, EfsFileSystem, EfsFileSystemArgs
from components.storage.encryption import account_of, storage_key
from components.storage.factory import access_logs_for, buckets_for
from components.storage.lustre_file_system import LustreFileSystem, LustreFileSystemArgs
from components.storage.storage_classes import (
    LUSTRE_MOUNT_OPTIONS,
    StorageClasses,
    create_efs_class,
    create_lustre_class,
)
from components.storage.volumes import StaticVolume, StaticVolumeArgs
from components.surroundings import Surroundings
from stacks.environment import Environment


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """What was made, by its name in the environment."""

    buckets: Mapping[str, Bucket]
    lustre: Mapping[str, LustreFileSystem]
    efs: Mapping[str, EfsFileSystem]
    drivers: Sequence[pulumi.Resource]
    """What pools come after and go before: their nodes wait for the drivers, and volumes for the nodes."""
    kms_key_arn: pulumi.Input[str] | None
    volumes: Sequence[pulumi.Resource]
    """Claims and classes. What mounts them comes after and goes before: a claim stays until its pods are gone."""


def create_storage(environment: Environment, around: Surroundings, *, namespaces: Sequence[pulumi.Resource]) -> Stored:
    """Make everything of the section `storage`.

    Removal runs backwards: claims and volumes, then file systems, and the drivers last. Data outlives the cluster where
    `lifecycle.protectData` says so; the volumes that lead to it do not.
    """
    return _Assembly(environment, around, namespaces).make()


class _Assembly:
    def __init__(self, environment: Environment, around: Surroundings, namespaces: Sequence[pulumi.Resource]) -> None:
        self._namespaces = namespaces
        self._environment, self._section, self._around = environment, environment.storage, around
        self._protect = environment.lifecycle.protect_data
        self._kms_key = storage_key(
            "storage-key",
            self._section.encryption.kms_key,
            protect=self._protect,
            partition=around.partition,
            region=around.region,
            opts=around.on_aws,
        )

    def make(self) -> Stored:
        buckets = self._buckets()
        group = self._lustre_group()
        lustre = self._lustre(buckets, group)
        efs = self._efs()
        drivers = self._drivers(buckets)
        fixed = pulumi.ResourceOptions(providers=[self._around.cluster.kubernetes_fixed])
        # A namespace goes last of all: it would take the claims along, which first have to let go of their volumes.
        mounted = self._after(self._around.in_cluster.merge(fixed), *self._namespaces, *drivers)
        volumes: list[pulumi.Resource] = [
            *self._lustre_volumes(lustre, mounted),
            *self._efs_volumes(efs, mounted),
            *self._classes(group, efs, mounted),
        ]
        if self._section.bucket_mounts:
            names = {name: bucket.bucket_name for name, bucket in buckets.items()}
            args = BucketMountsArgs(mounts=self._section.bucket_mounts, bucket_names=names, region=self._around.region)
            volumes.append(BucketMounts("bucket-mounts", args, opts=mounted))
        self._access(buckets)
        return Stored(
            buckets=buckets, lustre=lustre, efs=efs, drivers=drivers, volumes=volumes, kms_key_arn=self._kms_key
        )

    def _after(self, opts: pulumi.ResourceOptions, *those: pulumi.Resource) -> pulumi.ResourceOptions:
        return opts.merge(pulumi.ResourceOptions(depends_on=list(those)))

    def _buckets(self) -> Mapping[str, Bucket]:
        around = self._around
        logs = access_logs_for(
            around.cluster_name,
            self._section.access_logs,
            protect=self._protect,
            partition=around.partition,
            account_id=around.cluster.arn.apply(account_of),
            opts=around.on_aws,
        )
        return buckets_for(
            around.cluster_name,
            self._section,
            protect=self._protect,
            partition=around.partition,
            kms_key_arn=self._kms_key,
            logs=logs,
            opts=around.on_aws,
        )

    def _lustre_group(self) -> LustreSecurityGroup | None:
        section, around = self._section, self._around
        if not section.lustre_classes and all(spec.existing for spec in section.lustre):
            return None
        return LustreSecurityGroup(
            "lustre",
            LustreSecurityGroupArgs(
                vpc_id=around.vpc_id,
                client_security_group_id=around.cluster.security_group_id,
                efa_security_group_id=around.efa.security_group_id if any(s.efa for s in section.lustre) else None,
            ),
            opts=around.on_aws,
        )

    def _lustre(
        self, buckets: Mapping[str, Bucket], group: LustreSecurityGroup | None
    ) -> Mapping[str, LustreFileSystem]:
        made = {}
        for spec in self._section.lustre:
            name = f"lustre-{spec.name}"
            system = made[spec.name] = LustreFileSystem(
                name,
                LustreFileSystemArgs(
                    spec=spec,
                    subnet_id=self._around.subnet_ids[spec.zone],
                    security_group_id=group.security_group_id if group else "",
                    kms_key_arn=self._kms_key,
                    protect=self._protect,
                    # Only those that are named: the others are those of its zone, which is a tag of its own.
                    pools=spec.pools,
                    region=self._around.region,
                ),
                # AWS refuses a file system before port 988 is open: a rule of the group, not the group.
                opts=self._after(self._around.on_aws, *([group] if group else [])),
            )
            if spec.data_repositories:
                DataRepositories(
                    f"{name}-repositories",
                    DataRepositoriesArgs(
                        spec=spec,
                        file_system_id=system.file_system_id,
                        buckets={key: bucket.bucket_name for key, bucket in buckets.items()},
                    ),
                    opts=self._around.on_aws,
                )
        return made

    def _efs(self) -> Mapping[str, EfsFileSystem]:
        around = self._around
        return {
            spec.name: EfsFileSystem(
                f"efs-{spec.name}",
                EfsFileSystemArgs(
                    spec=spec,
                    vpc_id=around.vpc_id,
                    subnet_ids=around.subnet_ids,
                    client_security_group_id=around.cluster.security_group_id,
                    protect=self._protect,
                    kms_key_arn=self._kms_key,
                ),
                opts=around.on_aws,
            )
            for spec in self._section.efs
        }

    def _drivers(self, buckets: Mapping[str, Bucket]) -> Sequence[pulumi.Resource]:
        if not self._section.drivers:
            return ()
        arns = {name: bucket.arn for name, bucket in buckets.items()}
        mounts = self._section.bucket_mounts
        return [
            StorageDrivers(
                "storage-drivers",
                StorageDriversArgs(
                    cluster_name=self._around.cluster.name,
                    drivers=self._section.drivers,
                    versions=self._environment.cluster.addon_versions,
                    partition=self._around.partition,
                    role_rules=self._around.role_rules,
                    s3_policy=mounts_policy(mounts, arns, self._kms_key) if mounts else None,
                ),
                opts=self._around.in_cluster,
            )
        ]

    def _lustre_volumes(
        self, systems: Mapping[str, LustreFileSystem], opts: pulumi.ResourceOptions
    ) -> Iterator[pulumi.Resource]:
        for spec in self._section.lustre:
            system = systems[spec.name]
            yield StaticVolume(
                f"lustre-{spec.name}-volume",
                StaticVolumeArgs(
                    driver=LUSTRE_DRIVER,
                    handle=system.file_system_id,
                    attributes={"dnsname": system.dns_name, "mountname": system.mount_name},
                    capacity_gib=system.capacity_gib,
                    namespaces=spec.namespaces,
                    claim=f"lustre-{spec.name}",
                    mount_options=LUSTRE_MOUNT_OPTIONS,
                    zone=None if spec.cross_zone else spec.zone,
                ),
                opts=self._after(opts, system),
            )

    def _efs_volumes(
        self, systems: Mapping[str, EfsFileSystem], opts: pulumi.ResourceOptions
    ) -> Iterator[pulumi.Resource]:
        for spec in self._section.efs:
            system = systems[spec.name]
            after = self._after(opts, system)
            for point in spec.access_points:
                yield StaticVolume(
                    f"efs-{spec.name}-{point.name}-volume",
                    StaticVolumeArgs(
                        driver=EFS_DRIVER,
                        handle=system.volume_handle(point.name),
                        attributes={},
                        capacity_gib=SHOWN_GIB,
                        namespaces=point.namespaces,
                        claim=f"efs-{spec.name}-{point.name}",
                    ),
                    opts=after,
                )

    def _classes(
        self, group: LustreSecurityGroup | None, efs: Mapping[str, EfsFileSystem], opts: pulumi.ResourceOptions
    ) -> Iterator[pulumi.Resource]:
        with_class = [spec for spec in self._section.efs if spec.storage_class is not None]
        if not with_class and not self._section.lustre_classes:
            return
        classes = StorageClasses("storage-classes", opts=opts)
        yield classes
        parent = pulumi.ResourceOptions(parent=classes)
        for spec in self._section.lustre_classes:
            create_lustre_class(
                f"lustre-class-{spec.name}",
                spec,
                subnet_id=self._around.subnet_ids[spec.zone],
                security_group_id=group.security_group_id if group else "",
                tags=self._around.tags,
                opts=self._after(parent, *([group] if group else [])),
            )
        for system in with_class:
            if system.storage_class is not None:
                create_efs_class(
                    f"efs-class-{system.name}",
                    system,
                    system.storage_class,
                    file_system_id=efs[system.name].file_system_id,
                    opts=self._after(parent, efs[system.name]),
                )

    def _access(self, buckets: Mapping[str, Bucket]) -> None:
        access_for(
            "bucket-access",
            self._section.bucket_access,
            cluster_name=self._around.cluster.name,
            bucket_arns={name: bucket.arn for name, bucket in buckets.items()},
            kms_key_arn=self._kms_key,
            role_rules=self._around.role_rules,
            opts=self._after(self._around.in_cluster, *self._namespaces),
        )
