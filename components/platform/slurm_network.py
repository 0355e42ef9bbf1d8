"""Who may talk to Slurm's pods: nobody from outside its namespace but the operator, Prometheus and whoever logs in.

Slinky's own description of the traffic: slurm-operator docs/usage/network-policies.md (read 2026-11-29, on the main
branch; the chart of 1.2 has no policies).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import KUBE_PROMETHEUS_STACK, SLURM_OPERATOR
from stacks.slurm import SlurmSpec

APP = "app.kubernetes.io/name"
SLURMCTLD, SLURMD, SLURMDBD, SLURMRESTD = "slurmctld", "slurmd", "slurmdbd", "slurmrestd"
"""How the operator labels the pods by `APP` (v1.2.1, internal/builder/labels)."""
PORTS: Mapping[str, int] = {SLURMCTLD: 6817, SLURMDBD: 6819, SLURMRESTD: 6820}
SSH = 22
NAMESPACE_NAME = "kubernetes.io/metadata.name"

SAME_NAMESPACE: Mapping[str, Any] = {"podSelector": {}}


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmNetworkArgs:
    spec: SlurmSpec
    """Section `platform.slurm`."""
    namespace: pulumi.Input[str]
    """Of Slurm."""


class SlurmNetwork(pulumi.ComponentResource):
    """NetworkPolicies of namespace `slurm`: ingress denied, then what Slurm needs. The way out stays open.

    It holds for pods with a network of their own, which ours have: no node set of this project runs on the host's
    network. EFA passes by the kernel and is not subject to it. Policies of others add up with these.
    """

    def __init__(self, name: str, args: SlurmNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlurmNetwork", name, {}, opts)
        for policy, spec in slurm_network_policies(args.spec).items():
            k8s.networking.v1.NetworkPolicy(
                f"{name}-{policy}",
                metadata=k8s.meta.v1.ObjectMetaArgs(name=policy, namespace=args.namespace),
                spec=spec,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


def slurm_network_policies(spec: SlurmSpec) -> dict[str, Any]:
    """`spec` of each policy by its name.

    Args:
        spec: section `platform.slurm`: login and metrics open what they need.
    """
    monitor = spec.metrics is not None and spec.metrics.service_monitor
    daemons = {
        # Slurm 26.05 serves its metrics at the port of everything else.
        SLURMCTLD: [SAME_NAMESPACE, *([_namespace(KUBE_PROMETHEUS_STACK.namespace)] if monitor else [])],
        SLURMDBD: [SAME_NAMESPACE],
        # The operator takes a node for drained when it cannot ask here, and would end busy pods.
        SLURMRESTD: [SAME_NAMESPACE, _namespace(SLURM_OPERATOR.namespace)],
    }
    policies: dict[str, Any] = {"default-deny": _policy({}, [])}
    for daemon, sources in daemons.items():
        policies[daemon] = _policy({"matchLabels": {APP: daemon}}, [_rule(sources, PORTS[daemon])])
    # srun listens at any port and the steps call back; so do NCCL and MPI between nodes of a job.
    policies["jobs"] = _policy(_but(SLURMCTLD, SLURMDBD, SLURMRESTD), [_rule([SAME_NAMESPACE])])
    if spec.login is not None:
        # A load balancer's traffic comes from addresses of nodes; whom it serves is said at the load balancer.
        sources = [] if spec.login.service is not None else [{"namespaceSelector": {}}]
        policies["login"] = _policy(_but(SLURMCTLD, SLURMD, SLURMDBD, SLURMRESTD), [_rule(sources, SSH)])
    return policies


def _policy(pods: Mapping[str, Any], rules: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"podSelector": dict(pods), "policyTypes": ["Ingress"], "ingress": list(rules)}


def _rule(sources: Sequence[Mapping[str, Any]], port: int | None = None) -> dict[str, Any]:
    """From these, or from everywhere when there are none; to one port, or to all."""
    rule: dict[str, Any] = {"from": list(sources)} if sources else {}
    return rule if port is None else {**rule, "ports": [{"port": port, "protocol": "TCP"}]}


def _namespace(name: str) -> dict[str, Any]:
    return {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: name}}}


def _but(*daemons: str) -> dict[str, Any]:
    """All pods but these: login pods, and whatever runs a job."""
    return {"matchExpressions": [{"key": APP, "operator": "NotIn", "values": list(daemons)}]}
