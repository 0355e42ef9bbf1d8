"""EKS add-ons that every cluster gets.

Their versions are open: no source outside an account lists them (`aws eks describe-addon-versions` does), so each
environment names its own in `cluster.addonVersions`, a preview warns of those it does not, and preflight refuses them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class Addon:
    """One add-on of the cluster."""

    name: str
    before_nodes: bool
    """True where nodes do not become ready without it; such an add-on has no pod that waits for a node of its own."""
    service_account: str | None = None
    """The account in kube-system that calls AWS, through Pod Identity."""
    policy: str | None = None
    """AWS-managed policy of that account's role."""
    source: str = "Amazon EKS user guide, add-on list (read 2026-11-29)"


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
