"""Names that follow from the stack's name, and the limits that AWS and Kubernetes set on names."""

import re
from collections.abc import Iterator

from stacks.problems import Problem

PROJECT = "eks-training-platform"
"""Name of the Pulumi project, as in Pulumi.yaml: it begins the keys of its configuration."""
CONFIG_KEY = "environment"
"""Key of the object in the stack's configuration, under the project's name."""
ENVIRONMENT_KEY = f"{PROJECT}:{CONFIG_KEY}"
"""Where a stack file holds its environment."""

DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
"""RFC 1123 label, the strictest of the forms that Kubernetes objects and S3 buckets ask for."""

MAX_STACK_NAME = 20
MAX_POOL_NAME = 51
"""A label value holds 63 characters; `-fixed` takes 6, the suffix that Karpenter gives NodeClaims 6 more."""
MAX_BUCKET_NAME = 25
"""S3 allows 63 characters: `training-` 9, the stack's name 20, a dash 1, this 25, Pulumi's suffix 8."""
LOG_BUCKET = "access-logs"
"""Name, like those in `storage.buckets`, of the bucket that lines about requests go to."""


def cluster_name(stack: str) -> str:
    """Name of the EKS cluster, and the prefix of everything that carries a fixed name."""
    return f"training-{stack}"


def stack_of(cluster: str) -> str:
    """The stack whose cluster has this name."""
    return cluster.removeprefix(cluster_name(""))


def check_stack_name(stack: str) -> Iterator[Problem]:
    """The stack's name becomes part of the cluster's and the buckets' names, so it must fit there."""
    if re.fullmatch(DNS_LABEL, stack) and len(stack) <= MAX_STACK_NAME:
        return
    yield Problem(
        path="the stack's name",
        value=stack,
        reason=f"It becomes part of the cluster's name ({cluster_name(stack)}) and of bucket names.",
        accepted=f"lower-case letters, digits and inner dashes, at most {MAX_STACK_NAME} characters",
        ways_out=(
            "choose a shorter plain name: pulumi stack init dev",
            "rename this one: pulumi stack rename (before the first up, since the cluster's name follows)",
        ),
    )
