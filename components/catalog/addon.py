"""What this project has to know of one EKS add-on."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Addon:
    """One add-on of the cluster."""

    name: str
    before_nodes: bool
    """True where nodes do not become ready without it; such an add-on has no pod that waits for a node of its own."""
    service_account: str | None = None
    """The account in kube-system that calls AWS, through Pod Identity."""
    policy: str | None = None
    """AWS-managed policy of that account's role; none where it calls nothing, or where the policy is one of ours."""
    source: str = "Amazon EKS user guide, add-on list (read 2026-11-29)"
