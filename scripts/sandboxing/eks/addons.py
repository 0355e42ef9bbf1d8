"""The add-ons that pulumi-eks installs by itself unless it is told not to: vpc-cni, kube-proxy, coredns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws

OPTIONS = ("configurationValues", "enabled", "resolveConflictsOnCreate", "resolveConflictsOnUpdate", "version")

# What pulumi-eks passes to the CNI without vpcCniOptions. Source: shared/data/eks-children.json, recorded from
# pulumi-eks 4.
_CNI_DEFAULTS = {
    "env": {
        "AWS_VPC_ENI_MTU": "9001",
        "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "false",
        "AWS_VPC_K8S_CNI_EXTERNALSNAT": "false",
        "AWS_VPC_K8S_CNI_LOGLEVEL": "DEBUG",
        "AWS_VPC_K8S_CNI_LOG_FILE": "/host/var/log/aws-routed-eni/ipamd.log",
        "AWS_VPC_K8S_CNI_VETHPREFIX": "eni",
        "AWS_VPC_K8S_PLUGIN_LOG_FILE": "/var/log/aws-routed-eni/plugin.log",
        "AWS_VPC_K8S_PLUGIN_LOG_LEVEL": "DEBUG",
        "ENABLE_POD_ENI": "false",
        "WARM_ENI_TARGET": "1",
    },
    "init": {"env": {"DISABLE_TCP_EARLY_DEMUX": "false"}},
}


def addon(
    resource_name: str,
    addon_name: str,
    *,
    cluster: aws.eks.Cluster,
    options: Mapping[str, Any],
    tags: Any,
    opts: pulumi.ResourceOptions,
) -> aws.eks.Addon:
    """An add-on of `cluster` in the version of `options`, else the newest for the cluster's Kubernetes version."""
    version = options.get("version") or aws.eks.get_addon_version_output(
        addon_name=addon_name,
        kubernetes_version=cluster.version,
        most_recent=True,
        opts=pulumi.InvokeOutputOptions(parent=opts.parent),
    ).apply(lambda found: found.version)
    configuration = options.get("configurationValues")
    return aws.eks.Addon(
        resource_name,
        cluster_name=cluster.name,
        addon_name=addon_name,
        addon_version=version,
        preserve=True,
        resolve_conflicts_on_create=options.get("resolveConflictsOnCreate") or "OVERWRITE",
        resolve_conflicts_on_update=options.get("resolveConflictsOnUpdate") or "OVERWRITE",
        configuration_values=pulumi.Output.json_dumps(configuration) if configuration else None,
        tags=tags,
        opts=opts,
    )


class VpcCniAddon(pulumi.ComponentResource):
    """`eks:index:VpcCniAddon` with its default settings."""

    def __init__(self, name: str, cluster: aws.eks.Cluster, tags: Any, opts: pulumi.ResourceOptions) -> None:
        props: dict[str, Any] = {"clusterName": cluster.name, "clusterVersion": cluster.version}
        if tags is not None:
            props["tags"] = tags
        super().__init__("eks:index:VpcCniAddon", name, props, opts)
        defaults = {"configurationValues": _CNI_DEFAULTS}
        self.addon = addon(
            name, "vpc-cni", cluster=cluster, options=defaults, tags=tags, opts=pulumi.ResourceOptions(parent=self)
        )
        self.register_outputs({"addon": self.addon})
