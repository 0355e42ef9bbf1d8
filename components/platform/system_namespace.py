"""Namespace of an operator, with the rules that its pods live under, and who may talk to them."""

from typing import Literal

import pulumi
import pulumi_kubernetes as k8s

PodSecurity = Literal["baseline", "restricted"]
SYSTEM_LABEL = "eks-training-platform/system"
"""Label of our operators' namespaces, for policies and webhooks that leave them alone."""


def system_namespace(
    name: str, namespace: str, pod_security: PodSecurity, *, parent: pulumi.Resource
) -> k8s.core.v1.Namespace:
    """A namespace that admits pods by a level of the Pod Security Standards. Another name REPLACES it.

    Args:
        name: in Pulumi's state.
        namespace: in the cluster.
        pod_security: `restricted`, or `baseline` where an operator's chart asks for a capability.
        parent: the component that it belongs to.
    """
    return k8s.core.v1.Namespace(
        name,
        metadata=k8s.meta.v1.ObjectMetaArgs(
            name=namespace,
            labels={
                SYSTEM_LABEL: "true",
                "pod-security.kubernetes.io/enforce": pod_security,
                "pod-security.kubernetes.io/warn": pod_security,
            },
        ),
        opts=pulumi.ResourceOptions(parent=parent),
    )


def only_metrics_in(
    name: str, namespace: k8s.core.v1.Namespace, port: int, *, parent: pulumi.Resource
) -> k8s.networking.v1.NetworkPolicy:
    """Close a namespace to other pods but for one port; the kubelet's probes always pass, and the way out stays open.

    Args:
        name: in Pulumi's state.
        namespace: one whose pods serve metrics and nothing else, no webhook in particular.
        port: the container port of the metrics.
        parent: the component that it belongs to.

    It holds where the network plugin enforces policies.
    """
    return k8s.networking.v1.NetworkPolicy(
        name,
        metadata=k8s.meta.v1.ObjectMetaArgs(name="only-metrics-in", namespace=namespace.metadata.name),
        spec=k8s.networking.v1.NetworkPolicySpecArgs(
            pod_selector=k8s.meta.v1.LabelSelectorArgs(),
            policy_types=["Ingress"],
            ingress=[
                k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                    ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=port, protocol="TCP")]
                )
            ],
        ),
        opts=pulumi.ResourceOptions(parent=parent),
    )
