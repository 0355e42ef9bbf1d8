"""A VPC of another team: its DNS, and of each subnet the zone, the VPC and the addresses that are free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scripts.findings import Finding
from scripts.preflighting import standing
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.placeholders import is_placeholder
from scripts.preflighting.subject import Subject
from stacks.addresses import asks_in


class Subnets(Concern):
    """What `network.existing` says, against EC2."""

    name = "subnets"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._existing = self.environment.network.existing
        self._dns: dict[str, Question[bool]] = {}
        if self._existing is not None and not is_placeholder(self._existing.vpc_id):
            for attribute in ("enableDnsSupport", "enableDnsHostnames"):
                self._dns[attribute] = self._question(self._existing.vpc_id, attribute)

    @staticmethod
    def _question(vpc: str, attribute: str) -> Question[bool]:
        def ask(aws: Aws) -> bool:
            answer = aws.ec2.describe_vpc_attribute(VpcId=vpc, Attribute=attribute)
            return bool(answer[attribute[0].upper() + attribute[1:]]["Value"])

        return Question(
            about=f"{attribute} of {vpc}",
            rights="ec2:DescribeVpcAttribute",
            ask=ask,
            absent=("InvalidVpcID.NotFound",),
        )

    def questions(self) -> Sequence[Question[Any]]:
        return [standing.VPCS, standing.SUBNETS, *self._dns.values()] if self._existing is not None else []

    def check(self, answers: Answers) -> Iterator[Finding]:
        if self._existing is None or is_placeholder(self._existing.vpc_id):
            return
        vpc = next((each for each in answers[standing.VPCS] if each["VpcId"] == self._existing.vpc_id), None)
        if vpc is None:
            yield self.error(
                "network.existing.vpcId",
                self._existing.vpc_id,
                f"This account sees no such VPC in {self.subject.region}.",
                "correct the id, or log in to its account",
            )
            return
        if self._existing.cidr not in [each["CidrBlock"] for each in vpc.get("CidrBlockAssociationSet", [vpc])]:
            yield self.error(
                "network.existing.cidr",
                self._existing.cidr,
                f"The VPC's block is {vpc['CidrBlock']}.",
                f"set cidr: {vpc['CidrBlock']}",
            )
        for attribute, question in self._dns.items():
            if answers.maybe(question) is False:
                yield self.error(
                    "network.existing.vpcId",
                    self._existing.vpc_id,
                    f"{attribute} is off: nodes never find the private API.",
                    f"aws ec2 modify-vpc-attribute --vpc-id {self._existing.vpc_id} --"
                    f"{'enable-dns-support' if attribute.endswith('Support') else 'enable-dns-hostnames'}",
                )
        subnets = {each["SubnetId"]: each for each in answers[standing.SUBNETS]}
        for zone, name in self._existing.private_subnets.items():
            if not is_placeholder(name):
                yield from self._one(zone, name, subnets.get(name))

    def _one(self, zone: str, name: str, subnet: dict[str, Any] | None) -> Iterator[Finding]:
        field = f"network.existing.privateSubnets.{zone}"
        if subnet is None:
            yield self.error(
                field, name, f"This account sees no such subnet in {self.subject.region}.", "correct the id"
            )
            return
        if subnet["AvailabilityZone"] != zone:
            yield self.error(
                field,
                name,
                f"It lies in {subnet['AvailabilityZone']}: pools of {zone} would start there, apart from their disks.",
                f"name a subnet in {zone}",
                "net-subnet-zone-agreement",
                "net-single-az-communication",
            )
        if self._existing is not None and subnet["VpcId"] != self._existing.vpc_id:
            yield self.error(field, name, f"It is of {subnet['VpcId']}.", f"name a subnet of {self._existing.vpc_id}")
        if subnet.get("MapPublicIpOnLaunch"):
            yield self.error(
                field,
                name,
                "It gives public addresses, which EC2 refuses to nodes with several interfaces.",
                "name a private subnet",
                "efa-stack-complete",
            )
        environment = self.environment
        asks = list(
            asks_in(
                zone, environment.node_pools, environment.general_pools, environment.system_nodes, environment.network
            )
        )
        needed, free = sum(ask.addresses for ask in asks), int(subnet["AvailableIpAddressCount"])
        if needed > free:
            yield self.error(
                field,
                name,
                f"It has {free} free addresses; nodes and pods can ask for {needed}: "
                f"{' + '.join(str(ask) for ask in asks if ask.nodes)}.",
                f"name a wider subnet, or lower nodes.max of the pools in {zone}",
            )
