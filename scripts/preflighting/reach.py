"""The way to the Kubernetes API from here: `up`, `destroy` and drift all need it, a preview does not."""

from __future__ import annotations

import base64
import socket
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject
from stacks.cluster import TUNNEL_PORT

SECONDS = 4
"""How long to wait for the API to take a connection."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The cluster as it stands."""

    status: str
    vpc: str
    host: str
    failure: str | None
    """Why its API does not answer here."""


class Reach(Concern):
    """Where the cluster stands already, its API answers here with its own certificate."""

    name = "reach"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._way = self.environment.cluster.endpoint.reachable_from
        self.cluster = Question(
            about="whether the cluster stands and its API answers",
            rights="eks:DescribeCluster",
            ask=self._ask,
            absent=("ResourceNotFoundException",),
        )

    def questions(self) -> Sequence[Question[Any]]:
        return [self.cluster]

    def _ask(self, aws: Aws) -> Standing:
        cluster = aws.eks.describe_cluster(name=self.subject.cluster)["cluster"]
        host = urlsplit(cluster.get("endpoint") or "").hostname or ""
        authority = cluster.get("certificateAuthority", {}).get("data", "")
        if not host:
            failure: str | None = f"it has no address yet (status {cluster['status']})"
        else:
            way = ("127.0.0.1", TUNNEL_PORT) if self._way == "tunnel" else (host, 443)
            failure = dial(way, host, authority)
        vpc = cluster.get("resourcesVpcConfig", {}).get("vpcId", "")
        return Standing(status=cluster["status"], vpc=vpc, host=host, failure=failure)

    def check(self, answers: Answers) -> Iterator[Finding]:
        field = "cluster.endpoint.reachableFrom"
        if answers.is_absent(self.cluster):
            yield self.note(
                field,
                self._way,
                f"{self.subject.cluster} does not exist yet, so its API cannot be tried from here.",
                {
                    "vpcRunner": "run the first up from a machine inside the VPC, or with a way into it",
                    "tunnel": "the first up stops before objects in the cluster; start ./scripts/tunnel then and go on",
                    "publicCidrs": "be sure that this machine's public address is in cluster.endpoint.publicCidrs",
                }[self._way],
            )
            return
        standing = answers[self.cluster]
        if standing.failure is not None:
            ways = {
                "vpcRunner": "run from inside the VPC, or set reachableFrom: tunnel",
                "tunnel": f"start it in another terminal: ./scripts/tunnel {self.subject.name}",
                "publicCidrs": "add this machine's public address to cluster.endpoint.publicCidrs, from elsewhere",
            }
            yield self.error(
                field,
                self._way,
                f"{standing.host or self.subject.cluster} does not answer here: {standing.failure}. "
                "up, destroy and drift would stop halfway.",
                ways[self._way],
            )
        elif standing.status != "ACTIVE":
            yield self.warning(field, self._way, f"The cluster is {standing.status}.", "wait until it is ACTIVE")


def dial(way: tuple[str, int], host: str, authority: str) -> str | None:
    """Shake hands with the API over TLS; why that failed, or None. Nothing is sent that asks for anything.

    Args:
        way: address and port to go to: the API's own, or the near end of a tunnel.
        host: the API's name, which its certificate must bear.
        authority: the cluster's certificate authority, in base64.
    """
    try:
        context = ssl.create_default_context(cadata=base64.b64decode(authority).decode("ascii"))
        with socket.create_connection(way, timeout=SECONDS) as plain, context.wrap_socket(plain, server_hostname=host):
            return None
    except TimeoutError:
        return f"no answer within {SECONDS} s"
    except ssl.SSLError as error:
        return f"another certificate than the cluster's ({error.reason or error})"
    except (OSError, ValueError) as error:
        return str(getattr(error, "strerror", None) or error)
