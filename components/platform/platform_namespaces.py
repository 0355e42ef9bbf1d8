"""Namespaces of the parts that keep secrets or volumes: they stand before what is put into them, and go after it."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import JUPYTERHUB, KUBE_PROMETHEUS_STACK, SLURM
from components.platform.system_namespace import SYSTEM_LABEL
from stacks.platform import Platform


@dataclass(frozen=True, kw_only=True, slots=True)
class PlatformNamespacesArgs:
    platform: Platform
    """Section of that name: each part that is on has its namespace."""
    protect: bool
    """Refuse to delete those with data in them: Slurm's state, users' home folders."""


class PlatformNamespaces(pulumi.ComponentResource):
    """Namespaces of Slurm, JupyterHub and monitoring, as far as these are on."""

    slurm: pulumi.Output[str] | None = None
    jupyterhub: pulumi.Output[str] | None = None
    monitoring: pulumi.Output[str] | None = None

    def __init__(self, name: str, args: PlatformNamespacesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:PlatformNamespaces", name, {}, opts)
        self._name = name
        if args.platform.slurm is not None:
            # slurmd runs privileged: it makes cgroups and hands out devices.
            self.slurm = self._namespace(SLURM.namespace, _level("privileged"), args.protect)
        if args.platform.jupyterhub is not None:
            self.jupyterhub = self._namespace(JUPYTERHUB.namespace, _level("restricted"), args.protect)
        if args.platform.monitoring is not None:
            # Exporters read devices and paths of the host.
            labels = {SYSTEM_LABEL: "true", **_level("privileged")}
            self.monitoring = self._namespace(KUBE_PROMETHEUS_STACK.namespace, labels, False)
        self.register_outputs({})

    def _namespace(self, namespace: str, labels: Mapping[str, str], protect: bool) -> pulumi.Output[str]:
        made = k8s.core.v1.Namespace(
            f"{self._name}-{namespace}",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=namespace, labels=labels),
            opts=pulumi.ResourceOptions(parent=self, protect=protect),
        )
        return made.metadata.name


def _level(pod_security: str) -> Mapping[str, str]:
    return {f"pod-security.kubernetes.io/{mode}": pod_security for mode in ("enforce", "warn")}
