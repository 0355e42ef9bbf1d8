"""EKS add-ons: each one our own resource, with its version, its settings and its AWS identity."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from components.catalog.addon import Addon
from components.catalog.addons import ADDONS
from components.identity import POD_IDENTITY, RoleRules, role_with_policies


@dataclass(frozen=True, kw_only=True, slots=True)
class AddonsArgs:
    """What the add-ons of one cluster share."""

    prefix: str
    """Of the names in Pulumi's state."""
    cluster_name: pulumi.Input[str]
    """A change REPLACES every add-on."""
    versions: Mapping[str, str]
    """Add-on -> version. One that is missing is EKS' default on the day of the update."""
    prefix_delegation: bool
    """Nodes take addresses for pods as /28s: more pods on a node than its interfaces have addresses."""
    partition: str
    role_rules: RoleRules
    tags: Mapping[str, str] = field(default_factory=dict)
    """For the volumes that the EBS driver makes, which do not get the provider's default tags."""


class Addons(pulumi.ComponentResource):
    """The add-ons that nodes need before they become ready, or those that need nodes; see `before_nodes`."""

    def __init__(
        self, name: str, args: AddonsArgs, *, before_nodes: bool, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("ekstraining:cluster:Addons", name, {}, opts)
        self._args, self._child = args, pulumi.ResourceOptions(parent=self)
        for addon in ADDONS.values():
            if addon.before_nodes == before_nodes:
                self._addon(addon)
        self.register_outputs({})

    def _addon(self, addon: Addon) -> None:
        args = self._args
        name = f"{args.prefix}-{addon.name}"
        identity, attachments = self._identity(name, addon)
        settings = addon_settings(addon.name, prefix_delegation=args.prefix_delegation, tags=args.tags)
        aws.eks.Addon(
            name,
            cluster_name=args.cluster_name,
            addon_name=addon.name,
            addon_version=args.versions.get(addon.name),
            # What this program says wins over what someone changed in the cluster by hand.
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            configuration_values=json.dumps(settings, sort_keys=True) if settings else None,
            pod_identity_associations=identity,
            opts=self._child.merge(pulumi.ResourceOptions(depends_on=list(attachments))),
        )

    def _identity(
        self, name: str, addon: Addon
    ) -> tuple[list[aws.eks.AddonPodIdentityAssociationArgs] | None, Sequence[pulumi.Resource]]:
        if addon.policy is None or addon.service_account is None:
            return None, ()
        role, attachments = role_with_policies(
            name,
            service=POD_IDENTITY,
            policies=[addon.policy],
            partition=self._args.partition,
            description=f"Add-on {addon.name} of the EKS cluster",
            opts=self._child,
            rules=self._args.role_rules,
        )
        identity = aws.eks.AddonPodIdentityAssociationArgs(service_account=addon.service_account, role_arn=role.arn)
        return [identity], attachments


def addon_settings(addon: str, *, prefix_delegation: bool, tags: Mapping[str, str]) -> Mapping[str, Any]:
    """What an add-on is told, in the form of its configuration schema; empty where its defaults do.

    Source: EKS user guide, "cni-network-policy-configure" and "cni-increase-ip-addresses"; aws-ebs-csi-driver chart,
    `controller.extraVolumeTags` (read 2026-11-29). Compare with `aws eks describe-addon-configuration`.
    """
    if addon == "vpc-cni":
        # Without this NetworkPolicy objects are accepted and do nothing.
        policy = {"enableNetworkPolicy": "true"}
        prefixes = {"env": {"ENABLE_PREFIX_DELEGATION": "true", "WARM_PREFIX_TARGET": "1"}}
        return {**policy, **(prefixes if prefix_delegation else {})}
    if addon == "aws-ebs-csi-driver":
        # Here and not in the StorageClass, whose parameters can never change.
        return {"controller": {"extraVolumeTags": dict(sorted(tags.items()))}} if tags else {}
    return {}
