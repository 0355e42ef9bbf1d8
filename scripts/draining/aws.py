"""Left-overs in AWS that the stack does not know of and that hold its VPC, or go on costing money. Reads only.

A fixed number of questions, however large the environment; one that may not be asked is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from scripts import tunneling
from scripts.draining.findings import Finding, Level
from scripts.preflighting.asking import Aws, Session
from scripts.tunneling import Place, TunnelError
from stacks.environment import Environment

NETWORK_NAME = "network"
"""The name of the stack's network, which its VPC carries."""
VOLUME_TAG = "CSIVolumeName"
"""What the CSI drivers put on the volumes that they make."""


@dataclass(frozen=True, kw_only=True)
class Asker:
    """One question: what it needs and how it is put."""

    action: str
    ask: Callable[[], list[Finding]]


def left(environment: str, spec: Environment, session: Session | None = None) -> list[Finding]:
    """Findings about left-overs of an environment, asked side by side."""
    try:
        place = tunneling.place_of(environment)
        made = session or boto3.Session(region_name=place.region, profile_name=place.profile)
        aws = Aws(made, place.region)
        vpc = _vpc(aws, environment, spec)
    except (TunnelError, BotoCoreError) as problem:
        return [_unknown("aws", str(problem), "log in (aws sso login), or leave AWS out: --no-aws")]
    except ClientError as error:
        return [_denied("ec2:DescribeVpcs", error)]
    # In a VPC that is not the stack's own, others' things are nobody's business here.
    ours = spec.network.existing is None
    here = [{"Name": "vpc-id", "Values": [vpc]}]
    asked = [Asker(action="logs:DescribeLogGroups", ask=lambda: list(_logs(aws, place)))]
    asked.append(Asker(action="ec2:DescribeVolumes", ask=lambda: list(_volumes(aws, environment))))
    if vpc is not None:
        asked += [
            Asker(action="ec2:DescribeNetworkInterfaces", ask=lambda: list(_interfaces(aws, here, place, ours))),
            Asker(action="ec2:DescribeVpcEndpoints", ask=lambda: list(_endpoints(aws, here, ours))),
            Asker(action="ec2:DescribeSecurityGroups", ask=lambda: list(_groups(aws, here, place, ours))),
            Asker(action="ec2:DescribeInstances", ask=lambda: list(_instances(aws, here, place, ours))),
            Asker(
                action="elasticloadbalancing:DescribeLoadBalancers",
                ask=lambda: list(_balancers(aws, str(vpc), ours)),
            ),
            Asker(action="fsx:DescribeFileSystems", ask=lambda: list(_file_systems(aws, str(vpc), ours))),
        ]
    with ThreadPoolExecutor(len(asked)) as pool:
        return [finding for found in pool.map(_put, asked) for finding in found]


def _put(asker: Asker) -> list[Finding]:
    try:
        return asker.ask()
    except ClientError as error:
        return [_denied(asker.action, error)]
    except BotoCoreError as error:
        return [_unknown(f"aws/{asker.action}", str(error), "try again, or leave AWS out: --no-aws")]


def _vpc(aws: Aws, environment: str, spec: Environment) -> str | None:
    """The VPC; it outlives the cluster when a destroy stops half-way, so that its tags are asked."""
    if spec.network.existing is not None:
        return spec.network.existing.vpc_id
    filters = [
        {"Name": "tag:Name", "Values": [NETWORK_NAME]},
        {"Name": "tag:environment", "Values": [environment]},
    ]
    found = aws.ec2.describe_vpcs(Filters=filters)["Vpcs"]
    return str(found[0]["VpcId"]) if found else None


def _tags(thing: Any) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in thing.get("TagSet") or thing.get("Tags") or []}


def _of_cluster(thing: Any, place: Place) -> bool:
    tags = _tags(thing)
    return f"kubernetes.io/cluster/{place.cluster}" in tags or place.cluster in (
        tags.get("eks:cluster-name"),
        tags.get("elbv2.k8s.aws/cluster"),
        tags.get("cluster.k8s.amazonaws.com/name"),
        tags.get("aws:eks:cluster-name"),
    )


def _interfaces(aws: Aws, here: Sequence[Any], place: Place, ours: bool) -> Iterator[Finding]:
    for each in aws.pages("ec2", "describe_network_interfaces", "NetworkInterfaces", Filters=list(here)):
        if each["Status"] == "available" and (ours or _of_cluster(each, place)):
            name = each["NetworkInterfaceId"]
            told = each.get("Description") or "no description"
            yield _blocks(
                f"aws/{name}",
                f"a network interface that nothing uses ('{told}') holds {each['SubnetId']} and its security groups",
                f"aws ec2 delete-network-interface --network-interface-id {name}",
            )


def _endpoints(aws: Aws, here: Sequence[Any], ours: bool) -> Iterator[Finding]:
    for each in aws.pages("ec2", "describe_vpc_endpoints", "VpcEndpoints", Filters=list(here)):
        if ours and "guardduty-data" in each["ServiceName"]:
            name = each["VpcEndpointId"]
            yield _blocks(
                f"aws/{name}",
                "GuardDuty made this endpoint in the VPC; it holds the subnets, and comes back while GuardDuty watches",
                "exclude the cluster from GuardDuty's runtime monitoring (or turn its automated agent off), then "
                f"aws ec2 delete-vpc-endpoints --vpc-endpoint-ids {name}",
            )


