"""EKS add-ons that every cluster gets, and all that this project may install.

Their versions are open: no source outside an account lists them (`aws eks describe-addon-versions` does), so each
environment names its own in `cluster.addonVersions`, a preview warns of those it does not, and preflight refuses them.
"""

from collections.abc import Mapping
from types import MappingProxyType

from components.catalog.addon import Addon
from components.catalog.csi import STORAGE_ADDONS

ADDONS: Mapping[str, Addon] = MappingProxyType(
    {
        addon.name: addon
        for addon in (
            Addon(name="eks-pod-identity-agent", before_nodes=True),
            Addon(name="kube-proxy", before_nodes=True),
            Addon(name="vpc-cni", before_nodes=True, service_account="aws-node", policy="AmazonEKS_CNI_Policy"),
            Addon(name="coredns", before_nodes=False),
            Addon(
                name="aws-ebs-csi-driver",
                before_nodes=False,
                service_account="ebs-csi-controller-sa",
                policy="service-role/AmazonEBSCSIDriverPolicy",
            ),
            Addon(name="eks-node-monitoring-agent", before_nodes=False),
            Addon(name="metrics-server", before_nodes=False),
        )
    }
)
"""Name -> add-on, in the order of installation."""

ALL_ADDONS: Mapping[str, Addon] = MappingProxyType(
    {**ADDONS, **{addon.name: addon for addon in STORAGE_ADDONS.values()}}
)
"""Name -> add-on: those of every cluster, and those that only some storage needs."""
