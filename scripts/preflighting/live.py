"""What an earlier `up` made and someone may have changed by hand: the EFA security group, public load balancers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.labels import EFA_LABEL
from scripts.findings import Finding
from scripts.preflighting import standing
from scripts.preflighting.asking import Answers, Question
from scripts.preflighting.concern import Concern

EFA_GROUPS: Question[standing.Found] = Question(
    about="whether the EFA security group still lets EFA through",
    rights="ec2:DescribeSecurityGroups",
    ask=lambda aws: aws.pages(
        "ec2",
        "describe_security_groups",
        "SecurityGroups",
        Filters=[{"Name": f"tag:{EFA_LABEL}", "Values": ["true"]}],
    ),
)
BALANCERS: Question[standing.Found] = Question(
    about="whether a load balancer is open to the world",
    rights="elasticloadbalancing:DescribeLoadBalancers",
    ask=lambda aws: aws.pages("elbv2", "describe_load_balancers", "LoadBalancers"),
)
EVERYTHING = "-1"


class Live(Concern):
    """Nothing of ours was found changed. Silent before the first `up`."""

    name = "live"

    def questions(self) -> Sequence[Question[Any]]:
        return [EFA_GROUPS, BALANCERS, standing.VPCS]

    def check(self, answers: Answers) -> Iterator[Finding]:
        for group in answers.maybe(EFA_GROUPS) or ():
            if self.subject.is_ours(group.get("Tags")):
                yield from self._group(group)
        ours = {vpc["VpcId"] for vpc in answers.maybe(standing.VPCS) or () if self.subject.is_ours(vpc.get("Tags"))}
        if self.environment.network.existing is not None:
            return
        for balancer in answers.maybe(BALANCERS) or ():
            if balancer.get("VpcId") in ours and balancer.get("Scheme") == "internet-facing":
                yield self.warning(
                    "platform",
                    balancer["LoadBalancerName"],
                    "This load balancer in our VPC is open to the internet; nothing of the stack makes one.",
                    "find its Service (kubectl get services -A) and make it ClusterIP or internal",
                    "sec-no-public-ssh-by-default",
                )

    def _group(self, group: Mapping[str, Any]) -> Iterator[Finding]:
        name = group["GroupId"]
        for rules, direction in (("IpPermissions", "in"), ("IpPermissionsEgress", "out")):
            if not any(
                rule.get("IpProtocol") == EVERYTHING and any(p.get("GroupId") == name for p in rule["UserIdGroupPairs"])
                for rule in group.get(rules, ())
            ):
                yield self.error(
                    "nodePools",
                    name,
                    f"The EFA security group has no rule that lets everything {direction} for members of itself: "
                    "EFA falls back to TCP or hangs.",
                    "pulumi refresh, then pulumi up, which puts the rule back",
                    "efa-security-group-verified",
                    "efa-stack-complete",
                )
