"""CSI drivers that only some storage needs, as EKS add-ons; the one for EBS comes with every cluster."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from components.addon import AddonArgs, create_addon
from components.catalog.csi import LUSTRE_DRIVER, S3_DRIVER, STORAGE_ADDONS
from components.catalog.labels import ZONE_TAG
from components.identity import NO_RULES, RoleRules

VOLUME_TAG = "CSIVolumeName"
"""Tag of every file system that the Lustre driver makes. Source: aws-fsx-csi-driver v1.9.0, pkg/cloud/cloud.go."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageDriversArgs:
    """The drivers of one cluster."""

    cluster_name: pulumi.Input[str]
    """A change REPLACES every add-on."""
    drivers: Sequence[str]
    """CSI drivers of components.catalog.csi, without the one for EBS. One that goes takes its add-on with it, and its
    claims must be gone before."""
    versions: Mapping[str, str]
    """Add-on -> version, as in the environment. One that is missing is EKS' default on the day of the update."""
    partition: str
    role_rules: RoleRules = NO_RULES
    s3_policy: pulumi.Input[str] | None = None
    """What the S3 driver may do in the buckets that it mounts: JSON text."""


class StorageDrivers(pulumi.ComponentResource):
    """An add-on for each driver, with a role for the account that calls AWS.

    Whatever uses a driver depends on this component, so that it is still there while volumes are taken down.
    """

    def __init__(self, name: str, args: StorageDriversArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:StorageDrivers", name, {}, opts)
        rights: Mapping[str, pulumi.Input[str] | None] = {
            LUSTRE_DRIVER: lustre_policy(args.partition),
            S3_DRIVER: args.s3_policy,
        }
        for driver in args.drivers:
            addon = STORAGE_ADDONS[driver]
            create_addon(
                f"{name}-{addon.name}",
                AddonArgs(
                    addon=addon,
                    cluster_name=args.cluster_name,
                    version=args.versions.get(addon.name),
                    partition=args.partition,
                    role_rules=args.role_rules,
                    settings=driver_settings(driver),
                    policy=rights.get(driver),
                ),
                opts=pulumi.ResourceOptions(parent=self),
            )
        self._warn_of_open_versions(args)
        self.register_outputs({})

    def _warn_of_open_versions(self, args: StorageDriversArgs) -> None:
        names = [STORAGE_ADDONS[driver].name for driver in args.drivers]
        if unsaid := [name for name in names if name not in args.versions]:
            pulumi.log.warn(
                f"cluster.addonVersions names no version of {', '.join(unsaid)}, which storage needs: EKS installs its "
                f"default of the day. Take it from: aws eks describe-addon-versions --addon-name {unsaid[0]}"
            )


def driver_settings(driver: str) -> Mapping[str, Any]:
    """What an add-on is told; little, since its schema refuses the whole add-on for one key that it does not know.

    All four node pods tolerate every taint by default: accelerators', startup taints and those of a zone in trouble
    (charts of fsx 1.17.0, efs 4.4.1, s3 2.7.0, ebs 2.64.0). The S3 driver did not always, and its add-on takes the key
    (awslabs/mountpoint-s3-csi-driver, pull request 654 and issue 784): said, for older versions.
    The EFS driver gets no tags for access points: AmazonEFSCSIDriverPolicy forbids any but its own (`aws:TagKeys`).
    """
    return {"node": {"tolerateAllTaints": True}} if driver == S3_DRIVER else {}


def lustre_policy(partition: str) -> str:
    """What the Lustre driver calls, on file systems of its own making only.

    AmazonFSxFullAccess, which its docs attach, may delete every file system of the account, protected ones of ours
    included. The calls are those of pkg/cloud/cloud.go; the service-linked role is what AWS makes with the account's
    first file system. No S3: classes have no data repository. Source: aws-fsx-csi-driver v1.9.0, docs/install.md and
    pkg/cloud/cloud.go; FSx user guide, "Using tags with Amazon FSx" (read 2026-11-29).
    """
    own, made_by_stack = ({"Null": {f"aws:ResourceTag/{tag}": "false"}} for tag in (VOLUME_TAG, ZONE_TAG))
    statements: list[dict[str, Any]] = [
        {"Sid": "Find", "Effect": "Allow", "Action": ["fsx:DescribeFileSystems"], "Resource": "*"},
        {
            "Sid": "MakeWithItsTag",
            "Effect": "Allow",
            "Action": ["fsx:CreateFileSystem", "fsx:TagResource"],
            "Resource": "*",
            "Condition": {"Null": {f"aws:RequestTag/{VOLUME_TAG}": "false"}},
        },
        {
            "Sid": "GrowAndDeleteItsOwn",
            "Effect": "Allow",
            "Action": ["fsx:UpdateFileSystem", "fsx:DeleteFileSystem"],
            "Resource": "*",
            "Condition": own,
        },
        {
            # Or it could put its tag on one of ours and then delete it.
            "Sid": "LeaveOursAlone",
            "Effect": "Deny",
            "Action": ["fsx:UpdateFileSystem", "fsx:DeleteFileSystem", "fsx:TagResource", "fsx:UntagResource"],
            "Resource": "*",
            "Condition": made_by_stack,
        },
        {
            "Sid": "ServiceLinkedRole",
            "Effect": "Allow",
            "Action": ["iam:CreateServiceLinkedRole"],
            "Resource": f"arn:{partition}:iam::*:role/aws-service-role/fsx.amazonaws.com/*",
            "Condition": {"StringEquals": {"iam:AWSServiceName": "fsx.amazonaws.com"}},
        },
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, sort_keys=True)
