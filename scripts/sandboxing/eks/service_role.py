"""`eks:index:ServiceRole`: the role that EKS assumes, with its managed policies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, cast

import pulumi
import pulumi_aws as aws


class ServiceRole(pulumi.ComponentResource):
    """A role for `service` with `managed_policies` (names of AWS's own policies) attached.

    `ready` lists what must exist before the role can be used.
    """

    def __init__(
        self,
        name: str,
        *,
        service: str,
        description: str,
        actions: Sequence[str],
        managed_policies: Sequence[str],
        tags: Any,
        opts: pulumi.ResourceOptions,
    ) -> None:
        arns = [f"arn:aws:iam::aws:policy/{policy}" for policy in managed_policies]
        props: dict[str, Any] = {
            "assumeRoleActions": list(actions),
            "description": description,
            "managedPolicyArns": [{"arn": arn, "id": arn} for arn in arns],
            "service": service,
        }
        if tags is not None:
            props["tags"] = tags
        super().__init__("eks:index:ServiceRole", name, props, opts)
        statement = {"Action": list(actions), "Effect": "Allow", "Principal": {"Service": [service]}}
        self.role = aws.iam.Role(
            f"{name}-role",
            description=description,
            assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}, separators=(",", ":")),
            tags=tags,
            opts=pulumi.ResourceOptions(parent=self),
        )
        attachments = [
            # pulumi-eks tells attachments apart by eight digits of the policy's hash.
            aws.iam.RolePolicyAttachment(
                f"{name}-{hashlib.sha1(arn.encode(), usedforsecurity=False).hexdigest()[:8]}",
                policy_arn=arn,
                role=cast(
                    Any, self.role
                ),  # a reference, as the real component passes it; the engine makes it the role's id
                opts=pulumi.ResourceOptions(parent=self),
            )
            for arn in arns
        ]
        self.ready: list[pulumi.Resource] = [self.role, *attachments]
        self.register_outputs({"resolvedRole": self.role, "directRole": self.role})