def _groups(aws: Aws, here: Sequence[Any], place: Place, ours: bool) -> Iterator[Finding]:
    for each in aws.pages("ec2", "describe_security_groups", "SecurityGroups", Filters=list(here)):
        name, called, tags = each["GroupId"], each["GroupName"], _tags(each)
        guard = ours and ("GuardDutyManaged" in tags or called.startswith("GuardDutyManagedSecurityGroup"))
        # Names that the load balancer controller and the cloud controller give.
        made = called.startswith(("k8s-", "k8s_elb")) and (ours or _of_cluster(each, place))
        if guard or made:
            yield _blocks(
                f"aws/{name}",
                f"security group '{called}', made by {'GuardDuty' if guard else 'a load balancer controller'}, holds "
                "the VPC",
                f"aws ec2 delete-security-group --group-id {name}, after what uses it",
            )


def _instances(aws: Aws, here: Sequence[Any], place: Place, ours: bool) -> Iterator[Finding]:
    if not ours:
        return
    living = {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]}
    for reservation in aws.pages("ec2", "describe_instances", "Reservations", Filters=[*here, living]):
        for each in reservation["Instances"]:
            if not _of_cluster(each, place):
                name = each["InstanceId"]
                yield _blocks(
                    f"aws/{name}",
                    f"an instance ({each['InstanceType']}) in the VPC that is no node of {place.cluster}",
                    f"move it out, or, if nobody needs it, aws ec2 terminate-instances --instance-ids {name}",
                )


def _balancers(aws: Aws, vpc: str, ours: bool) -> Iterator[Finding]:
    if not ours:
        return
    modern = aws.pages("elbv2", "describe_load_balancers", "LoadBalancers")
    classic = aws.pages("elb", "describe_load_balancers", "LoadBalancerDescriptions")
    names = [(each["LoadBalancerName"], each.get("LoadBalancerArn")) for each in modern if each.get("VpcId") == vpc]
    names += [(each["LoadBalancerName"], None) for each in classic if each.get("VPCId") == vpc]
    for name, arn in names:
        command = (
            f"aws elbv2 delete-load-balancer --load-balancer-arn {arn}"
            if arn
            else f"aws elb delete-load-balancer --load-balancer-name {name}"
        )
        yield _blocks(
            f"aws/{name}",
            "a load balancer in the VPC; its interfaces hold the subnets",
            f"delete its Service or Ingress while the cluster lives; after that, {command}",
        )


def _file_systems(aws: Aws, vpc: str, ours: bool) -> Iterator[Finding]:
    for each in aws.pages("fsx", "describe_file_systems", "FileSystems"):
        if ours and each.get("VpcId") == vpc and VOLUME_TAG in _tags(each):
            name, volume = each["FileSystemId"], _tags(each)[VOLUME_TAG]
            yield _blocks(
                f"aws/{name}",
                f"a Lustre file system of {each['StorageCapacity']} GiB, made for volume {volume} of a claim",
                "delete the claim while the driver lives; after that, aws fsx delete-file-system --file-system-id "
                f"{name}",
            )


def _volumes(aws: Aws, environment: str) -> Iterator[Finding]:
    # The driver puts the stack's tags on what it makes (extraVolumeTags).
    filters = [
        {"Name": "tag-key", "Values": [VOLUME_TAG]},
        {"Name": "tag:environment", "Values": [environment]},
        {"Name": "status", "Values": ["available"]},
    ]
    for each in aws.pages("ec2", "describe_volumes", "Volumes", Filters=filters):
        name = each["VolumeId"]
        yield Finding(
            level=Level.NOTE,
            name=f"aws/{name}",
            what=f"an EBS volume of {each['Size']} GiB that nothing mounts, and that costs money",
            way_out=f"aws ec2 delete-volume --volume-id {name}, when no claim needs it",
        )


def _logs(aws: Aws, place: Place) -> Iterator[Finding]:
    for prefix in (f"/aws/eks/{place.cluster}/", f"/aws/containerinsights/{place.cluster}/"):
        for each in aws.pages("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=prefix):
            name = each["logGroupName"]
            yield Finding(
                level=Level.NOTE,
                name=f"aws{name}",
                what=f"a log group of {each.get('storedBytes', 0)} bytes; late lines of the control plane make it "
                "anew after a destroy, without a retention",
                way_out=f"a day after the destroy: aws logs delete-log-group --log-group-name {name}",
            )


def _blocks(name: str, what: str, way_out: str) -> Finding:
    return Finding(level=Level.BLOCKS, name=name, what=what, way_out=way_out)


def _unknown(name: str, what: str, way_out: str) -> Finding:
    return Finding(level=Level.UNKNOWN, name=name, what=what, way_out=way_out)


def _denied(action: str, error: ClientError) -> Finding:
    code = error.response.get("Error", {}).get("Code", "")
    return _unknown(
        f"aws/{action}",
        f"could not be asked ({code}): what of it is left is not known",
        f"allow {action} to whoever runs this, or look in the console",
    )
