"""The system nodes: the managed node group that Karpenter, CoreDNS and the operators run on."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.identity import EC2, NO_RULES, NODE_POLICIES, RoleRules, role_with_policies

ROOT_VOLUME_GIB = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemNodesArgs:
    """One managed node group for each zone that has system nodes."""

    cluster: eks.Cluster
    kubernetes_version: str
    """Follows the control plane; raising it rolls the nodes."""
    subnet_ids: Mapping[str, pulumi.Input[str]]
    """Zone -> private subnet. A change REPLACES the node group of that zone."""
    instance_type: str
    """A change REPLACES the node groups."""
    per_zone: Mapping[str, int]
    """Zone -> nodes. A zone that comes or goes makes or deletes its node group."""
    partition: str
    tags: Mapping[str, str]
    """For the instances and volumes, which do not get the provider's default tags."""
    role_rules: RoleRules = NO_RULES


class SystemNodes(pulumi.ComponentResource):
    """Role, launch template and node groups: IMDSv2 with hop limit 1 (out of pods' reach), encrypted gp3 root volume.

    A group for each zone, because one group over several zones spreads its nodes evenly, and a node that is lost may
    come back elsewhere: an EBS volume would then have no node to be attached to.
    """

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
            rules=args.role_rules,
        )
        template = _template(name, args.tags, child)
        for zone, count in args.per_zone.items():
            eks.ManagedNodeGroup(
                f"{name}-{zone}",
                cluster=args.cluster,
                node_role_arn=role.arn,
                subnet_ids=[args.subnet_ids[zone]],
                instance_types=[args.instance_type],
                ami_type="AL2023_x86_64_STANDARD",
                version=args.kubernetes_version,
                labels={ROLE_LABEL: SYSTEM_ROLE},
                # One more while nodes are exchanged: a version's upgrade starts the new node first.
                scaling_config=aws.eks.NodeGroupScalingConfigArgs(
                    min_size=count, desired_size=count, max_size=count + 1
                ),
                launch_template=aws.eks.NodeGroupLaunchTemplateArgs(
                    id=template.id, version=template.latest_version.apply(lambda number: str(int(number)))
                ),
                opts=child.merge(pulumi.ResourceOptions(depends_on=attachments)),
            )
        self.register_outputs({})


def _template(name: str, tags: Mapping[str, str], opts: pulumi.ResourceOptions) -> aws.ec2.LaunchTemplate:
    return aws.ec2.LaunchTemplate(
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
            aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags={"Name": name, **tags})
            for kind in ("instance", "volume")
        ],
        opts=opts,
    )
