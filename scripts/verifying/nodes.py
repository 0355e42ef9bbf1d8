"""Nodes: there, Ready, open to pods, and as many as the pools promise."""

from __future__ import annotations

from collections.abc import Iterator

from components.catalog.csi import STARTUP_TAINTS
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from scripts.findings import Finding
from scripts.verifying.cluster import Check, Object, called, condition, labels, name, why
from stacks.node_pools import NodePool

TROUBLES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
"""Conditions of a node that are bad when True (Kubernetes documentation, "Node Status", read 2026-11-30)."""


class Nodes(Check):
    """Every node of the cluster, ours or not."""

    name = "nodes"
    kinds = ("nodes",)

    def check(self) -> Iterator[Finding]:
        nodes = self.cluster.of("Node")
        if not nodes:
            yield self.error(
                "Node",
                "none",
                "The cluster has no node, so nothing runs in it.",
                "look at the managed node group: aws eks describe-nodegroup; or at its Auto Scaling group's activities",
            )
            return
        if not any(labels(node).get(ROLE_LABEL) == SYSTEM_ROLE for node in nodes):
            yield self.error(
                "Node",
                f"{len(nodes)} nodes, none with {ROLE_LABEL}={SYSTEM_ROLE}",
                "No system node is there, and operators run on these.",
                "look at the managed node group `system`, or put the label back",
            )
        for node in nodes:
            yield from self._one(node)
        for pool, members in self.cluster.pools():
            yield from self._count(pool, members)

    def _one(self, node: Object) -> Iterator[Finding]:
        ready = condition(node, "Ready")
        if ready.get("status") != "True":
            yield self.error(
                called(node),
                f"Ready={ready.get('status', 'never said')}",
                f"The node takes no pods ({why(ready)}).",
                f"kubectl describe node {name(node)}; if it stays, delete its NodeClaim and Karpenter starts another",
            )
        for kind in TROUBLES:
            if (seen := condition(node, kind)).get("status") == "True":
                yield self.warning(
                    called(node), kind, f"The kubelet reports it ({why(seen)}).", f"kubectl describe node {name(node)}"
                )
        spec = node.get("spec") or {}
        if spec.get("unschedulable"):
            yield self.warning(
                called(node),
                "cordoned",
                "New pods do not come to it.",
                f"kubectl uncordon {name(node)}, unless someone works on it",
            )
        waits = [taint["key"] for taint in spec.get("taints") or [] if taint["key"] in STARTUP_TAINTS.values()]
        if waits and ready.get("status") == "True":
            yield self.error(
                called(node),
                waits,
                "Its CSI driver has not lifted its startup taint, and until then no job starts there.",
                "look at the driver's pod on this node (kubectl get pods -n kube-system -o wide), and at its log",
            )

    def _count(self, pool: NodePool, members: list[Object]) -> Iterator[Finding]:
        ready = sum(condition(node, "Ready").get("status") == "True" for node in members)
        about = f"NodePool/{pool.node_pool_name}"
        if pool.nodes.fixed is not None and ready < pool.nodes.fixed:
            yield self.error(
                about,
                f"{ready} of {pool.nodes.fixed} nodes Ready",
                "The pool promises a fixed number of nodes.",
                f"kubectl get nodeclaims -l karpenter.sh/nodepool={pool.node_pool_name} and their events; "
                "./scripts/preflight for reservations and quotas",
            )
        elif not members:
            yield self.note(
                about,
                "no node",
                "A pool that grows on demand is empty, so devices, zone, group and plugins were not looked at.",
                "start a job on it (./scripts/verify --bandwidth starts one), then verify again",
            )
        if len(members) > pool.nodes.most:
            yield self.warning(
                about,
                f"{len(members)} nodes",
                f"The file allows {pool.nodes.most}.",
                "kubectl get nodeclaims; nodes made by hand carry the pool's label",
            )
