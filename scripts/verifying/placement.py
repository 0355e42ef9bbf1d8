"""Placement: all nodes of a pool in its one zone, and in its one placement group."""

from __future__ import annotations

from collections.abc import Iterator

from components.catalog.karpenter import PLACEMENT_GROUP, ZONE
from scripts.findings import Finding
from scripts.verifying.cluster import Check, Object, called, labels, name
from stacks.node_pools import NodePool

_REPLACE = "drain it and delete its NodeClaim; Karpenter starts another where the pool says"


class Placement(Check):
    """By the labels that the cloud provider and Karpenter put on nodes."""

    name = "placement"
    kinds = ("nodes",)

    def check(self) -> Iterator[Finding]:
        for pool, members in self.cluster.pools():
            for node in members:
                seen = labels(node).get(ZONE)
                if seen != pool.zone:
                    yield self.error(
                        called(node),
                        f"{ZONE}={seen}",
                        f"Pool '{pool.name}' lies in {pool.zone}, and EFA traffic does not leave a zone.",
                        _REPLACE,
                    )
            if pool.creates_placement_group or pool.existing_placement_group is not None:
                yield from self._group(pool, members)

    def _group(self, pool: NodePool, members: list[Object]) -> Iterator[Finding]:
        groups: dict[str, list[Object]] = {}
        for node in members:
            groups.setdefault(labels(node).get(PLACEMENT_GROUP, ""), []).append(node)
        for node in groups.pop("", []):
            yield self.error(
                called(node),
                f"no {PLACEMENT_GROUP}",
                f"The node is in no placement group and pool '{pool.name}' has one: others may be far away.",
                f"compare it with EC2 (aws ec2 describe-instances, Placement); {_REPLACE}",
            )
        expected = pool.existing_placement_group
        for group, nodes in groups.items():
            if expected is not None and group != expected:
                yield self.error(
                    f"NodePool/{pool.node_pool_name}",
                    f"{group}: {', '.join(map(name, nodes))}",
                    f"The file names {expected}.",
                    f"for each of them: {_REPLACE}",
                )
        if len(groups) > 1:
            yield self.error(
                f"NodePool/{pool.node_pool_name}",
                {group: len(nodes) for group, nodes in sorted(groups.items())},
                "The nodes lie in more than one placement group; the group was changed and the old ones still run.",
                "let the old ones drain in a maintenance window, or delete their NodeClaims",
            )
