"""What a member of a team may do in the team's namespace: run jobs and look at them, and nothing to others' cost.

Not the ClusterRole `edit` nor EKS' policy of that name: both know none of the kinds of training jobs, and both let a
member open the namespace to other networks (NetworkPolicy, Ingress) and put a pod on every node (DaemonSet).
"""

from collections.abc import Collection, Mapping, Sequence

import pulumi_kubernetes as k8s

READ = ("get", "list", "watch")
WRITE = (*READ, "create", "update", "patch", "delete", "deletecollection")

_ALWAYS: Sequence[tuple[str, Sequence[str], Sequence[str]]] = (
    ("", ("pods", "services", "configmaps", "secrets", "persistentvolumeclaims"), WRITE),
    # What a SPDY or WebSocket connection asks for: the first by `create`, the second by `get`.
    ("", ("pods/exec", "pods/attach", "pods/portforward"), ("get", "create")),
    ("", ("pods/log", "pods/status", "events", "endpoints", "serviceaccounts", "resourcequotas", "limitranges"), READ),
    ("batch", ("jobs", "cronjobs"), WRITE),
    ("apps", ("deployments", "statefulsets"), WRITE),
    ("apps", ("deployments/scale", "statefulsets/scale"), ("get", "update", "patch")),
    ("apps", ("replicasets", "controllerrevisions", "daemonsets"), READ),
    ("events.k8s.io", ("events",), READ),
    ("discovery.k8s.io", ("endpointslices",), READ),
    ("networking.k8s.io", ("networkpolicies",), READ),
)
"""API group, resources, verbs."""

_OF_PARTS: Mapping[str, Sequence[tuple[str, Sequence[str], Sequence[str]]]] = {
    "volcano": (
        ("batch.volcano.sh", ("jobs",), WRITE),
        ("scheduling.volcano.sh", ("podgroups",), READ),
    ),
    "mpiOperator": (("kubeflow.org", ("mpijobs",), WRITE),),
    "kuberay": (("ray.io", ("rayclusters", "rayjobs", "rayservices"), WRITE),),
    "kueue": (("kueue.x-k8s.io", ("localqueues", "workloads"), READ),),
}
"""Field of section `platform` -> what it adds."""


def member_rules(parts: Collection[str]) -> list[k8s.rbac.v1.PolicyRuleArgs]:
    """Rules of the Role. No wildcard, no kind without a namespace, no rights to give rights.

    Args:
        parts: fields of section `platform` that are on; others add nothing.
    """
    more = [rule for part, rules in _OF_PARTS.items() if part in parts for rule in rules]
    return [
        k8s.rbac.v1.PolicyRuleArgs(api_groups=[group], resources=list(resources), verbs=list(verbs))
        for group, resources, verbs in (*_ALWAYS, *more)
    ]
