"""The EKS cluster with its add-ons, system nodes and the Kubernetes providers of the stack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as k8s

from components.catalog.addons import ADDONS
from components.cluster.access import create_access_entries
from components.cluster.addons import Addons, AddonsArgs
from components.cluster.encryption import secrets_key
from components.cluster.storage_class import create_default_class
from components.cluster.system_nodes import SystemNodes, SystemNodesArgs
from components.cluster.tunnel import through_tunnel
from components.identity import EKS, NO_RULES, RoleRules, role_with_policies
from components.kms import NONE
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
    subnet_ids: Mapping[str, pulumi.Input[str]]
    """Zone -> private subnet, at least two, for the control plane's interfaces and the system nodes."""
    public_cidrs: Sequence[str]
    access: Sequence[Access]
    deletion_protection: bool
    system_instance_type: str
    system_per_zone: Mapping[str, int]
    """Zone -> system nodes."""
    partition: str
    tags: Mapping[str, str]
    service_cidr: str = "172.20.0.0/16"
    """Block of the Services' addresses. A change REPLACES the cluster."""
    kms_key: str = NONE
    """`create`, `none` or the ARN of a key. Taking a key off or exchanging it REPLACES the cluster."""
    protect: bool = False
    """Refuse to delete the key of ours."""
    log_retention_days: int = 90
    addon_versions: Mapping[str, str] = field(default_factory=dict)
    prefix_delegation: bool = False
    tunnel: bool = False
    """Whether this program reaches the API through `./scripts/tunnel`."""
    role_rules: RoleRules = NO_RULES


class TrainingCluster(pulumi.ComponentResource):
    """Control plane, add-ons and system nodes, in the order that lets nodes become ready.

    vpc-cni, kube-proxy and the Pod Identity agent come before the first node; CoreDNS and the others, whose pods need
    nodes, after; the default StorageClass last.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    security_group_id: pulumi.Output[str]
    """The group that EKS makes and puts on every node; not one of ours."""
    kubernetes: k8s.Provider
    kubernetes_fixed: k8s.Provider
    """For objects with fixed names of which Kubernetes lets nothing change: volumes, claims, StorageClasses.

    The other one applies a replacement on the server in a preview, over the old object, and that is refused there
    ("spec.persistentvolumesource is immutable after creation"): the preview fails. This one does not apply it.
    """

    def __init__(self, name: str, args: TrainingClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:cluster:TrainingCluster", name, {}, opts)
        self._prefix, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        control_plane = self._control_plane()
        self.name = control_plane.eks_cluster.name
        self.arn = control_plane.eks_cluster.arn
        self.endpoint = control_plane.eks_cluster.endpoint
        self.security_group_id = control_plane.cluster_security_group_id
        kubeconfig = control_plane.kubeconfig_json
        self.kubernetes, self.kubernetes_fixed = (
            k8s.Provider(
                f"{name}-{suffix}",
                kubeconfig=kubeconfig.apply(through_tunnel) if args.tunnel else kubeconfig,
                # Not the name: a replaced cluster keeps its name, and Pulumi would take the old one's objects for
                # alive.
                cluster_identifier=self.endpoint,
                enable_server_side_apply=server_side,
                # New data under the old name: made anew, a Secret would be away for a moment.
                enable_secret_mutable=True,
                opts=self._child,
            )
            for suffix, server_side in (("k8s", None), ("k8s-fixed", False))
        )
        create_access_entries(
            f"{name}-access", args.access, cluster_name=self.name, partition=args.partition, opts=self._child
        )
        addons = AddonsArgs(
            prefix=name,
            cluster_name=self.name,
            versions=args.addon_versions,
            prefix_delegation=args.prefix_delegation,
            partition=args.partition,
            role_rules=args.role_rules,
            tags=args.tags,
        )
        networking = Addons(f"{name}-addons", addons, before_nodes=True, opts=self._child)
        nodes = SystemNodes(
            f"{name}-system",
            SystemNodesArgs(
                cluster=control_plane,
                kubernetes_version=args.kubernetes_version,
                subnet_ids=args.subnet_ids,
                instance_type=args.system_instance_type,
                per_zone=args.system_per_zone,
                partition=args.partition,
                tags=args.tags,
                role_rules=args.role_rules,
            ),
            opts=self._after(networking),
        )
        drivers = Addons(f"{name}-node-addons", addons, before_nodes=False, opts=self._after(nodes))
        create_default_class(name, opts=self._after(drivers).merge(pulumi.ResourceOptions(provider=self.kubernetes)))
        self._warn_of_open_versions()
        self.register_outputs({"name": self.name, "endpoint": self.endpoint, "securityGroupId": self.security_group_id})

    def _after(self, *those: pulumi.Resource) -> pulumi.ResourceOptions:
        return self._child.merge(pulumi.ResourceOptions(depends_on=list(those)))

    def _warn_of_open_versions(self) -> None:
        if unsaid := [addon for addon in ADDONS if addon not in self._args.addon_versions]:
            pulumi.log.warn(
                f"cluster.addonVersions names no version of {', '.join(unsaid)}: EKS installs its default of the day. "
                "Take them from: aws eks describe-addon-versions --kubernetes-version "
                f"{self._args.kubernetes_version}"
            )

    def _control_plane(self) -> eks.Cluster:
        args = self._args
        public = bool(args.public_cidrs)
        # Ours instead of pulumi-eks' own, which takes neither boundary nor path.
        role, attachments = role_with_policies(
            f"{self._prefix}-role",
            service=EKS,
            policies=["AmazonEKSClusterPolicy"],
            partition=args.partition,
            description="Control plane of the EKS cluster",
            opts=self._child,
            rules=args.role_rules,
        )
        # Before the cluster: EKS makes the group itself if it is missing, without an end to its records, and keeps it.
        logs = aws.cloudwatch.LogGroup(
            f"{self._prefix}-logs",
            name=f"/aws/eks/{args.cluster_name}/cluster",
            retention_in_days=args.log_retention_days,
            opts=self._child,
        )
        return eks.Cluster(
            f"{self._prefix}-eks",
            name=args.cluster_name,
            version=args.kubernetes_version,
            vpc_id=args.vpc_id,
            service_role=role,
            private_subnet_ids=list(args.subnet_ids.values()),
            kubernetes_service_ip_address_range=args.service_cidr,
            encryption_config_key_arn=secrets_key(self._prefix, args.kms_key, protect=args.protect, opts=self._child),
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
            opts=self._after(logs, *attachments),
        )
