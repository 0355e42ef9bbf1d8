"""The one way an EKS add-on is made: pinned, in charge of its own settings, with an AWS identity of its own."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from components.catalog.addon import Addon
from components.identity import NO_RULES, POD_IDENTITY, RoleRules, role, role_with_policies


@dataclass(frozen=True, kw_only=True, slots=True)
class AddonArgs:
    """One add-on of one cluster."""

    addon: Addon
    cluster_name: pulumi.Input[str]
    """A change REPLACES the add-on."""
    version: str | None
    """None: EKS' default on the day of the update."""
    partition: str
    role_rules: RoleRules = NO_RULES
    settings: Mapping[str, Any] | None = None
    """In the form of the add-on's configuration schema, which refuses any key that it does not list."""
    policy: pulumi.Input[str] | None = None
    """JSON text of a policy of ours for its service account, where the catalog names none of AWS'."""


def create_addon(name: str, args: AddonArgs, *, opts: pulumi.ResourceOptions) -> aws.eks.Addon:
    """The add-on, after the rights of the role that it runs under."""
    identity, rights = _identity(name, args, opts)
    return aws.eks.Addon(
        name,
        cluster_name=args.cluster_name,
        addon_name=args.addon.name,
        addon_version=args.version,
        # What this program says wins over what someone changed in the cluster by hand.
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="OVERWRITE",
        configuration_values=json.dumps(args.settings, sort_keys=True) if args.settings else None,
        pod_identity_associations=identity,
        opts=opts.merge(pulumi.ResourceOptions(depends_on=list(rights))),
    )


def _identity(
    name: str, args: AddonArgs, opts: pulumi.ResourceOptions
) -> tuple[list[aws.eks.AddonPodIdentityAssociationArgs] | None, Sequence[pulumi.Resource]]:
    addon, description = args.addon, f"Add-on {args.addon.name} of the EKS cluster"
    if addon.service_account is None or (addon.policy is None and args.policy is None):
        return None, ()
    rights: list[pulumi.Resource]
    if addon.policy is not None:
        made, rights = role_with_policies(
            name,
            service=POD_IDENTITY,
            policies=[addon.policy],
            partition=args.partition,
            description=description,
            opts=opts,
            rules=args.role_rules,
        )
    else:
        made = role(name, service=POD_IDENTITY, description=description, opts=opts, rules=args.role_rules)
        rights = []
    if args.policy is not None:
        rights.append(aws.iam.RolePolicy(f"{name}-rights", role=made.name, policy=args.policy, opts=opts))
    association = aws.eks.AddonPodIdentityAssociationArgs(service_account=addon.service_account, role_arn=made.arn)
    return [association], rights
