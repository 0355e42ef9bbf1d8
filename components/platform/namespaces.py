"""Namespaces for workloads, with the Pod Security level that the API server holds their pods to."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.labels import WORKLOADS_LABEL
from stacks.namespaces import NamespaceSpec

MODES = ("enforce", "audit", "warn")
"""All three at one level: what is refused is also told to whoever applies it, and of a Deployment's pods beforehand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespacesArgs:
    """The namespaces of one cluster."""

    namespaces: Sequence[NamespaceSpec]
    """One that goes takes all that is in it along."""
    kubernetes_version: str
    """Of the cluster. The levels mean what they mean in this version; without it an upgrade could refuse pods."""
    protect: bool
    """Refuse to delete them: a namespace takes its claims along."""


class Namespaces(pulumi.ComponentResource):
    """A namespace for each entry that is not someone else's. What lives in one depends on this component."""

    def __init__(self, name: str, args: NamespacesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:Namespaces", name, {}, opts)
        for spec in args.namespaces:
            if spec.existing:
                continue
            k8s.core.v1.Namespace(
                f"{name}-{spec.name}",
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    name=spec.name, labels=namespace_labels(spec, args.kubernetes_version)
                ),
                opts=pulumi.ResourceOptions(parent=self, protect=args.protect),
            )
        self.register_outputs({})


def namespace_labels(spec: NamespaceSpec, kubernetes_version: str) -> dict[str, str]:
    """Labels of Pod Security admission, and the one by which rules for workloads know the namespace.

    Source: Kubernetes documentation, "Pod Security Admission" (read 2026-11-29).
    """
    labels = {WORKLOADS_LABEL: "true"}
    for mode in MODES:
        labels[f"pod-security.kubernetes.io/{mode}"] = spec.pod_security
        labels[f"pod-security.kubernetes.io/{mode}-version"] = f"v{kubernetes_version}"
    return labels
