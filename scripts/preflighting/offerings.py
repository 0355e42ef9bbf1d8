"""Whether each zone offers the types that are to run in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject

Offered = Mapping[str, frozenset[str]]
"""Type -> the zones that offer it."""
MAX_VALUES = 200
"""How many values EC2 takes in one filter."""


class Offerings(Concern):
    """Every type is offered where it is to run; a finding names the zones that do offer it."""

    name = "offerings"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._offered = Question(
            about="which zones offer the types", rights="ec2:DescribeInstanceTypeOfferings", ask=self._ask
        )

    def questions(self) -> Sequence[Question[Any]]:
        return [self._offered]

    def _ask(self, aws: Aws) -> Offered:
        types = self.subject.types()
        found: dict[str, set[str]] = {name: set() for name in types}
        for entry in aws.pages(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone",
            Filters=[{"Name": "instance-type", "Values": types[:MAX_VALUES]}],
        ):
            found.setdefault(entry["InstanceType"], set()).add(entry["Location"])
        return {name: frozenset(zones) for name, zones in found.items()}

    def check(self, answers: Answers) -> Iterator[Finding]:
        offered, zones = answers[self._offered], self.environment.network.zones
        for path, pool in self.subject.pools():
            if pool.zone not in offered[pool.instance_type]:
                yield self._elsewhere(f"{path}.zone", pool.zone, pool.instance_type, offered)
        system = self.environment.system_nodes
        for zone in system.per_zone(zones):
            if zone not in offered[system.instance_type]:
                yield self._elsewhere("systemNodes.instanceType", zone, system.instance_type, offered)
        for path, general in self.subject.general_pools():
            for zone in general.zones_in(zones):
                if general.types and not any(zone in offered[facts.name] for facts in general.types):
                    yield self.error(
                        f"{path}.instanceFamilies",
                        list(general.instance_families),
                        f"{zone} offers none of their types between {general.min_vcpus} and {general.max_vcpus} vCPUs.",
                        f"add a family, or leave {zone} out of the pool's zones",
                    )

    def _elsewhere(self, field: str, zone: str, name: str, offered: Offered) -> Finding:
        there = offered[name]
        inside = sorted(there & set(self.environment.network.zones))
        if inside:
            way_out = f"use {' or '.join(inside)}, which the network has"
        elif there:
            way_out = f"add {' or '.join(sorted(there))} at the end of network.zones and use it"
        else:
            way_out = "use another region or another type"
        seen = zone if field.endswith(".zone") else name
        return self.error(
            field,
            seen,
            f"{zone} does not offer {name}. Offered in: {', '.join(sorted(there)) or 'no zone of the region'}.",
            way_out,
            "net-single-az-communication",
            "net-subnet-zone-agreement",
        )
