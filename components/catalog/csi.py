"""CSI drivers: their names, the taint that each lifts once it can mount, and the add-ons that install them.

Read on 2026-11-29 in the drivers' own repositories: kubernetes-sigs/aws-fsx-csi-driver 5b227125 (v1.9.0, chart 1.17.0),
kubernetes-sigs/aws-efs-csi-driver a4fc6760 (v3.4.1, chart 4.4.1), awslabs/mountpoint-s3-csi-driver 57c6bedb (v2.7.0),
kubernetes-sigs/aws-ebs-csi-driver 429e202e (v1.64.0, chart 2.64.0).
"""

from collections.abc import Mapping
from types import MappingProxyType

from components.catalog.addon import Addon

LUSTRE_DRIVER = "fsx.csi.aws.com"
EFS_DRIVER = "efs.csi.aws.com"
S3_DRIVER = "s3.csi.aws.com"
EBS_DRIVER = "ebs.csi.aws.com"
"""Installed in every cluster."""

STARTUP_TAINT_EFFECT = "NoExecute"
"""Any effect is lifted; all four drivers' docs recommend this one."""

STARTUP_TAINTS: Mapping[str, str] = MappingProxyType(
    {driver: f"{driver}/agent-not-ready" for driver in (EBS_DRIVER, LUSTRE_DRIVER, EFS_DRIVER, S3_DRIVER)}
)
"""Driver -> key of the taint that its node pod lifts when it is ready (`AgentNotReadyNodeTaintKey` in its code).

A taint whose driver is not installed is never lifted, and its node never gets a pod.
"""

STORAGE_ADDONS: Mapping[str, Addon] = MappingProxyType(
    {
        LUSTRE_DRIVER: Addon(
            name="aws-fsx-csi-driver",
            before_nodes=False,
            service_account="fsx-csi-controller-sa",
            # Not AmazonFSxFullAccess, which may delete every file system of the account: components/storage/drivers.py.
            policy=None,
            source="aws-fsx-csi-driver v1.9.0, charts/ and docs/install.md (read 2026-11-29)",
        ),
        EFS_DRIVER: Addon(
            name="aws-efs-csi-driver",
            before_nodes=False,
            # Its nodes have an account too (efs-csi-node-sa), which needs rights for S3 Files only: none is given.
            service_account="efs-csi-controller-sa",
            policy="service-role/AmazonEFSCSIDriverPolicy",
            source="aws-efs-csi-driver v3.4.1, charts/ and docs/iam-policy-create.md (read 2026-11-29)",
        ),
        S3_DRIVER: Addon(
            name="aws-mountpoint-s3-csi-driver",
            before_nodes=False,
            service_account="s3-csi-driver-sa",
            policy=None,
            source="mountpoint-s3-csi-driver v2.7.0, charts/ and docs/CONFIGURATION.md (read 2026-11-29)",
        ),
    }
)
"""Driver -> the add-on that installs it, for the drivers that only some clusters need."""
