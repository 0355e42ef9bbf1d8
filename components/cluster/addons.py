"""The add-ons that every cluster gets, with their settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from components.addon import AddonArgs, create_addon
from components.catalog.addons import ADDONS
from components.identity import RoleRules


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
        for addon in ADDONS.values():
            if addon.before_nodes == before_nodes:
                create_addon(
                    f"{args.prefix}-{addon.name}",
                    AddonArgs(
                        addon=addon,
                        cluster_name=args.cluster_name,
                        version=args.versions.get(addon.name),
                        partition=args.partition,
                        role_rules=args.role_rules,
                        settings=addon_settings(addon.name, prefix_delegation=args.prefix_delegation, tags=args.tags),
                    ),
                    opts=pulumi.ResourceOptions(parent=self),
                )
        self.register_outputs({})


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
