"""Devices: each node of a pool offers what the catalog says that its EC2 type has, EFA among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.catalog.counts import EFA_RESOURCE
from components.catalog.karpenter import INSTANCE_TYPE
from scripts.findings import Finding
from scripts.verifying.cluster import Check, Object, called, devices, labels
from stacks.node_pools import NodePool


class Devices(Check):
    """What the kubelet has from the device plugins, against components/catalog/data/instances.csv."""

    name = "devices"
    kinds = ("nodes",)

    def check(self) -> Iterator[Finding]:
        for pool, members in self.cluster.pools():
            for node in members:
                seen = labels(node).get(INSTANCE_TYPE)
                if seen is not None and seen != pool.instance_type:
                    yield self.error(
                        called(node),
                        f"{INSTANCE_TYPE}={seen}",
                        f"Pool '{pool.name}' has {pool.instance_type} only.",
                        "drain the node and delete its NodeClaim; Karpenter starts one of the right type",
                    )
                else:
                    yield from self._devices(pool, node)

    def _devices(self, pool: NodePool, node: Object) -> Iterator[Finding]:
        status = node.get("status") or {}
        for resource, expected in devices(pool).items():
            has, open_ = (_count(status.get(key) or {}, resource) for key in ("capacity", "allocatable"))
            efa = ("efa-stack-complete",) if resource == EFA_RESOURCE else ()
            if resource == EFA_RESOURCE and pool.efa_mode == "onRequest" and not has:
                # Karpenter lays interfaces out for the pods that it starts the node for.
                yield self.note(
                    called(node),
                    f"0 {resource}",
                    "The node was started for pods that do not ask for EFA.",
                    "nothing, unless a job on it should use EFA: then its pods must ask for the devices",
                )
            elif not has:
                yield self.error(
                    called(node),
                    f"0 of {expected} {resource}",
                    _missing(resource, pool),
                    "look at the plugin's pod and its log on this node"
                    + ("; then at the interfaces that EC2 shows of the instance" if efa else ""),
                    *efa,
                )
            elif has != expected:
                yield self.error(
                    called(node),
                    f"{has} of {expected} {resource}",
                    f"A {pool.instance_type} has {expected}. "
                    + ("More of them means that they are shared or sliced." if has > expected else ""),
                    "correct the plugin's settings (platform.…values), or the row in components/catalog/data/"
                    "instances.csv if AWS changed the type"
                    if has > expected
                    else "replace the node (delete its NodeClaim); if the next one has as few, ask AWS",
                    *efa,
                )
            elif open_ < has:
                yield self.error(
                    called(node),
                    f"{open_} of {has} {resource} allocatable",
                    "The plugin reports the rest as broken, and a job that wants a whole node waits for ever.",
                    "drain the node and delete its NodeClaim; a broken device stays broken",
                    *efa,
                )


def _count(amounts: Mapping[str, str], resource: str) -> int:
    return int(amounts.get(resource) or 0)


def _missing(resource: str, pool: NodePool) -> str:
    if resource != EFA_RESOURCE:
        return "No plugin has registered the devices, so no pod gets one."
    return (
        "The node offers no EFA: jobs that ask for it wait, and those that do not ask train over TCP."
        if pool.efa_mode == "static"
        else "The node offers no EFA."
    )
