"""Sections `cluster` and `systemNodes`: the control plane, who may use it, and the nodes that Karpenter runs on."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.partitions import partition_of
from components.catalog.pins import AS_OF, KUBERNETES_VERSIONS
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL
from stacks.problems import Problem, one_of

MIN_SYSTEM_NODES, MAX_SYSTEM_NODES = 2, 20

_PRINCIPAL = re.compile(r"arn:(?P<partition>aws[a-z-]*):iam::\d{12}:(role|user)/[\w+=,.@/-]+")
_SESSION = re.compile(r"arn:(aws[a-z-]*):sts::(\d{12}):assumed-role/([\w+=,.@-]+)/.*")

AccessLevel = Literal["admin", "edit", "view"]


class Endpoint(Section):
    """How the Kubernetes API is reached. It is always open from inside the VPC."""

    public_cidrs: Annotated[
        tuple[str, ...],
        says(
            "Address blocks outside the VPC that may reach the API; empty keeps the endpoint private.",
            "live",
            accepts='a list of IPv4 blocks; never "0.0.0.0/0"',
            example=["203.0.113.0/24"],
        ),
    ] = ()
    reachable_from: Annotated[
        Literal["vpcRunner", "tunnel", "publicCidrs"],
        says(
            "From where `pulumi up` and `destroy` reach the API: a runner in the VPC, a tunnel, or one of publicCidrs.",
            "live",
        ),
    ] = "vpcRunner"


class Access(Section):
    """One IAM principal that may use the cluster (an EKS access entry)."""

    principal: Annotated[
        str,
        says(
            "ARN of the IAM role or user.",
            "REPLACES",
            change="the access entry: the old principal loses access at once",
            accepts="arn:aws:iam::<12 digits>:role/<name> or :user/<name>",
            example="arn:aws:iam::111122223333:role/research",
        ),
    ]
    level: Annotated[AccessLevel, says("What the principal may do.", "live")]
    namespaces: Annotated[
        tuple[Annotated[str, Field(pattern=DNS_LABEL, max_length=63)], ...],
        says(
            "Namespaces the level applies to; empty means the whole cluster.",
            "live",
            accepts="a list of namespace names (lower-case letters, digits, dashes)",
        ),
    ] = ()
    deployer: Annotated[
        Bool,
        says(
            "True for the identity that runs Pulumi: EKS makes it an administrator by itself, so it gets no "
            "entry of ours.",
            "live",
        ),
    ] = False


class Cluster(Section):
    """The EKS control plane."""

    kubernetes_version: Annotated[
        str,
        says(
            "Kubernetes minor version. One minor upwards at a time; never downwards.",
            "rolls nodes",
            change="the control plane upgrades in place, then the system nodes roll",
            accepts=f"in quotes: {one_of(KUBERNETES_VERSIONS)}",
            example="1.35",
        ),
    ]
    support_type: Annotated[
        Literal["EXTENDED", "STANDARD"],
        says(
            "EXTENDED keeps the version for 12 more months at extra cost; with STANDARD AWS upgrades by itself "
            "when standard "
            "support ends.",
            "live",
        ),
    ] = "EXTENDED"
    endpoint: Annotated[Endpoint, says("How the Kubernetes API is reached.", "per field")] = Endpoint()
    access: Annotated[
        tuple[Access, ...],
        says(
            "Who may use the cluster, besides the identity that creates it.", "per field", accepts="a list of entries"
        ),
    ] = ()


class SystemNodes(Section):
    """The nodes that Karpenter, CoreDNS and the operators run on: a managed node group, not scaled by Karpenter."""

    instance_type: Annotated[
        str,
        says(
            "EC2 type of the system nodes.",
            "REPLACES",
            change="the node group; the new one is made first",
            accepts="a CPU type of the catalog",
            example="m7i.2xlarge",
        ),
    ] = "m7i.2xlarge"
    count: Annotated[
        Int,
        Field(ge=MIN_SYSTEM_NODES, le=MAX_SYSTEM_NODES),
        says(
            "Number of system nodes. Karpenter's two replicas refuse to share a node, so two is the least.",
            "live",
            unit="nodes",
            accepts=f"a whole number from {MIN_SYSTEM_NODES} to {MAX_SYSTEM_NODES}",
        ),
    ] = 3


def check_version(cluster: Cluster) -> Iterator[Problem]:
    """The version is one that EKS still supports, and STANDARD support has not already ended."""
    known = KUBERNETES_VERSIONS.get(cluster.kubernetes_version)
    if known is None:
        yield Problem(
            path="cluster.kubernetesVersion",
            value=cluster.kubernetes_version,
            reason=f"EKS and this project do not support this version (list of {AS_OF}).",
            accepted=one_of(KUBERNETES_VERSIONS),
            ways_out=('use "1.35"', "add the version with its support dates to components/catalog/pins.py"),
        )
    elif cluster.support_type == "STANDARD" and not known.in_standard_support:
        yield Problem(
            path="cluster.supportType",
            value=cluster.support_type,
            reason=f"Standard support of {known.version} ended on {known.standard_support_ends}: with STANDARD, "
            "AWS would upgrade "
            "the control plane by itself.",
            accepted="EXTENDED with this version, or a version in standard support",
            ways_out=("set supportType: EXTENDED", 'set kubernetesVersion: "1.35"'),
        )


def check_endpoint(endpoint: Endpoint) -> Iterator[Problem]:
    """Public blocks parse, do not open the API to everyone, and are there when they are to be used."""
    for position, cidr in enumerate(endpoint.public_cidrs):
        path = f"cluster.endpoint.publicCidrs[{position}]"
        try:
            block = IPv4Network(cidr)
        except ValueError as error:
            yield Problem(
                path=path,
                value=cidr,
                reason=f"This is no IPv4 block: {error}.",
                accepted="an IPv4 block such as 203.0.113.0/24; a single address ends in /32",
                ways_out=("write the block with its length, such as 203.0.113.7/32", "remove the line"),
            )
            continue
        if block.prefixlen < 8:
            yield Problem(
                path=path,
                value=cidr,
                reason="This opens the Kubernetes API to a large part of the internet.",
                accepted="blocks of /8 or longer",
                ways_out=(
                    "name the addresses of your office or runners",
                    "keep it private: reachableFrom: vpcRunner or tunnel",
                ),
            )
    if endpoint.reachable_from == "publicCidrs" and not endpoint.public_cidrs:
        yield Problem(
            path="cluster.endpoint.reachableFrom",
            value=endpoint.reachable_from,
            reason="The API is to be reached through public blocks, but publicCidrs names none.",
            accepted="publicCidrs with at least one block, or another way in",
            ways_out=(
                "add publicCidrs: [203.0.113.0/24] with your own block",
                "set reachableFrom: vpcRunner or tunnel",
            ),
        )


def check_access(path: str, access: Access, region: str | None) -> Iterator[Problem]:
    """The principal is an IAM role or user of the stack's partition; the deployer is a cluster administrator."""
    match = _PRINCIPAL.fullmatch(access.principal)
    accepted = "arn:aws:iam::<12 digits>:role/<name> or :user/<name>"
    if session := _SESSION.fullmatch(access.principal):
        yield Problem(
            path=f"{path}.principal",
            value=access.principal,
            reason="This is a session of a role; access entries name the role itself.",
            accepted=accepted,
            ways_out=(
                f"use arn:{session[1]}:iam::{session[2]}:role/{session[3]} (with the role's path, if it has one)",
                "look the role up: aws iam get-role --role-name " + session[3],
            ),
        )
    elif match is None:
        yield Problem(
            path=f"{path}.principal",
            value=access.principal,
            reason="This is not the ARN of an IAM role or user.",
            accepted=accepted,
            ways_out=("copy the ARN from: aws iam get-role --role-name NAME", "remove this entry"),
        )
    elif "/aws-service-role/" in access.principal:
        yield Problem(
            path=f"{path}.principal",
            value=access.principal,
            reason="EKS takes no service-linked role as a principal.",
            accepted=accepted,
            ways_out=("name a role of your own", "remove this entry"),
        )
    elif region and match["partition"] != partition_of(region):
        yield Problem(
            path=f"{path}.principal",
            value=access.principal,
            reason=f"The ARN's partition is {match['partition']}, that of {region} is {partition_of(region)}.",
            accepted=f"arn:{partition_of(region)}:iam::…",
            ways_out=(f"use a principal of {partition_of(region)}", "correct aws:region"),
        )
    if access.deployer and (access.level != "admin" or access.namespaces):
        yield Problem(
            path=f"{path}.deployer",
            value=True,
            reason="EKS makes the identity that creates the cluster an administrator of all of it; less cannot "
            "be given to it.",
            accepted="deployer: true only with level: admin and no namespaces",
            ways_out=("set level: admin and remove namespaces", "remove deployer: true"),
        )


def check_system_nodes(nodes: SystemNodes) -> Iterator[Problem]:
    """System nodes are of a CPU type: accelerators would be paid for and never used."""
    known = INSTANCE_TYPES.get(nodes.instance_type)
    cpu_types = [entry.name for entry in INSTANCE_TYPES.values() if not entry.is_accelerated and not entry.has_efa]
    if known is None or known.is_accelerated:
        why = (
            "The catalog has no such type."
            if known is None
            else f"It carries {known.accelerator} accelerators, unused here."
        )
        yield Problem(
            path="systemNodes.instanceType",
            value=nodes.instance_type,
            reason=why,
            accepted=one_of(cpu_types),
            ways_out=("use m7i.2xlarge", "add the type, with its source, to components/catalog/data/instances.csv"),
        )
