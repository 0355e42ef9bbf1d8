"""Which clusters the sandbox can make: judged whole before anything is created."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi

from . import access, addons, kubeconfig
from .inputs import Refusals, plain_options, refuse_unmodelled, stop_if

MODELLED = frozenset(
    {
        "accessEntries",
        "authenticationMode",
        "bootstrapSelfManagedAddons",
        "clusterSecurityGroupTags",
        "clusterTags",
        "corednsAddonOptions",
        "createOidcProvider",
        "deletionProtection",
        "enabledClusterLogTypes",
        "encryptionConfigKeyArn",
        "endpointPrivateAccess",
        "endpointPublicAccess",
        "ipFamily",
        "kubeProxyAddonOptions",
        "kubernetesServiceIpAddressRange",
        "name",
        "nodeSecurityGroupTags",
        "privateSubnetIds",
        "providerCredentialOpts",
        "publicAccessCidrs",
        "publicSubnetIds",
        "serviceRole",
        "skipDefaultNodeGroup",
        "skipDefaultSecurityGroups",
        "subnetIds",
        "tags",
        "upgradePolicy",
        "useDefaultVpcCni",
        "version",
        "vpcId",
    }
)


def stop_if_refused(inputs: Mapping[str, Any]) -> None:
    """Raises one error with everything in `inputs` that the sandbox does not model or cannot do without."""
    refusals = refuse_unmodelled(inputs, MODELLED)
    for name in ("kubeProxyAddonOptions", "corednsAddonOptions"):
        plain_options(name, inputs, addons.OPTIONS, refusals)
    entries = plain_options("accessEntries", inputs, inputs.get("accessEntries") or (), refusals)
    refusals += access.refusals(entries)
    refusals += _required(inputs)
    if not pulumi.runtime.is_dry_run() and (problem := kubeconfig.problem()):
        refusals.append(("kubeconfig", problem))
    stop_if("eks.Cluster", refusals, MODELLED)


def _required(inputs: Mapping[str, Any]) -> Refusals:
    found: Refusals = []
    if inputs.get("authenticationMode") != "API":
        found.append(
            (
                "authenticationMode",
                'must be "API": the sandbox has no aws-auth ConfigMap. Give access by accessEntries.',
            )
        )
    if inputs.get("skipDefaultNodeGroup") is not True:
        found.append(
            ("skipDefaultNodeGroup", "must be true: add an eks.ManagedNodeGroup instead of the default node group.")
        )
    if inputs.get("vpcId") is None:
        found.append(
            ("vpcId", "is missing: the sandbox has no default VPC to look up. Pass the id of a VPC of this stack.")
        )
    if all(inputs.get(name) is None for name in ("subnetIds", "privateSubnetIds", "publicSubnetIds")):
        found.append(("subnetIds", "no subnets: pass subnetIds, or privateSubnetIds and publicSubnetIds."))
    elif inputs.get("subnetIds") is not None and (inputs.get("privateSubnetIds") or inputs.get("publicSubnetIds")):
        found.append(
            ("subnetIds", "cannot be combined with privateSubnetIds or publicSubnetIds: choose one of the two ways.")
        )
    return found
