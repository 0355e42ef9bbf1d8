"""An EFS file system: encrypted at rest and on its way, reached from every zone, entered through access points."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from stacks.efs import AccessPoint, EfsSpec

NFS_PORT = 2049
SHOWN_GIB = 1
"""Size to show on volumes of EFS, which has none: Kubernetes wants a number, and it is no quota."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EfsFileSystemArgs:
    """One file system of the environment and what it is reached through."""

    spec: EfsSpec
    """With `existing` only its access points are made, and vpc_id, subnets, clients and key mean nothing."""
    vpc_id: pulumi.Input[str]
    """A change REPLACES the security group."""
    subnet_ids: Mapping[str, pulumi.Input[str]]
    """Zone -> private subnet. A change REPLACES the mount target of that zone; mounts there hang meanwhile."""
    client_security_group_id: pulumi.Input[str]
    """The group that every node carries. A change REPLACES the rule."""
    protect: bool
    """Refuse to delete or replace the file system."""
    kms_key_arn: pulumi.Input[str] | None = None
    """Customer key; without one EFS uses the account's own for EFS. A change REPLACES the file system."""


class EfsFileSystem(pulumi.ComponentResource):
    """File system, policy, backups, a mount target for each zone, and access points.

    Volumes depend on the whole component: a mount before its zone's target is there fails, and one that outlives it
    hangs.
    """

    file_system_id: pulumi.Output[str]
    access_point_ids: Mapping[str, pulumi.Output[str]]
    """Name of an access point -> its id."""

    def __init__(self, name: str, args: EfsFileSystemArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:EfsFileSystem", name, {}, opts)
        self._name, self._child = name, pulumi.ResourceOptions(parent=self)
        if args.spec.existing is None:
            self.file_system_id = self._make(args)
        else:
            self.file_system_id = pulumi.Output.from_input(args.spec.existing.id)
        self.access_point_ids = {point.name: self._access_point(point) for point in args.spec.access_points}
        self.register_outputs({"fileSystemId": self.file_system_id})

    def volume_handle(self, access_point: str) -> pulumi.Output[str]:
        """The CSI driver's name of an access point: `fs-…::fsap-…` (aws-efs-csi-driver v3.4.1, parseVolumeId)."""
        return pulumi.Output.concat(self.file_system_id, "::", self.access_point_ids[access_point])

    def _make(self, args: EfsFileSystemArgs) -> pulumi.Output[str]:
        spec = args.spec
        made = aws.efs.FileSystem(
            self._name,
            encrypted=True,
            kms_key_id=args.kms_key_arn,
            # The other mode knows neither elastic throughput nor low latency.
            performance_mode="generalPurpose",
            throughput_mode=spec.throughput_mode,
            provisioned_throughput_in_mibps=spec.provisioned_mibps,
            lifecycle_policies=_lifecycle(spec.infrequent_access_after_days),
            tags={"Name": self._name},
            opts=self._child.merge(pulumi.ResourceOptions(protect=args.protect)),
        )
        policy = aws.efs.FileSystemPolicy(
            f"{self._name}-policy", file_system_id=made.id, policy=tls_only_policy(made.arn), opts=self._child
        )
        aws.efs.BackupPolicy(
            f"{self._name}-backups",
            file_system_id=made.id,
            # Said either way: AWS' default depends on how a file system is made.
            backup_policy=aws.efs.BackupPolicyBackupPolicyArgs(status="ENABLED" if spec.backups else "DISABLED"),
            opts=self._child,
        )
        group = self._group(args)
        for zone, subnet in args.subnet_ids.items():
            aws.efs.MountTarget(
                f"{self._name}-{zone}",
                file_system_id=made.id,
                subnet_id=subnet,
                security_groups=[group],
                opts=self._child.merge(
                    pulumi.ResourceOptions(
                        # Nobody gets in before the policy holds.
                        depends_on=[policy],
                        # A zone takes one target of a file system.
                        delete_before_replace=True,
                    )
                ),
            )
        return made.id

    def _group(self, args: EfsFileSystemArgs) -> pulumi.Output[str]:
        group = aws.ec2.SecurityGroup(
            f"{self._name}-sg",
            vpc_id=args.vpc_id,
            description="EFS: NFS from the cluster's nodes",
            revoke_rules_on_delete=True,
            tags={"Name": self._name},
            opts=self._child,
        )
        # No way out: EFS opens no connections, and answers come back by themselves.
        aws.vpc.SecurityGroupIngressRule(
            f"{self._name}-in-nodes",
            security_group_id=group.id,
            referenced_security_group_id=args.client_security_group_id,
            ip_protocol="tcp",
            from_port=NFS_PORT,
            to_port=NFS_PORT,
            description="NFS from the cluster's nodes",
            opts=self._child,
        )
        return group.id

    def _access_point(self, point: AccessPoint) -> pulumi.Output[str]:
        made = aws.efs.AccessPoint(
            f"{self._name}-{point.name}",
            file_system_id=self.file_system_id,
            # Whoever mounts it acts as this user, whatever the pod runs as.
            posix_user=aws.efs.AccessPointPosixUserArgs(uid=point.uid, gid=point.gid),
            root_directory=aws.efs.AccessPointRootDirectoryArgs(
                path=point.path,
                # Without it the first mount of a directory that is not there fails.
                creation_info=aws.efs.AccessPointRootDirectoryCreationInfoArgs(
                    owner_uid=point.uid, owner_gid=point.gid, permissions=point.permissions
                ),
            ),
            tags={"Name": f"{self._name}-{point.name}"},
            opts=self._child,
        )
        return made.id


def tls_only_policy(file_system_arn: pulumi.Input[str]) -> pulumi.Output[str]:
    """Clients with TLS mount and write, through mount targets only and without root's rights.

    The network decides who is a client: pods have no AWS identity at the mount. A policy takes the place of EFS'
    default, which lets anyone in, so it has to allow what is wanted. Without ClientRootAccess root is nobody, which
    leaves access points as the only way to files. Source: EFS user guide, "Using IAM to control access to file
    systems" (read 2026-11-29).
    """
    return pulumi.Output.json_dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "MountAndWrite",
                    "Effect": "Allow",
                    "Principal": {"AWS": "*"},
                    "Action": ["elasticfilesystem:ClientMount", "elasticfilesystem:ClientWrite"],
                    "Resource": file_system_arn,
                    "Condition": {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}},
                },
                {
                    "Sid": "DenyWithoutTls",
                    "Effect": "Deny",
                    "Principal": {"AWS": "*"},
                    "Action": "*",
                    "Resource": file_system_arn,
                    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                },
            ],
        }
    )


def _lifecycle(idle_days: int | None) -> list[aws.efs.FileSystemLifecyclePolicyArgs]:
    """EFS wants an object for each transition."""
    if idle_days is None:
        return []
    unit = "DAY" if idle_days == 1 else "DAYS"
    return [
        aws.efs.FileSystemLifecyclePolicyArgs(transition_to_ia=f"AFTER_{idle_days}_{unit}"),
        # Otherwise a file that is in use again pays for each read, for good.
        aws.efs.FileSystemLifecyclePolicyArgs(transition_to_primary_storage_class="AFTER_1_ACCESS"),
    ]
