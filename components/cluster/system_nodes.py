"""The system nodes: the managed node group that Karpenter, CoreDNS and the operators run on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.identity import EC2, NODE_POLICIES, role_with_policies

ROOT_VOLUME_GIB = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemNodesArgs:
    """One managed node group across all given subnets."""

    cluster: eks.Cluster
    kubernetes_version: str
    """Follows the control plane; raising it rolls the nodes."""
    subnet_ids: Sequence[pulumi.Input[str]]
    instance_type: str
    """A change REPLACES the node group."""
    count: int
    partition: str
    tags: Mapping[str, str]
    """For the instances and volumes, which do not get the provider's default tags."""


class SystemNodes(pulumi.ComponentResource):
    """Role, launch template and node group: IMDSv2 with hop limit 1 (out of pods' reach), encrypted gp3 root volume."""

    def __init__(self, name: str, args: SystemNodesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:cluster:SystemNodes", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        role, attachments = role_with_policies(
            f"{name}-role",
            service=EC2,
            policies=NODE_POLICIES,
            partition=args.partition,
            description="System nodes of the EKS cluster",
            opts=child,
        )
        template = aws.ec2.LaunchTemplate(
            f"{name}-template",
            # Without this a changed template makes a version that nothing uses.
            update_default_version=True,
            metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
                http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
            ),
            block_device_mappings=[
                aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
                    device_name="/dev/xvda",
                    ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
                        volume_size=ROOT_VOLUME_GIB, volume_type="gp3", encrypted="true", delete_on_termination="true"
                    ),
                )
            ],
            tag_specifications=[
                aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags={"Name": name, **args.tags})
                for kind in ("instance", "volume")
            ],
            opts=child,
        )
        eks.ManagedNodeGroup(
            f"{name}-group",
            cluster=args.cluster,
            node_role_arn=role.arn,
            subnet_ids=list(args.subnet_ids),
            instance_types=[args.instance_type],
            ami_type="AL2023_x86_64_STANDARD",
            version=args.kubernetes_version,
            labels={ROLE_LABEL: SYSTEM_ROLE},
            scaling_config=aws.eks.NodeGroupScalingConfigArgs(
                min_size=args.count, desired_size=args.count, max_size=args.count + 1
            ),
            launch_template=aws.eks.NodeGroupLaunchTemplateArgs(
                id=template.id, version=template.latest_version.apply(lambda number: str(int(number)))
            ),
            opts=child.merge(pulumi.ResourceOptions(depends_on=attachments)),
        )
        self.register_outputs({})
