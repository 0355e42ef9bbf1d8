"""Access entries of a cluster, as pulumi-eks makes them from its `accessEntries`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws

from .inputs import Refusals

ENTRY = ("accessPolicies", "kubernetesGroups", "principalArn", "tags", "type", "username")
_ASSOCIATION = ("accessScope", "policyArn")


def refusals(entries: Mapping[str, Any]) -> Refusals:
    """What is wrong with `entries`, before anything is created."""
    found: Refusals = []
    for key, entry in sorted(entries.items()):
        path = f"accessEntries.{key}"
        if not isinstance(entry, Mapping):
            found.append((path, "an access entry is an object with principalArn."))
            continue
        found += [
            (f"{path}.{name}", f"unknown; accepted: {', '.join(ENTRY)}.") for name in sorted(set(entry) - set(ENTRY))
        ]
        if entry.get("principalArn") is None:
            found.append((f"{path}.principalArn", "missing: name the IAM role or user that gets access."))
        for policy, association in sorted((entry.get("accessPolicies") or {}).items()):
            if not isinstance(association, Mapping) or set(association) != set(_ASSOCIATION):
                found.append((f"{path}.accessPolicies.{policy}", f"needs exactly {' and '.join(_ASSOCIATION)}."))
    return found


def create(
    name: str, cluster: aws.eks.Cluster, entries: Mapping[str, Any], parent: pulumi.Resource
) -> list[pulumi.Resource]:
    """One access entry per item, with its policy associations below it."""
    made: list[pulumi.Resource] = []
    for key, item in entries.items():
        entry = aws.eks.AccessEntry(
            f"{name}-{key}",
            cluster_name=cluster.name,
            principal_arn=item["principalArn"],
            user_name=item.get("username"),
            kubernetes_groups=item.get("kubernetesGroups"),
            tags=item.get("tags"),
            type=item.get("type"),
            opts=pulumi.ResourceOptions(parent=parent, depends_on=[cluster]),
        )
        for policy, association in (item.get("accessPolicies") or {}).items():
            aws.eks.AccessPolicyAssociation(
                f"{name}-{key}-{policy}",
                cluster_name=cluster.name,
                principal_arn=item["principalArn"],
                policy_arn=association["policyArn"],
                access_scope=association["accessScope"],
                opts=pulumi.ResourceOptions(parent=entry, depends_on=[entry]),
            )
        made.append(entry)
    return made
