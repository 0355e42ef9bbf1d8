"""Rules of the sections `cluster` and `systemNodes`."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from ipaddress import IPv4Network

from components.catalog.addons import ALL_ADDONS
from components.catalog.kubernetes_versions import KARPENTER_FLOORS, KUBERNETES_VERSIONS
from components.catalog.partitions import partition_of
from components.catalog.pins import AS_OF, KARPENTER_CRDS
from stacks.cluster import Access, Cluster, Encryption, Endpoint
from stacks.kms_keys import check_kms_key
from stacks.network import Network
from stacks.network_rules import PRIVATE_BLOCKS
from stacks.problems import Problem, one_of

_PRINCIPAL = re.compile(r"arn:(?P<partition>aws[a-z-]*):iam::\d{12}:(role|user)/[\w+=,.@/-]+")
_SESSION = re.compile(r"arn:(aws[a-z-]*):sts::(\d{12}):assumed-role/([\w+=,.@-]+)/.*")


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


def check_karpenter(cluster: Cluster) -> Iterator[Problem]:
    """The pinned Karpenter knows the Kubernetes version."""
    floor = KARPENTER_FLOORS.get(cluster.kubernetes_version)
    pinned = tuple(int(part) for part in KARPENTER_CRDS.version.split("."))
    if floor is not None and pinned < floor:
        least = ".".join(str(part) for part in floor)
        yield Problem(
            path="cluster.kubernetesVersion",
            value=cluster.kubernetes_version,
            reason=f"Karpenter supports it from {least} on; this project pins {KARPENTER_CRDS.version}.",
            accepted=f"a version that Karpenter {KARPENTER_CRDS.version} supports",
            ways_out=("use an older Kubernetes version", f"raise Karpenter's pin to {least} or later"),
        )


def check_service_cidr(cluster: Cluster, network: Network | None) -> Iterator[Problem]:
    """The services' block is private, of a size EKS takes, and apart from the VPC's."""
    path, value = "cluster.serviceCidr", cluster.service_cidr
    accepted = "a private IPv4 block from /12 to /24 that does not overlap the VPC"
    try:
        block = IPv4Network(value)
    except ValueError as error:
        yield Problem(
            path=path,
            value=value,
            reason=f"This is no address block: {error}.",
            accepted=accepted,
            ways_out=("write the first address of the block, such as 172.20.0.0/16", "remove the line"),
        )
        return
    private = any(block.subnet_of(b) for b in PRIVATE_BLOCKS if isinstance(b, IPv4Network))
    if not private or not 12 <= block.prefixlen <= 24:
        yield Problem(
            path=path,
            value=value,
            reason="EKS takes a private block for services, between /12 and /24.",
            accepted=accepted,
            ways_out=("use 172.20.0.0/16", "remove the line: the default is 172.20.0.0/16"),
        )
    try:
        vpc = IPv4Network(network.any_cidr) if network and network.any_cidr else None
    except ValueError:
        vpc = None
    if vpc is not None and vpc.overlaps(block):
        other = "10.100.0.0/16" if vpc.overlaps(IPv4Network("172.20.0.0/16")) else "172.20.0.0/16"
        yield Problem(
            path=path,
            value=value,
            reason=f"It overlaps the VPC's block {vpc}: pods could not tell a service from a node.",
            accepted=accepted,
            ways_out=(f"use {other}", "use another block for the VPC (network.cidr)"),
        )


def check_key(encryption: Encryption, region: str | None) -> Iterator[Problem]:
    """The key of Kubernetes Secrets lies where the cluster does."""
    yield from check_kms_key("cluster.encryption.kmsKey", encryption.kms_key, region, what="the cluster")


def check_addon_versions(versions: Mapping[str, object]) -> Iterator[Problem]:
    """Only add-ons that this project installs have a version; a driver of storage may be named before it is needed."""
    for name, version in versions.items():
        if name not in ALL_ADDONS:
            near = get_close_matches(str(name), ALL_ADDONS, n=1)
            yield Problem(
                path=f"cluster.addonVersions.{name}",
                value=version,
                reason="This project installs no such add-on.",
                accepted=one_of(ALL_ADDONS),
                ways_out=(f"did you mean {near[0]}?" if near else "name one of the add-ons", "remove the line"),
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
