"""Changes that let more of the world in, or out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.reporting.changes import Change
from scripts.reporting.differences import touches

WORLD = ("0.0.0.0/0", "::/0")
CLUSTER = "aws:eks/cluster:Cluster"
SERVICE = "kubernetes:core/v1:Service"
RELEASE = "kubernetes:helm.sh/v3:Release"
IN = ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",)
OUT = ("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",)
EITHER = "aws:ec2/securityGroupRule:SecurityGroupRule"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
NARROWER = "Name the addresses that need it, or a security group."


def opens(change: Change) -> Iterator[tuple[str, str]]:
    """What it opens and the way out, in words."""
    if change.op == "delete":
        return
    new, old = change.new, change.old
    if change.type == CLUSTER:
        yield from _endpoint(old.get("vpcConfig") or {}, new.get("vpcConfig") or {})
    elif change.type == SERVICE:
        if _balanced(new.get("spec")) and not _balanced(old.get("spec")):
            yield (
                "a Service with a load balancer of its own",
                "Use ClusterIP and kubectl port-forward, or an internal one.",
            )
    elif change.type == RELEASE and change.op != "create":
        if touches(change, "values") and _holds(new.get("values"), "LoadBalancer") > _holds(
            old.get("values"), "LoadBalancer"
        ):
            yield (
                "a chart's Service gets a load balancer",
                "Use ClusterIP and kubectl port-forward, or an internal one.",
            )
    else:
        yield from _rule(change)


def _rule(change: Change) -> Iterator[tuple[str, str]]:
    inward = change.type in IN or (change.type == EITHER and change.new.get("type") == "ingress")
    outward = change.type in OUT or (change.type == EITHER and change.new.get("type") == "egress")
    if (inward or outward) and (world := _world(change.new)) and not _world(change.old):
        way = "in from" if inward else "out to"
        yield f"a security group rule lets {_ports(change.new)} {way} {' and '.join(world)}", NARROWER
    if change.type == GROUP:
        for key, way in (("ingress", "in from"), ("egress", "out to")):
            before = {block for rule in change.old.get(key) or () for block in _world(rule)}
            after = {block for rule in change.new.get(key) or () for block in _world(rule)}
            if more := sorted(after - before):
                yield f"a security group lets {way} {' and '.join(more)}", NARROWER


def _endpoint(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not new.get("endpointPublicAccess"):
        return
    # Where the public endpoint was off, its list let nobody in.
    before = set(_listed(old)) if old.get("endpointPublicAccess") else set()
    if more := sorted(set(_listed(new)) - before):
        yield (
            f"the cluster's endpoint is reached from {', '.join(more)}",
            "Name fewer addresses in cluster.endpoint.publicCidrs, or use the tunnel or a runner in the VPC.",
        )


def _listed(config: Mapping[str, Any]) -> list[str]:
    found = config.get("publicAccessCidrs")
    return [str(block) for block in found] if isinstance(found, list) and found else [WORLD[0]]


def _world(rule: Mapping[str, Any]) -> list[str]:
    blocks = [rule.get("cidrIpv4"), rule.get("cidrIpv6"), *_texts(rule, "cidrBlocks"), *_texts(rule, "ipv6CidrBlocks")]
    return [block for block in WORLD if block in blocks]


def _texts(rule: Mapping[str, Any], key: str) -> list[Any]:
    found = rule.get(key)
    return found if isinstance(found, list) else []


def _ports(rule: Mapping[str, Any]) -> str:
    first, last = rule.get("fromPort"), rule.get("toPort")
    if first is None or first in (-1, "-1"):
        return "every port"
    return f"port {first}" if first == last else f"ports {first} to {last}"


def _balanced(spec: Any) -> bool:
    return isinstance(spec, Mapping) and spec.get("type") == "LoadBalancer"


def _holds(values: Any, wanted: str) -> int:
    """How often a value stands anywhere in values of a chart."""
    if isinstance(values, Mapping):
        return sum(_holds(item, wanted) for item in values.values())
    if isinstance(values, list):
        return sum(_holds(item, wanted) for item in values)
    return int(values == wanted)
