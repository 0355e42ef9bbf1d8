"""`./scripts/tunnel ENV`: a private Kubernetes API on this machine, through a system node and SSM.

It looks for the cluster's endpoint and for a system node that SSM reaches, writes a kubeconfig that leads to this
machine, and holds `aws ssm start-session` open until Ctrl-C. Nothing in the account is changed.
"""

import argparse
import base64
import binascii
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import boto3
import yaml
from botocore.exceptions import BotoCoreError, ClientError

from scripts.bootstrap import cache_folder
from scripts.stack_files import STACKS, stack_file
from stacks.cluster import TUNNEL_PORT
from stacks.names import cluster_name

DOCUMENT = "AWS-StartPortForwardingSessionToRemoteHost"
TOOLS = {
    "aws": "Install the AWS CLI 2: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html",
    "session-manager-plugin": "Install it: https://docs.aws.amazon.com/systems-manager/latest/userguide/"
    "session-manager-working-with-install-plugin.html",
}


class TunnelError(Exception):
    """Why there is no tunnel, in one line with what to do."""


class Session(Protocol):
    """What is needed of a boto3 session."""

    def client(self, service_name: str, /) -> Any: ...


@dataclass(frozen=True, kw_only=True)
class Place:
    """The cluster of an environment."""

    cluster: str
    region: str
    profile: str | None


@dataclass(frozen=True, kw_only=True)
class Way:
    """The API's own address and the node to go through."""

    endpoint: str
    certificate_authority: str
    instance: str

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).hostname or ""


def place_of(environment: str, folder: Path = STACKS) -> Place:
    """Cluster and region of an environment, from its stack file."""
    path = stack_file(environment, folder, refused=TunnelError)
    config = yaml.safe_load(path.read_text(encoding="utf-8")).get("config", {})
    if not isinstance(region := config.get("aws:region"), str):
        raise TunnelError(f"{path} names no aws:region. Add it.")
    profile = config.get("aws:profile")
    return Place(cluster=cluster_name(environment), region=region, profile=str(profile) if profile else None)


def find_way(session: Session, place: Place) -> Way:
    """Ask AWS for the endpoint and for a system node whose SSM agent answers."""
    try:
        cluster = session.client("eks").describe_cluster(name=place.cluster)["cluster"]
        instance = _instance(session, place)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ResourceNotFoundException":
            raise TunnelError(
                f"There is no cluster {place.cluster} in {place.region}. Run pulumi up first, or check the account: "
                "aws sts get-caller-identity."
            ) from None
        raise TunnelError(
            f"AWS refused ({code}): {error}. Needed: eks:DescribeCluster, ec2:DescribeInstances, "
            "ssm:DescribeInstanceInformation, ssm:StartSession."
        ) from None
    except BotoCoreError as error:
        raise TunnelError(f"AWS cannot be asked: {error} Log in (aws sso login), or name aws:profile.") from None
    return Way(
        endpoint=cluster["endpoint"],
        certificate_authority=cluster["certificateAuthority"]["data"],
        instance=instance,
    )


def _instance(session: Session, place: Place) -> str:
    pages = (
        session.client("ec2")
        .get_paginator("describe_instances")
        .paginate(
            Filters=[
                {"Name": "tag:eks:cluster-name", "Values": [place.cluster]},
                # Only nodes of managed node groups have it: Karpenter's may go at any moment.
                {"Name": "tag-key", "Values": ["eks:nodegroup-name"]},
                {"Name": "instance-state-name", "Values": ["running"]},
            ]
        )
    )
    nodes = sorted(i["InstanceId"] for page in pages for r in page["Reservations"] for i in r["Instances"])
    if not nodes:
        raise TunnelError(
            f"{place.cluster} has no running system node to go through. Wait for the node groups, or go in by a "
            "runner in the VPC."
        )
    answers = session.client("ssm").describe_instance_information(
        Filters=[{"Key": "InstanceIds", "Values": nodes}, {"Key": "PingStatus", "Values": ["Online"]}]
    )
    online = sorted(entry["InstanceId"] for entry in answers["InstanceInformationList"])
    if not online:
        raise TunnelError(
            f"SSM reaches none of {', '.join(nodes)}. A node needs a few minutes after its start, and a way to SSM: a "
            "NAT gateway, or network.endpoints: private."
        )
    return str(online[0])


def session_command(place: Place, way: Way, port: int) -> list[str]:
    """The command that holds the tunnel open."""
    parameters = {"host": [way.host], "portNumber": ["443"], "localPortNumber": [str(port)]}
    return [
        *("aws", "ssm", "start-session", "--region", place.region),
        *(("--profile", place.profile) if place.profile else ()),
        *("--target", way.instance, "--document-name", DOCUMENT),
        *("--parameters", json.dumps(parameters, separators=(",", ":"))),
    ]


def kubeconfig(place: Place, way: Way, port: int) -> Mapping[str, Any]:
    """A kubeconfig that goes to this machine and expects the certificate of the API's own name."""
    try:
        base64.b64decode(way.certificate_authority, validate=True)
    except binascii.Error:
        raise TunnelError(f"{place.cluster} has no certificate yet: wait until it is ACTIVE.") from None
    token = ["eks", "get-token", "--cluster-name", place.cluster, "--region", place.region]
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": place.cluster,
        "clusters": [
            {
                "name": place.cluster,
                "cluster": {
                    "server": f"https://127.0.0.1:{port}",
                    "tls-server-name": way.host,
                    "certificate-authority-data": way.certificate_authority,
                },
            }
        ],
        "contexts": [{"name": place.cluster, "context": {"cluster": place.cluster, "user": place.cluster}}],
        "users": [
            {
                "name": place.cluster,
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1beta1",
                        "command": "aws",
                        "args": [*token, *(("--profile", place.profile) if place.profile else ())],
                    }
                },
            }
        ],
    }


def write_private(path: Path, config: Mapping[str, Any]) -> None:
    """Write a kubeconfig that only its owner may read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(yaml.safe_dump(dict(config), sort_keys=False), encoding="utf-8")


def require_tools() -> None:
    """The two programs that hold the tunnel."""
    for tool, way_out in TOOLS.items():
        if shutil.which(tool) is None:
            raise TunnelError(f"{tool} is not on PATH. {way_out}")


def main(arguments: Sequence[str] | None = None, session: Session | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./scripts/tunnel", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("environment", help="an environment, such as dev: stacks/Pulumi.<environment>.yaml")
    parser.add_argument(
        "--port",
        type=int,
        default=TUNNEL_PORT,
        help=f"local port; Pulumi itself goes to {TUNNEL_PORT} with reachableFrom: tunnel (default: %(default)s)",
    )
    parser.add_argument("--dry-run", action="store_true", help="ask AWS, print the commands, start and write nothing")
    given = parser.parse_args(arguments)
    try:
        place = place_of(given.environment)
        if not given.dry_run:
            require_tools()
        way = find_way(session or boto3.Session(region_name=place.region, profile_name=place.profile), place)
        config = kubeconfig(place, way, given.port)
    except (TunnelError, BotoCoreError) as error:
        print(error, file=sys.stderr)
        return 1
    command = session_command(place, way, given.port)
    path = cache_folder() / "tunnels" / f"{given.environment}.kubeconfig"
    print(f"export KUBECONFIG={shlex.quote(str(path))}")
    print(shlex.join(command), flush=True)
    if given.dry_run:
        return 0
    write_private(path, config)
    try:
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
