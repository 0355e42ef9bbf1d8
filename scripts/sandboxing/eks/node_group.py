"""`eks:index:ManagedNodeGroup`: a node group, with a launch template where the inputs need one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from .inputs import Refusals, refuse_unmodelled, stop_if

# Passed on as they are; the node group calls them the same.
_PASSED_ON = {
    "amiType": "ami_type",
    "capacityType": "capacity_type",
    "diskSize": "disk_size",
    "forceUpdateVersion": "force_update_version",
    "instanceTypes": "instance_types",
    "labels": "labels",
    "launchTemplate": "launch_template",
    "nodeGroupName": "node_group_name",
    "nodeGroupNamePrefix": "node_group_name_prefix",
    "releaseVersion": "release_version",
    "remoteAccess": "remote_access",
    "tags": "tags",
    "taints": "taints",
    "version": "version",
}
MODELLED = frozenset(
    {
        *_PASSED_ON,
        "cluster",
        "clusterName",
        "enableIMDSv2",
        "ignoreScalingChanges",
        "nodeRole",
        "nodeRoleArn",
        "operatingSystem",
        "scalingConfig",
        "subnetIds",
    }
)
_OPERATING_SYSTEM = "AL2023"


class ManagedNodeGroup(pulumi.ComponentResource):
    """Children, names and property shapes are those of pulumi-eks 4.4.0. `state` are the component's outputs."""

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        _stop_if_refused(inputs)
        core: pulumi.Output[dict[str, Any]] = pulumi.Output.from_input(inputs["cluster"]).apply(_core)
        given = {key: value for key, value in inputs.items() if value is not None}
        if "version" not in given and "launchTemplate" not in given:
            given["version"] = core.apply(lambda found: found["version"])
        super().__init__("eks:index:ManagedNodeGroup", name, given, opts)
        arguments: dict[str, Any] = {_PASSED_ON[key]: value for key, value in given.items() if key in _PASSED_ON}
        if "enableIMDSv2" in given:
            template = self._launch_template(name, given)
            arguments.pop("disk_size", None)  # it is in the launch template
            arguments["launch_template"] = {"id": template.id, "version": template.latest_version.apply(str)}
        if "operatingSystem" in given and "amiType" not in given:
            arguments["ami_type"] = pulumi.Output.from_input(given.get("instanceTypes")).apply(_ami_type)
        role_arn = given.get("nodeRoleArn")
        if role_arn is None:
            role_arn = pulumi.Output.from_input(given["nodeRole"]).apply(lambda role: role.arn)
        subnet_ids = pulumi.Output.from_input(given["subnetIds"]) if "subnetIds" in given else core["subnetIds"]
        self.node_group = aws.eks.NodeGroup(
            name,
            cluster_name=given.get("clusterName") or core["name"],
            node_role_arn=role_arn,
            scaling_config=_scaling_of(given.get("scalingConfig")),
            subnet_ids=subnet_ids,
            opts=pulumi.ResourceOptions(
                parent=self,
                ignore_changes=["scalingConfig.desiredSize"] if given.get("ignoreScalingChanges") else None,
            ),
            **arguments,
        )
        self.state = {"nodeGroup": self.node_group, "placementGroupName": ""}
        self.register_outputs(self.state)

    def _launch_template(self, name: str, given: Mapping[str, Any]) -> aws.ec2.LaunchTemplate:
        disks = None
        if given.get("diskSize"):
            volume = aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(volume_size=given["diskSize"])
            disks = [aws.ec2.LaunchTemplateBlockDeviceMappingArgs(device_name="/dev/xvda", ebs=volume)]
        return aws.ec2.LaunchTemplate(
            f"{name}-launchTemplate",
            block_device_mappings=disks,
            metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
                http_tokens="required" if given["enableIMDSv2"] else "optional",
                http_put_response_hop_limit=2,
                http_endpoint="enabled",
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )


def _stop_if_refused(inputs: Mapping[str, Any]) -> None:
    refusals: Refusals = refuse_unmodelled(inputs, MODELLED)
    roles = [name for name in ("nodeRole", "nodeRoleArn") if inputs.get(name) is not None]
    if len(roles) != 1:
        refusals.append(("nodeRole", "give exactly one of nodeRole and nodeRoleArn."))
    if inputs.get("launchTemplate") is not None and inputs.get("enableIMDSv2") is not None:
        refusals.append(
            (
                "launchTemplate",
                "cannot be combined with enableIMDSv2: put the metadata options into your launch template.",
            )
        )
    if inputs.get("operatingSystem") not in {None, _OPERATING_SYSTEM}:
        refusals.append(
            ("operatingSystem", f"the sandbox models {_OPERATING_SYSTEM} alone; set amiType to have another.")
        )
    stop_if("eks.ManagedNodeGroup", refusals, MODELLED)


def _core(cluster: Any) -> Any:
    """What a node group needs of the cluster, given either as the component or as its `core`."""
    if isinstance(cluster, eks.Cluster):
        # The SDK reads the component's outputs back as its own class, with Python names.
        return cluster.core.apply(lambda core: _needed(core.cluster, core.subnet_ids))
    return pulumi.Output.from_input(cluster).apply(lambda core: _needed(core["cluster"], core["subnetIds"]))


def _needed(cluster: aws.eks.Cluster, subnet_ids: Any) -> pulumi.Output[dict[str, Any]]:
    return pulumi.Output.all(name=cluster.name, version=cluster.version, subnetIds=subnet_ids)


def _scaling_of(given: Any) -> pulumi.Input[aws.eks.NodeGroupScalingConfigArgs]:
    return pulumi.Output.from_input(given).apply(_scaling)


def _scaling(given: Any) -> aws.eks.NodeGroupScalingConfigArgs:
    config = given or {}
    return aws.eks.NodeGroupScalingConfigArgs(
        desired_size=config.get("desiredSize", 2), max_size=config.get("maxSize", 2), min_size=config.get("minSize", 1)
    )


def _ami_type(instance_types: list[str] | None) -> str:
    # A "g" right after the generation says Graviton: m7g, c8gn.
    graviton = [bool(re.match(r"[a-z]+\d+g", name)) for name in instance_types or ()]
    return f"{_OPERATING_SYSTEM}_ARM_64_STANDARD" if any(graviton) else f"{_OPERATING_SYSTEM}_x86_64_STANDARD"
