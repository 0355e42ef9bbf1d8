"""A team: what its members may do, how many devices its pods get, and the identity of its jobs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from components.catalog.instance_types import NEURON_RESOURCE
from components.catalog.pins import KUBE_PROMETHEUS_STACK, KUBERAY
from components.identity import NO_RULES, RoleRules
from components.platform.team_role import member_rules
from components.storage.bucket_access import ServiceAccountAccess, ServiceAccountAccessArgs
from components.storage.object_rights import Grant
from stacks.node_pools import NodePool
from stacks.teams import TeamSpec

ROLE = "team-member"
CALLERS = (KUBERAY.namespace, KUBE_PROMETHEUS_STACK.namespace)
"""Namespaces whose pods call those of a team: KubeRay submits to the head of a RayJob, Prometheus reads metrics."""
SYSTEM_PRIORITIES = ("system-cluster-critical", "system-node-critical")
"""Any pod of any namespace may name them, and then has others end for it (Kubernetes 1.17 and later)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TeamArgs:
    """One team; its namespace is made before, and its queue with the others of Volcano or Kueue."""

    spec: TeamSpec
    """Entry of section `teams`. Another name REPLACES everything."""
    pools: Sequence[NodePool]
    """`nodePools` of the environment."""
    cluster_name: pulumi.Input[str]
    """A change REPLACES the access entries and the association."""
    bucket_arns: Mapping[str, pulumi.Input[str]]
    """Name in `storage.buckets` -> ARN."""
    parts: Collection[str] = ()
    """Fields of section `platform` that are on: members may make their kinds of jobs."""
    kms_key_arn: pulumi.Input[str] | None = None
    """Key of the buckets, if any."""
    role_rules: RoleRules = NO_RULES


class Team(pulumi.ComponentResource):
    """Rights, quotas, network policy, access entries and, where the team has buckets, a service account with a role."""

    namespace: str
    group: str
    """Kubernetes group of the members."""
    role_arn: pulumi.Output[str] | None
    """Of the service account; None without buckets."""

    def __init__(self, name: str, args: TeamArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:Team", name, {}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        self.namespace, self.group = args.spec.name, args.spec.group
        binding = self._rights()
        self._quotas()
        self._network()
        self._members(binding)
        self.role_arn = self._identity()
        self.register_outputs({"namespace": self.namespace, "group": self.group, "roleArn": self.role_arn})

    def _metadata(self, name: str) -> k8s.meta.v1.ObjectMetaArgs:
        return k8s.meta.v1.ObjectMetaArgs(name=name, namespace=self.namespace)

    def _rights(self) -> pulumi.Resource:
        role = k8s.rbac.v1.Role(
            f"{self._name}-role",
            metadata=self._metadata(ROLE),
            rules=member_rules(self._args.parts),
            opts=self._child,
        )
        return k8s.rbac.v1.RoleBinding(
            f"{self._name}-members",
            metadata=self._metadata(ROLE),
            role_ref=k8s.rbac.v1.RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="Role", name=ROLE),
            subjects=[k8s.rbac.v1.SubjectArgs(api_group="rbac.authorization.k8s.io", kind="Group", name=self.group)],
            opts=self._child.merge(pulumi.ResourceOptions(depends_on=[role])),
        )

    def _quotas(self) -> None:
        k8s.core.v1.ResourceQuota(
            f"{self._name}-quota",
            metadata=self._metadata("team"),
            spec=k8s.core.v1.ResourceQuotaSpecArgs(hard=hard_limits(self._args.spec, self._args.pools)),
            opts=self._child,
        )
        k8s.core.v1.ResourceQuota(
            f"{self._name}-priorities",
            metadata=self._metadata("no-system-priority"),
            spec=k8s.core.v1.ResourceQuotaSpecArgs(
                hard={"pods": "0"},
                scope_selector=k8s.core.v1.ScopeSelectorArgs(
                    match_expressions=[
                        k8s.core.v1.ScopedResourceSelectorRequirementArgs(
                            scope_name="PriorityClass", operator="In", values=list(SYSTEM_PRIORITIES)
                        )
                    ]
                ),
            ),
            opts=self._child,
        )

    def _network(self) -> None:
        """Closed to other teams' pods; the way out stays open, and EFA traffic passes no policy of Kubernetes."""
        peers = [
            k8s.networking.v1.NetworkPolicyPeerArgs(pod_selector=k8s.meta.v1.LabelSelectorArgs()),
            k8s.networking.v1.NetworkPolicyPeerArgs(
                namespace_selector=k8s.meta.v1.LabelSelectorArgs(
                    match_expressions=[
                        k8s.meta.v1.LabelSelectorRequirementArgs(
                            key="kubernetes.io/metadata.name", operator="In", values=list(CALLERS)
                        )
                    ]
                )
            ),
        ]
        k8s.networking.v1.NetworkPolicy(
            f"{self._name}-network",
            metadata=self._metadata("own-namespace-in"),
            spec=k8s.networking.v1.NetworkPolicySpecArgs(
                pod_selector=k8s.meta.v1.LabelSelectorArgs(),
                policy_types=["Ingress"],
                ingress=[k8s.networking.v1.NetworkPolicyIngressRuleArgs(from_=peers)],
            ),
            opts=self._child,
        )

    def _members(self, binding: pulumi.Resource) -> None:
        for member in self._args.spec.members:
            *_, account, principal = member.split(":")
            aws.eks.AccessEntry(
                # Named after the principal: reordering the list then changes nothing. Two accounts may have one name.
                f"{self._name}-{account}/{principal}",
                cluster_name=self._args.cluster_name,
                principal_arn=member,
                kubernetes_groups=[self.group],
                opts=self._child.merge(pulumi.ResourceOptions(depends_on=[binding])),
            )

    def _identity(self) -> pulumi.Output[str] | None:
        args, spec = self._args, self._args.spec
        if not spec.buckets:
            return None
        made = ServiceAccountAccess(
            f"{self._name}-access",
            ServiceAccountAccessArgs(
                cluster_name=args.cluster_name,
                namespace=self.namespace,
                service_account=spec.name,
                grants=[
                    Grant(
                        bucket_arn=args.bucket_arns[entry.bucket],
                        prefixes=[spec.prefix_in(entry)],
                        level=entry.level,
                    )
                    for entry in spec.buckets
                ],
                kms_key_arn=args.kms_key_arn,
                role_rules=args.role_rules,
            ),
            opts=self._child,
        )
        return made.role_arn


def hard_limits(spec: TeamSpec, pools: Sequence[NodePool]) -> dict[str, str]:
    """What the API server holds the namespace to.

    Cores of Neuron devices are a resource of their own, and a quota of both would count a device twice: whole devices
    only. The Services are those that would open the namespace to other networks.
    """
    devices = {f"requests.{resource}": str(count) for resource, count in spec.devices(pools).items()}
    return {
        **devices,
        f"requests.{NEURON_RESOURCE}core": "0",
        "services.loadbalancers": "0",
        "services.nodeports": "0",
    }
