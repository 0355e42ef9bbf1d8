"""`eks:index:Cluster`: the control plane with everything that pulumi-eks puts around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from . import access, addons, kubeconfig, security_groups
from .cluster_inputs import stop_if_refused
from .service_role import ServiceRole

_THUMBPRINT = "0" * 40  # the real component asks the issuer's server for it


class Cluster(pulumi.ComponentResource):
    """Children, names and property shapes are those of pulumi-eks 4.4.0 (source read 2026-11-29 and a recorded
    preview).

    `state` are the component's outputs.
    """

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        stop_if_refused(inputs)
        super().__init__("eks:index:Cluster", name, dict(inputs), opts)
        self._name, self._in = name, inputs
        self._child = pulumi.ResourceOptions(parent=self)
        tags = inputs.get("tags")

        role = self._service_role(tags)
        group = self._cluster_security_group()
        cluster = self._control_plane(role, group)
        self._default_addons(cluster)
        config = kubeconfig.of_cluster(cluster.endpoint)
        # The cluster's own name and everything else that policies see is AWS's; only this file leads to the local
        # Kubernetes.
        provider = k8s.Provider(f"{name}-eks-k8s", kubeconfig=kubeconfig.as_json(config), opts=self._child)
        entries = access.create(name, cluster, inputs.get("accessEntries") or {}, self)
        vpc_cni = self._vpc_cni(cluster, provider, entries, tags)
        oidc = self._oidc_provider(cluster)
        nodes, to_api_server = self._node_security_group(cluster, group)

        own_group = cluster.vpc_config.apply(lambda found: found.cluster_security_group_id)
        issuer = cluster.identities.apply(_issuer)
        options = {"version": inputs.get("version"), "nodeSecurityGroup": nodes, "clusterIngressRule": to_api_server}
        core = {
            "cluster": cluster,
            "clusterIamRole": role
            if isinstance(role, pulumi.Output)
            else role.role
            if role
            else inputs.get("serviceRole"),
            "clusterSecurityGroup": group,
            "encryptionConfig": self._encryption(),
            "endpoint": cluster.endpoint,
            "instanceRoles": [],
            "kubeconfig": config,
            "nodeGroupOptions": _without_none(options),
            "nodeSecurityGroupTags": inputs.get("nodeSecurityGroupTags"),
            "oidcProvider": oidc,
            "privateSubnetIds": inputs.get("privateSubnetIds"),
            "provider": provider,
            "publicSubnetIds": inputs.get("publicSubnetIds"),
            "storageClasses": {},
            "subnetIds": self._subnet_ids(),
            "tags": tags,
            "vpcCni": vpc_cni,
            "vpcId": inputs["vpcId"],
        }
        if inputs.get("accessEntries"):
            core["accessEntries"] = list(inputs["accessEntries"].values())
        self.state: dict[str, Any] = {
            "autoModeNodeRoleName": "",
            "clusterIngressRuleId": to_api_server.security_group_rule_id if to_api_server else "",
            "clusterSecurityGroup": group,
            "clusterSecurityGroupId": group.id if group else own_group,
            "core": _without_none(core),
            "defaultNodeGroupAsgName": "",
            "eksCluster": cluster,
            "eksClusterIngressRule": to_api_server,
            "fargateProfileId": "",
            "fargateProfileStatus": "",
            "instanceRoles": [],
            "kubeconfig": config,
            "kubeconfigJson": kubeconfig.as_json(config),
            "nodeSecurityGroup": nodes,
            "nodeSecurityGroupId": nodes.id if nodes else own_group,
            "oidcIssuer": issuer.apply(lambda url: url.replace("https://", "")),
            "oidcProviderArn": oidc.arn if oidc else "",
            "oidcProviderUrl": issuer,
        }
        self.state = _without_none(self.state)
        self.register_outputs(self.state)

    def _service_role(self, tags: Any) -> ServiceRole | None:
        if self._in.get("serviceRole") is not None:
            return None
        return ServiceRole(
            f"{self._name}-eksRole",
            service="eks.amazonaws.com",
            description="Allows EKS to manage clusters on your behalf.",
            actions=["sts:AssumeRole", "sts:TagSession"],
            managed_policies=["AmazonEKSClusterPolicy"],
            tags=tags,
            opts=self._child,
        )

    def _cluster_security_group(self) -> aws.ec2.SecurityGroup | None:
        if self._in.get("skipDefaultSecurityGroups"):
            return None
        tags = self._tags("clusterSecurityGroupTags", Name=f"{self._name}-eksClusterSecurityGroup")
        return security_groups.cluster_group(self._name, self._in["vpcId"], tags, self._child)

    def _control_plane(self, role: ServiceRole | None, group: aws.ec2.SecurityGroup | None) -> aws.eks.Cluster:
        given = self._in
        bootstrap = given.get("bootstrapSelfManagedAddons")
        role_arn = (
            role.role.arn if role else pulumi.Output.from_input(given["serviceRole"]).apply(lambda found: found.arn)
        )
        return aws.eks.Cluster(
            f"{self._name}-eksCluster",
            name=given.get("name"),
            role_arn=role_arn,
            bootstrap_self_managed_addons=True if bootstrap is None else bootstrap,
            vpc_config=aws.eks.ClusterVpcConfigArgs(
                security_group_ids=[group.id] if group else None,
                subnet_ids=self._subnet_ids(),
                endpoint_private_access=given.get("endpointPrivateAccess"),
                endpoint_public_access=given.get("endpointPublicAccess"),
                public_access_cidrs=given.get("publicAccessCidrs"),
            ),
            kubernetes_network_config=self._network(),
            version=given.get("version"),
            enabled_cluster_log_types=given.get("enabledClusterLogTypes"),
            tags=self._tags("clusterTags", Name=f"{self._name}-eksCluster"),
            encryption_config=self._encryption(),
            access_config=aws.eks.ClusterAccessConfigArgs(
                authentication_mode=given["authenticationMode"],
                # pulumi-eks offers no way to switch this off: whoever creates the cluster administers it.
                bootstrap_cluster_creator_admin_permissions=True,
            ),
            upgrade_policy=given.get("upgradePolicy"),
            deletion_protection=given.get("deletionProtection"),
            opts=pulumi.ResourceOptions(
                parent=self,
                ignore_changes=["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"],
                depends_on=role.ready if role else None,
            ),
        )

    def _network(self) -> aws.eks.ClusterKubernetesNetworkConfigArgs | None:
        family, service_range = self._in.get("ipFamily"), self._in.get("kubernetesServiceIpAddressRange")
        if family is None and service_range is None:
            return None
        return aws.eks.ClusterKubernetesNetworkConfigArgs(
            ip_family="ipv4" if family is None else family, service_ipv4_cidr=service_range
        )

    def _addon(self, addon_name: str, cluster: aws.eks.Cluster, options: Mapping[str, Any]) -> None:
        tags = self._in.get("tags")
        name = f"{self._name}-{addon_name}"
        addons.addon(name, addon_name, cluster=cluster, options=options, tags=tags, opts=self._child)

    def _default_addons(self, cluster: aws.eks.Cluster) -> None:
        kube_proxy = self._in.get("kubeProxyAddonOptions") or {}
        if kube_proxy.get("enabled") is not False:
            self._addon("kube-proxy", cluster, kube_proxy)
        coredns = self._in.get("corednsAddonOptions") or {}
        # Without a default node group there is nothing for coredns to run on, so pulumi-eks waits to be asked for it.
        if coredns.get("enabled") or (coredns.get("configurationValues") and coredns.get("enabled") is not False):
            self._addon("coredns", cluster, coredns)

    def _vpc_cni(
        self, cluster: aws.eks.Cluster, provider: k8s.Provider, entries: list[pulumi.Resource], tags: Any
    ) -> addons.VpcCniAddon | None:
        if self._in.get("useDefaultVpcCni"):
            return None
        opts = pulumi.ResourceOptions(parent=self, depends_on=entries, providers={"kubernetes": provider})
        return addons.VpcCniAddon(f"{self._name}-vpc-cni", cluster, tags, opts)

    def _oidc_provider(self, cluster: aws.eks.Cluster) -> aws.iam.OpenIdConnectProvider | None:
        if not self._in.get("createOidcProvider"):
            return None
        return aws.iam.OpenIdConnectProvider(
            f"{self._name}-oidcProvider",
            client_id_lists=["sts.amazonaws.com"],
            url=cluster.identities.apply(_issuer),
            thumbprint_lists=[_THUMBPRINT],
            opts=self._child,
        )

    def _node_security_group(
        self, cluster: aws.eks.Cluster, group: aws.ec2.SecurityGroup | None
    ) -> tuple[aws.ec2.SecurityGroup | None, aws.ec2.SecurityGroupRule | None]:
        if group is None:
            return None, None
        given = pulumi.Output.all(cluster.name, self._in.get("nodeSecurityGroupTags"), self._in.get("tags"))
        tags = given.apply(
            lambda found: {
                "Name": f"{self._name}-nodeSecurityGroup",
                f"kubernetes.io/cluster/{found[0]}": "owned",
                **(found[1] or {}),
                **(found[2] or {}),
            }
        )
        return security_groups.node_group(self._name, self._in["vpcId"], tags, group, self._child)

    def _encryption(self) -> Any:
        key = self._in.get("encryptionConfigKeyArn")
        return None if key is None else {"provider": {"keyArn": key}, "resources": ["secrets"]}

    def _subnet_ids(self) -> Any:
        if self._in.get("subnetIds") is not None:
            return self._in["subnetIds"]
        both = pulumi.Output.all(self._in.get("publicSubnetIds"), self._in.get("privateSubnetIds"))
        return both.apply(lambda found: [*(found[0] or []), *(found[1] or [])])

    def _tags(self, extra: str, **own: str) -> pulumi.Output[dict[str, str]]:
        given = pulumi.Output.all(self._in.get(extra), self._in.get("tags"))
        return given.apply(lambda found: {**own, **(found[0] or {}), **(found[1] or {})})


def _issuer(identities: Any) -> str:
    return str(identities[0].oidcs[0].issuer) if identities and identities[0].oidcs else ""


def _without_none(properties: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if value is not None}
