"""The EKS cluster with its add-ons, system nodes and the one Kubernetes provider of the stack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as k8s

from components.cluster.access import create_access_entries
from components.cluster.system_nodes import SystemNodes, SystemNodesArgs
from components.identity import POD_IDENTITY, role_with_policies
from stacks.cluster import Access

CONTROL_PLANE_LOGS = ("api", "audit", "authenticator", "controllerManager", "scheduler")


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingClusterArgs:
    """One EKS cluster whose API is reached privately unless `public_cidrs` names blocks."""

    cluster_name: str
    """A change REPLACES the cluster."""
    kubernetes_version: str
    support_type: str
    vpc_id: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private subnets in at least two zones, for the control plane's interfaces and the system nodes."""
    public_cidrs: Sequence[str]
    access: Sequence[Access]
    deletion_protection: bool
    system_instance_type: str
    system_count: int
    partition: str
    tags: Mapping[str, str]


class TrainingCluster(pulumi.ComponentResource):
    """Control plane, add-ons and system nodes, in the order that lets nodes become ready.

    vpc-cni, kube-proxy and the Pod Identity agent come before the first node, CoreDNS (which needs nodes) after. Add-on
    versions are EKS' default for the Kubernetes version: no offline source lists them.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    security_group_id: pulumi.Output[str]
    """The group that EKS makes and puts on every node; not one of ours."""
    kubernetes: k8s.Provider

    def __init__(self, name: str, args: TrainingClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:cluster:TrainingCluster", name, {}, opts)
        self._prefix, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        control_plane = self._control_plane()
        self.name = control_plane.eks_cluster.name
        self.arn = control_plane.eks_cluster.arn
        self.endpoint = control_plane.eks_cluster.endpoint
        self.security_group_id = control_plane.cluster_security_group_id
        self.kubernetes = k8s.Provider(
            f"{name}-k8s",
            kubeconfig=control_plane.kubeconfig_json,
            # Not the name: a replaced cluster keeps its name, and Pulumi would take the old one's objects for alive.
            cluster_identifier=self.endpoint,
            opts=self._child,
        )
        create_access_entries(
            f"{name}-access", args.access, cluster_name=self.name, partition=args.partition, opts=self._child
        )
        system_nodes = SystemNodes(
            f"{name}-system",
            SystemNodesArgs(
                cluster=control_plane,
                kubernetes_version=args.kubernetes_version,
                subnet_ids=args.subnet_ids,
                instance_type=args.system_instance_type,
                count=args.system_count,
                partition=args.partition,
                tags=args.tags,
            ),
            opts=self._child.merge(pulumi.ResourceOptions(depends_on=self._addons_before_nodes())),
        )
        self._addon("coredns", depends_on=[system_nodes])
        self.register_outputs({"name": self.name, "endpoint": self.endpoint, "securityGroupId": self.security_group_id})

    def _control_plane(self) -> eks.Cluster:
        args = self._args
        public = bool(args.public_cidrs)
        return eks.Cluster(
            f"{self._prefix}-eks",
            name=args.cluster_name,
            version=args.kubernetes_version,
            vpc_id=args.vpc_id,
            private_subnet_ids=list(args.subnet_ids),
            authentication_mode=eks.AuthenticationMode.API,
            # Everything in the cluster gets its AWS identity from Pod Identity.
            create_oidc_provider=False,
            skip_default_node_group=True,
            # Nodes carry the group that EKS makes; those of pulumi-eks are for its own node groups.
            skip_default_security_groups=True,
            # Every add-on is our own resource, so none may come with the cluster.
            bootstrap_self_managed_addons=False,
            use_default_vpc_cni=True,
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(enabled=False),
            coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
            endpoint_private_access=True,
            endpoint_public_access=public,
            # pulumi-eks refuses blocks beside a private endpoint, even an empty list of them.
            public_access_cidrs=list(args.public_cidrs) if public else None,
            enabled_cluster_log_types=list(CONTROL_PLANE_LOGS),
            deletion_protection=args.deletion_protection,
            upgrade_policy=aws.eks.ClusterUpgradePolicyArgs(support_type=args.support_type),
            opts=self._child,
        )

    def _addons_before_nodes(self) -> Sequence[pulumi.Resource]:
        role, attachments = role_with_policies(
            f"{self._prefix}-vpc-cni",
            service=POD_IDENTITY,
            policies=["AmazonEKS_CNI_Policy"],
            partition=self._args.partition,
            description="VPC CNI of the EKS cluster",
            opts=self._child,
        )
        identity = aws.eks.AddonPodIdentityAssociationArgs(service_account="aws-node", role_arn=role.arn)
        return [
            self._addon("eks-pod-identity-agent"),
            self._addon("kube-proxy"),
            self._addon("vpc-cni", depends_on=attachments, pod_identities=[identity]),
        ]

    def _addon(
        self,
        addon: str,
        *,
        depends_on: Sequence[pulumi.Resource] = (),
        pod_identities: Sequence[aws.eks.AddonPodIdentityAssociationArgs] = (),
    ) -> aws.eks.Addon:
        return aws.eks.Addon(
            f"{self._prefix}-{addon}",
            cluster_name=self.name,
            addon_name=addon,
            # What this program says wins over what someone changed in the cluster by hand.
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            pod_identity_associations=list(pod_identities) or None,
            opts=self._child.merge(pulumi.ResourceOptions(depends_on=list(depends_on))),
        )
