"""Whether EC2 says of each type what the catalog says: EFA, placement groups, accelerators, how it is sold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.ec2_answers import cells, differs
from components.catalog.instance_types import rows
from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject
from stacks.node_pools import NodePool
from stacks.pool_capacity import USAGE_CLASS

Cells = Mapping[str, str]

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "efa_interfaces": ("efa-instance-supported", "efa-count-per-instance"),
    "network_cards": ("efa-stack-complete",),
    "static_layout": ("efa-stack-complete",),
    "accelerator": ("gpu-label-matches-hardware",),
    "accelerator_count": ("gpu-label-matches-hardware", "neuron-core-vs-device"),
    "neuron_cores_per_device": ("neuron-core-vs-device",),
    "vcpu": (),
    "ipv4_per_eni": (),
}
"""Columns of the catalog by which nodes are laid out, with the constraints that rest on them."""


class Hardware(Concern):
    """Of every accelerated pool's type and the system nodes', the catalog and EC2 agree."""

    name = "hardware"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._types = sorted({pool.instance_type for _, pool in subject.pools()} | {self._system})
        self._told = Question(about="what the types are made of", rights="ec2:DescribeInstanceTypes", ask=self._ask)

    @property
    def _system(self) -> str:
        return self.environment.system_nodes.instance_type

    def questions(self) -> Sequence[Question[Any]]:
        return [self._told]

    def _ask(self, aws: Aws) -> Mapping[str, Cells]:
        # By a filter, not by InstanceTypes: one type that the region does not know would fail the whole call.
        found = aws.pages(
            "ec2",
            "describe_instance_types",
            "InstanceTypes",
            Filters=[{"Name": "instance-type", "Values": self._types}],
        )
        return {answer["InstanceType"]: cells(answer) for answer in found}

    def check(self, answers: Answers) -> Iterator[Finding]:
        told, ours = answers[self._told], {row["instance_type"]: row for row in rows()}
        compared: set[str] = set()
        for path, pool in self.subject.pools():
            if (answer := told.get(pool.instance_type)) is None:
                continue
            yield from self._pool(path, pool, answer)
            if pool.instance_type not in compared:
                compared.add(pool.instance_type)
                yield from self._compare(f"{path}.instanceType", ours[pool.instance_type], answer)
        if self._system in told:
            yield from self._compare("systemNodes.instanceType", ours[self._system], told[self._system])

    def _compare(self, field: str, ours: Cells, theirs: Cells) -> Iterator[Finding]:
        for column, constraints in _COLUMNS.items():
            if ours[column] and differs(column, ours[column], theirs[column]):
                yield self.error(
                    field,
                    ours["instance_type"],
                    f"EC2 says {column} {theirs[column]}, the catalog {ours[column]}: nodes would be laid out wrongly.",
                    "compare and correct the catalog: ./scripts/catalog refresh --write",
                    *constraints,
                )

    def _pool(self, path: str, pool: NodePool, answer: Cells) -> Iterator[Finding]:
        if pool.efa_mode != "off" and answer["efa_interfaces"] in ("", "0"):
            yield self.error(
                f"{path}.efa",
                pool.efa_mode,
                f"EC2 says that {pool.instance_type} has no EFA.",
                "set efa: off, or use a type with EFA",
                "efa-instance-supported",
            )
        strategies = answer["placement_strategies"].split()
        if pool.placement_group not in (None, "none") and "cluster" not in strategies:
            yield self.error(
                f"{path}.placementGroup",
                pool.placement_group if isinstance(pool.placement_group, str) else pool.existing_placement_group,
                f"EC2 puts {pool.instance_type} into groups of strategy {' and '.join(strategies) or 'none'} only.",
                "set placementGroup: none",
                "pg-cluster-strategy-for-performance",
            )
        sold, wanted = answer["usage_classes"].split(), USAGE_CLASS[pool.capacity.kind]
        if sold and wanted not in sold:
            yield self.error(
                f"{path}.capacity.kind",
                pool.capacity.kind,
                f"EC2 sells {pool.instance_type} as {' and '.join(sold)}, not as {wanted}.",
                "buy it in one of these ways, or use another type",
            )
