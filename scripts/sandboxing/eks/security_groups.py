"""The security groups that pulumi-eks makes by default: one for the control plane, one for nodes, and the rules between
them."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_aws as aws


def cluster_group(name: str, vpc_id: Any, tags: Any, opts: pulumi.ResourceOptions) -> aws.ec2.SecurityGroup:
    """The control plane's group, which may reach everything."""
    group = _group(f"{name}-eksClusterSecurityGroup", vpc_id, tags, opts)
    _rule(
        f"{name}-eksClusterInternetEgressRule",
        "Allow internet access.",
        group.id,
        (0, 0, "-1"),
        opts,
        type="egress",
        cidr_blocks=["0.0.0.0/0"],
    )
    return group


def node_group(
    name: str, vpc_id: Any, tags: Any, cluster: aws.ec2.SecurityGroup, opts: pulumi.ResourceOptions
) -> tuple[aws.ec2.SecurityGroup, aws.ec2.SecurityGroupRule]:
    """The nodes' group, and the rule that lets pods reach the API server."""
    group = _group(f"{name}-nodeSecurityGroup", vpc_id, tags, opts)
    _rule(
        f"{name}-eksNodeIngressRule",
        "Allow nodes to communicate with each other",
        group.id,
        (0, 0, "-1"),
        opts,
        self=True,
    )
    _rule(
        f"{name}-eksNodeClusterIngressRule",
        "Allow worker Kubelets and pods to receive communication from the cluster control plane",
        group.id,
        (1025, 65535, "tcp"),
        opts,
        source_security_group_id=cluster.id,
    )
    _rule(
        f"{name}-eksExtApiServerClusterIngressRule",
        "Allow pods running extension API servers on port 443 to receive communication from cluster control plane",
        group.id,
        (443, 443, "tcp"),
        opts,
        source_security_group_id=cluster.id,
    )
    _rule(
        f"{name}-eksNodeInternetEgressRule",
        "Allow internet access.",
        group.id,
        (0, 0, "-1"),
        opts,
        type="egress",
        cidr_blocks=["0.0.0.0/0"],
    )
    to_api_server = _rule(
        f"{name}-eksClusterIngressRule",
        "Allow pods to communicate with the cluster API Server",
        cluster.id,
        (443, 443, "tcp"),
        opts,
        source_security_group_id=group.id,
    )
    return group, to_api_server


def _group(name: str, vpc_id: Any, tags: Any, opts: pulumi.ResourceOptions) -> aws.ec2.SecurityGroup:
    return aws.ec2.SecurityGroup(name, vpc_id=vpc_id, revoke_rules_on_delete=True, tags=tags, opts=opts)


def _rule(
    name: str,
    description: str,
    group_id: pulumi.Output[str],
    ports: tuple[int, int, str],
    opts: pulumi.ResourceOptions,
    **source: Any,
) -> aws.ec2.SecurityGroupRule:
    arguments = {"type": "ingress", **source}
    first, last, protocol = ports
    return aws.ec2.SecurityGroupRule(
        name,
        description=description,
        from_port=first,
        to_port=last,
        protocol=protocol,
        security_group_id=group_id,
        opts=opts,
        **arguments,
    )
