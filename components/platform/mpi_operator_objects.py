"""What the MPI Operator's manifest says, as this project says it.

The definition and the verbs come from `data/mpi-operator/`; what differs from upstream, and why, stands here.
"""

from typing import Any

import pulumi_kubernetes as k8s

from components.catalog.images import mirrored
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import MPI_OPERATOR
from stacks.schedulers import MpiOperatorSpec

LABELS = {
    "app": "mpi-operator",
    "app.kubernetes.io/component": "mpijob",
    "app.kubernetes.io/name": "mpi-operator",
    "kustomize.component": "mpi-operator",
}
"""Upstream's: its Deployment selects by all four, and a Deployment's selector cannot be changed."""

# Of cmd/mpi-operator/app/server.go: /healthz is there whether metrics are on or not, and fails when the leader's lease
# is 20 seconds overdue.
HEALTH_PORT = 8080
METRICS_PORT = 8081
NOBODY = 65532
"""The image (distroless/base-debian12) has this user but starts as root."""

_JOBS = ["mpijobs", "mpijobs/status"]
_READ = ["get", "list", "watch"]
_WRITE = ["create", "delete", "deletecollection", "patch", "update"]

USER_ROLES: dict[str, list[str]] = {"admin": [*_READ, *_WRITE], "edit": [*_READ, *_WRITE], "view": _READ}
"""Who may do what with MPIJobs; each is part of the cluster's own role of that name too (`admin`, `edit`, `view`)."""


def image(digest: str | None, images: str | None) -> str:
    """The operator's image: the exact version, and the digest if one is given."""
    tagged = f"{mirrored(MPI_OPERATOR.image, images)}:{MPI_OPERATOR.version}"
    return f"{tagged}@{digest}" if digest else tagged


def rules(*, gangs: bool) -> list[dict[str, list[str]]]:
    """What the operator may do in every namespace: what its controller calls (pkg/controller, release-0.8), no star.

    Upstream also has pods/exec, endpoints, definitions, Volcano's queues, two groups that no longer exist and stars on
    jobs, leases and PodGroups: nothing calls them. It lacks jobs/status, which the controller writes when it resumes a
    suspended job.

    Args:
        gangs: whether it makes PodGroups for Volcano.
    """
    found = [
        _rule("", ["configmaps", "secrets", "services"], ["create", "list", "watch", "update"]),
        _rule("", ["pods"], ["create", *_READ, "delete"]),
        _rule("", ["events"], ["create", "patch"]),
        _rule("batch", ["jobs"], ["create", "list", "update", "watch"]),
        _rule("batch", ["jobs/status"], ["update"]),
        _rule("kubeflow.org", ["mpijobs"], [*_READ, "update", "patch"]),
        _rule("kubeflow.org", ["mpijobs/finalizers", "mpijobs/status"], ["update", "patch"]),
        _rule("scheduling.k8s.io", ["priorityclasses"], _READ),
    ]
    if gangs:
        found.append(_rule("scheduling.volcano.sh", ["podgroups"], ["create", *_READ, "update", "delete"]))
    return found


def lease_rules() -> list[dict[str, list[str]]]:
    """What it may do in its own namespace: hold the lease by which one pod leads."""
    return [_rule("coordination.k8s.io", ["leases"], ["create", "get", "update"])]


def user_rules(verbs: list[str]) -> list[dict[str, list[str]]]:
    return [_rule("kubeflow.org", _JOBS, verbs)]


def _rule(group: str, resources: list[str], verbs: list[str]) -> dict[str, list[str]]:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


def arguments(settings: MpiOperatorSpec) -> list[str]:
    found = [
        "-alsologtostderr",
        f"--lock-namespace={MPI_OPERATOR.namespace}",
        f"--monitoring-port={METRICS_PORT}",
    ]
    return found if settings.gang_scheduling == "none" else [*found, f"--gang-scheduling={settings.gang_scheduling}"]


def _container(settings: MpiOperatorSpec, images: str | None) -> k8s.core.v1.ContainerArgs:
    health = k8s.core.v1.HTTPGetActionArgs(path="/healthz", port=HEALTH_PORT)
    return k8s.core.v1.ContainerArgs(
        name="mpi-operator",
        image=image(settings.image_digest, images),
        image_pull_policy="IfNotPresent",
        args=arguments(settings),
        ports=[
            k8s.core.v1.ContainerPortArgs(name="health", container_port=HEALTH_PORT),
            k8s.core.v1.ContainerPortArgs(name="metrics", container_port=METRICS_PORT),
        ],
        liveness_probe=k8s.core.v1.ProbeArgs(http_get=health, initial_delay_seconds=15, period_seconds=20),
        readiness_probe=k8s.core.v1.ProbeArgs(http_get=health, period_seconds=10),
        # No limit of CPU: a throttled leader loses its lease.
        resources=k8s.core.v1.ResourceRequirementsArgs(
            requests={"cpu": "100m", "memory": "256Mi"}, limits={"memory": "1Gi"}
        ),
        security_context=k8s.core.v1.SecurityContextArgs(
            allow_privilege_escalation=False,
            # klog writes to standard error only, unless it is told otherwise.
            read_only_root_filesystem=True,
            capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
        ),
    )


def deployment_spec(settings: MpiOperatorSpec, images: str | None) -> k8s.apps.v1.DeploymentSpecArgs:
    """The operator's pods: one leads. On system nodes, as nobody, on a read-only disk.

    Args:
        settings: section `platform.mpiOperator`.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    return k8s.apps.v1.DeploymentSpecArgs(
        replicas=settings.replicas,
        selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
        template=k8s.core.v1.PodTemplateSpecArgs(
            metadata=k8s.meta.v1.ObjectMetaArgs(labels=LABELS),
            spec=k8s.core.v1.PodSpecArgs(
                service_account_name=MPI_OPERATOR.name,
                node_selector={ROLE_LABEL: SYSTEM_ROLE},
                priority_class_name="system-cluster-critical",
                security_context=k8s.core.v1.PodSecurityContextArgs(
                    run_as_non_root=True,
                    run_as_user=NOBODY,
                    run_as_group=NOBODY,
                    seccomp_profile=k8s.core.v1.SeccompProfileArgs(type="RuntimeDefault"),
                ),
                containers=[_container(settings, images)],
            ),
        ),
    )


def rule_args(found: list[dict[str, list[str]]]) -> list[Any]:
    """The rules as the SDK wants them."""
    return [
        k8s.rbac.v1.PolicyRuleArgs(api_groups=rule["apiGroups"], resources=rule["resources"], verbs=rule["verbs"])
        for rule in found
    ]
