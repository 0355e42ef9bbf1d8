"""Karpenter's own word: pools and classes accepted, every machine it started joined."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.findings import Finding
from scripts.verifying.cluster import Check, Object, called, condition, why

STEPS = ("Launched", "Registered", "Initialized")
"""Conditions of a NodeClaim, in the order in which they become True (CRD of Karpenter 1.15.2)."""


class Karpenter(Check):
    """EC2NodeClasses, NodePools and NodeClaims."""

    name = "karpenter"
    kinds = ("ec2nodeclasses.karpenter.k8s.aws", "nodepools.karpenter.sh", "nodeclaims.karpenter.sh")

    def check(self) -> Iterator[Finding]:
        made = {pool.node_pool_name for pool in self.environment.node_pools}
        made |= {pool.name for pool in self.environment.general_pools}
        there = {item["metadata"]["name"] for item in self.cluster.of("NodePool")}
        for missing in sorted(made - there):
            yield self.error(
                f"NodePool/{missing}",
                "missing",
                "The environment has this pool and the cluster has not.",
                "pulumi up; if it was deleted by hand: pulumi refresh first",
            )
        for item in [*self.cluster.of("EC2NodeClass"), *self.cluster.of("NodePool")]:
            yield from self._accepted(item)
        for claim in self.cluster.of("NodeClaim"):
            yield from self._joined(claim)

    def _accepted(self, item: Object) -> Iterator[Finding]:
        ready = condition(item, "Ready")
        if not ready:
            yield self.unknown(
                called(item),
                "no condition Ready",
                "Karpenter has not looked at it (in the sandbox no Karpenter runs).",
                "kubectl logs -n kube-system -l app.kubernetes.io/name=karpenter",
            )
        elif ready["status"] != "True":
            conditions = (item.get("status") or {}).get("conditions") or []
            failed = [each for each in conditions if each["status"] != "True" and each["type"] != "Ready"]
            said = "; ".join(f"{each['type']}: {why(each)}" for each in failed) or why(ready)
            yield self.error(
                called(item), f"Ready={ready['status']}", f"Nothing is started from it ({said}).", _way_out(said)
            )

    def _joined(self, claim: Object) -> Iterator[Finding]:
        late = next((step for step in STEPS if condition(claim, step).get("status") != "True"), None)
        if late is not None:
            yield self.error(
                called(claim),
                f"not {late}",
                f"A machine was asked for and is no node yet ({why(condition(claim, late))}).",
                f"kubectl describe nodeclaim {claim['metadata']['name']}; capacity: ./scripts/preflight; a node that "
                "does not register: its console output (aws ec2 get-console-output)",
            )


def _way_out(said: str) -> str:
    if "PlacementGroup" in said:
        return "the placement group is gone or not seen: pulumi up, and ec2:DescribePlacementGroups for Karpenter"
    if "AMI" in said:
        return "the image's alias resolves to nothing: nodeImage.amiRelease, ./scripts/preflight"
    return "kubectl describe it; ./scripts/preflight asks AWS about subnets, groups and images"
