"""Section `iam`: what a company demands of every IAM role that someone creates in its accounts."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from components.catalog.partitions import partition_of
from stacks.model import Section, says
from stacks.problems import Problem
from stacks.replaced import IN_THE_CLUSTER

_BOUNDARY = re.compile(r"arn:(?P<partition>aws[a-z-]*):iam::(\d{12}|aws):policy/[\w+=,.@/-]+")
_PATH = re.compile(r"/([\w+=,.@-]+/)*")


class Iam(Section):
    """Ground rules for IAM: they reach every role of the stack, those of EKS, its nodes and add-ons included."""

    permissions_boundary_arn: Annotated[
        str | None,
        says(
            "ARN of the managed policy that bounds every role of the stack; null where your company asks for none.",
            "live",
            change="the boundary of each role changes at once; one that forbids too much stops nodes from joining",
            accepts="null or arn:aws:iam::<12 digits>:policy/<name>",
            example="arn:aws:iam::111122223333:policy/developer-boundary",
        ),
    ] = None
    role_path: Annotated[
        str,
        Field(max_length=512),
        says(
            "Path of every role of the stack.",
            "REPLACES",
            change="every role, and with its role the cluster and all of its nodes; set it before the first up",
            replaces=(
                "aws:iam/role:Role",
                "Network",
                "TrainingCluster",
                *IN_THE_CLUSTER,
            ),
            accepts="/ or /<word>/…/ that begins and ends with a slash",
            example="/ml-platform/",
        ),
    ] = "/"


def check_iam(iam: Iam, region: str | None) -> Iterator[Problem]:
    """The boundary is a managed policy of the stack's partition, the path begins and ends with a slash."""
    boundary = iam.permissions_boundary_arn
    if boundary is not None:
        match = _BOUNDARY.fullmatch(boundary)
        if match is None:
            yield Problem(
                path="iam.permissionsBoundaryArn",
                value=boundary,
                reason="This is not the ARN of a managed policy; only such a policy can bound a role.",
                accepted="null or arn:aws:iam::<12 digits>:policy/<name>",
                ways_out=("copy it from: aws iam list-policies --scope Local", "set permissionsBoundaryArn: null"),
            )
        elif region and match["partition"] != partition_of(region):
            yield Problem(
                path="iam.permissionsBoundaryArn",
                value=boundary,
                reason=f"The ARN's partition is {match['partition']}, that of {region} is {partition_of(region)}.",
                accepted=f"arn:{partition_of(region)}:iam::…",
                ways_out=(f"use a policy of {partition_of(region)}", "correct aws:region"),
            )
    if not _PATH.fullmatch(iam.role_path):
        bare = re.sub(r"[^\w+=,.@/-]", "-", iam.role_path).strip("/")
        yield Problem(
            path="iam.rolePath",
            value=iam.role_path,
            reason="IAM takes paths that begin and end with a slash, of letters, digits and +=,.@-_ between slashes.",
            accepted="/ or /<word>/…/",
            ways_out=(f"write /{bare}/" if bare else "write /ml-platform/", "remove the line: the default is /"),
        )
