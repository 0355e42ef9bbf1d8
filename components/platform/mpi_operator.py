"""The Kubeflow MPI Operator: no chart of it exists, so its objects are ours, and its definition is a chart of ours."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import MPI_OPERATOR
from components.platform import mpi_operator_objects as objects
from components.platform.crd_charts import crd_release
from components.platform.system_namespace import only_metrics_in, system_namespace
from stacks.schedulers import MpiOperatorSpec

_NAME = MPI_OPERATOR.name
_AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"


@dataclass(frozen=True, kw_only=True, slots=True)
class MpiOperatorArgs:
    images: str | None
    """`artifacts.images` of the environment."""
    settings: MpiOperatorSpec
    """Section `platform.mpiOperator` of the environment."""


class MpiOperator(pulumi.ComponentResource):
    """Definition, roles and Deployment.

    With gang scheduling the operator waits for Volcano's definitions before it does anything, and its Deployment would
    not become ready: whoever makes this component lets it depend on Volcano. The definition stays in the cluster when
    the operator leaves, and with it every MPIJob; nothing then ends their pods.
    """

    namespace: str

    def __init__(self, name: str, args: MpiOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:MpiOperator", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        definitions = crd_release(f"{name}-crds", "mpi-operator", parent=self)
        namespace = system_namespace(f"{name}-namespace", MPI_OPERATOR.namespace, "restricted", parent=self)
        inside = k8s.meta.v1.ObjectMetaArgs(name=_NAME, namespace=namespace.metadata.name, labels=objects.LABELS)
        account = k8s.core.v1.ServiceAccount(f"{name}-account", metadata=inside, opts=child)
        bindings = self._roles(name, inside, account, gangs=args.settings.gang_scheduling != "none")
        self._user_roles(name)
        policy = only_metrics_in(f"{name}-ingress", namespace, objects.METRICS_PORT, parent=self)
        k8s.apps.v1.Deployment(
            f"{name}-deployment",
            metadata=inside,
            spec=objects.deployment_spec(args.settings, args.images),
            # It ends itself when its definition or a right is missing.
            opts=child.merge(pulumi.ResourceOptions(depends_on=[definitions, *bindings, policy])),
        )
        self.namespace = MPI_OPERATOR.namespace
        self.register_outputs({"namespace": MPI_OPERATOR.namespace})

    def _roles(
        self,
        name: str,
        inside: k8s.meta.v1.ObjectMetaArgs,
        account: k8s.core.v1.ServiceAccount,
        *,
        gangs: bool,
    ) -> list[pulumi.Resource]:
        """The operator's rights; returns the bindings."""
        child = pulumi.ResourceOptions(parent=self)
        everywhere = k8s.meta.v1.ObjectMetaArgs(name=_NAME, labels=objects.LABELS)
        subjects = [
            k8s.rbac.v1.SubjectArgs(
                kind="ServiceAccount", name=account.metadata.name, namespace=account.metadata.namespace
            )
        ]
        cluster_role = k8s.rbac.v1.ClusterRole(
            f"{name}-role", metadata=everywhere, rules=objects.rule_args(objects.rules(gangs=gangs)), opts=child
        )
        lease_role = k8s.rbac.v1.Role(
            f"{name}-lease-role", metadata=inside, rules=objects.rule_args(objects.lease_rules()), opts=child
        )
        api = "rbac.authorization.k8s.io"
        return [
            k8s.rbac.v1.ClusterRoleBinding(
                f"{name}-binding",
                metadata=everywhere,
                role_ref=k8s.rbac.v1.RoleRefArgs(api_group=api, kind="ClusterRole", name=cluster_role.metadata.name),
                subjects=subjects,
                opts=child,
            ),
            k8s.rbac.v1.RoleBinding(
                f"{name}-lease-binding",
                metadata=inside,
                role_ref=k8s.rbac.v1.RoleRefArgs(api_group=api, kind="Role", name=lease_role.metadata.name),
                subjects=subjects,
                opts=child,
            ),
        ]

    def _user_roles(self, name: str) -> None:
        """What people may do with MPIJobs, for bindings in their namespaces."""
        for role, verbs in objects.USER_ROLES.items():
            k8s.rbac.v1.ClusterRole(
                f"{name}-{role}",
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    name=f"kubeflow-mpijobs-{role}", labels={**objects.LABELS, f"{_AGGREGATE}{role}": "true"}
                ),
                rules=objects.rule_args(objects.user_rules(verbs)),
                opts=pulumi.ResourceOptions(parent=self),
            )
