"""Alerts that name a cause, as PrometheusRules.

Each belongs to a part: where its metrics do not exist it would say nothing and be taken for good news, so it is left
out. Expressions were parsed with promql-parser 0.x outside this repository (2026-11-29); on a cluster the operator's
webhook refuses those that do not parse.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from components.platform.monitoring_values import LUSTRE_UNIT

API_VERSION = "monitoring.coreos.com/v1"
NAME = "training-platform"

Part = Literal["gpu", "neuron", "efa", "nodes", "karpenter", "volcano", "units"]

# NVIDIA's list of XID errors (docs.nvidia.com/deploy/xid-errors): those that point at the device and not at a program.
HARDWARE_XIDS = (48, 64, 74, 79, 94, 95, 119, 120, 140)

_ASKS_FOR_DEVICES = 'kube_pod_container_resource_requests{resource=~"nvidia_com_gpu|aws_amazon_com_neuron"}'
_ASKS_FOR_EFA = 'sum by (node) (kube_pod_container_resource_requests{resource="vpc_amazonaws_com_efa"}) > 0'


@dataclass(frozen=True, kw_only=True, slots=True)
class Alert:
    """One alert. `cause` is what to look at first, not a repetition of the expression."""

    name: str
    part: Part
    expr: str
    minutes: int
    """How long the expression holds before the alert fires."""
    severity: Literal["critical", "warning"]
    summary: str
    cause: str

    def rule(self) -> dict[str, Any]:
        return {
            "alert": self.name,
            "expr": self.expr,
            "for": f"{self.minutes}m",
            "labels": {"severity": self.severity},
            "annotations": {"summary": self.summary, "description": self.cause},
        }


ALERTS: tuple[Alert, ...] = (
    Alert(
        name="EfaIdleWhileGpusBusy",
        part="efa",
        expr="avg by (node) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m])) > 50"
        f" and on (node) ({_ASKS_FOR_EFA})"
        " and on (node) "
        "(sum by (node) (rate(node_amazonefa_tx_bytes[10m]) + rate(node_amazonefa_rx_bytes[10m])) < 1e6)",
        minutes=10,
        severity="warning",
        summary="GPUs of {{ $labels.node }} are busy and its EFA devices carry nothing",
        cause="A pod there asked for EFA. NCCL most likely runs over TCP: look for 'Using network' in its log "
        "(NCCL_DEBUG=INFO); the image lacks aws-ofi-nccl or libfabric, or FI_PROVIDER is not efa. A job of one node "
        "that asks for EFA needs none.",
    ),
    Alert(
        name="EfaCountersStale",
        part="efa",
        expr='time() - node_textfile_mtime_seconds{file=~".*efa[.]prom"} > 300',
        minutes=5,
        severity="warning",
        summary="EFA counters of {{ $labels.node }} are no longer written",
        cause="The pod efa-counters of this node does not run; what its last file says is old.",
    ),
    Alert(
        name="GpuHardwareXid",
        part="gpu",
        expr=" or ".join(f"DCGM_FI_DEV_XID_ERRORS == {code}" for code in HARDWARE_XIDS),
        minutes=0,
        severity="critical",
        summary="GPU {{ $labels.gpu }} of {{ $labels.node }} reported XID {{ $value }}",
        cause="An XID that points at the device: double-bit ECC (48), a failed row remap (64), NVLink (74), a GPU off "
        "the bus (79), contained or uncontained ECC (94, 95), GSP (119, 120), ECC (140). Cordon the node, let the job "
        "restart elsewhere, delete the NodeClaim.",
    ),
    Alert(
        name="GpuApplicationXid",
        part="gpu",
        expr="DCGM_FI_DEV_XID_ERRORS > 0 unless ("
        + " or ".join(f"DCGM_FI_DEV_XID_ERRORS == {c}" for c in HARDWARE_XIDS)
        + ")",
        minutes=0,
        severity="warning",
        summary="GPU {{ $labels.gpu }} of {{ $labels.node }} reported XID {{ $value }}",
        cause="Most often a program: a fault in a kernel (13), a bad address (31), an aborted process (43, 45). The "
        "value is the last one since the driver was loaded.",
    ),
    Alert(
        name="GpuRowRemapFailed",
        part="gpu",
        expr="DCGM_FI_DEV_ROW_REMAP_FAILURE > 0",
        minutes=0,
        severity="critical",
        summary="GPU {{ $labels.gpu }} of {{ $labels.node }} has no spare memory row left",
        cause="Broken memory can no longer be mapped away: the next error there ends the job. Replace the node.",
    ),
    Alert(
        name="GpuMetricsMissing",
        part="gpu",
        expr='kube_node_status_capacity{resource="nvidia_com_gpu"} > 0'
        " unless on (node) count by (node) (DCGM_FI_DEV_GPU_TEMP)",
        minutes=15,
        severity="warning",
        summary="{{ $labels.node }} has GPUs and no metrics of them",
        cause="The DCGM exporter does not run there, or started before the device plugin and lost the GPUs "
        "(NVIDIA/k8s-device-plugin#330): delete its pod on that node. A taint outside nodePools[].taints does it too.",
    ),
    Alert(
        name="NeuronExecutionErrors",
        part="neuron",
        expr='sum by (node, error_type) (rate(execution_errors_total{job="neuron-monitor"}[5m])) > 0',
        minutes=5,
        severity="warning",
        summary="Neuron devices of {{ $labels.node }} report {{ $labels.error_type }} errors",
        cause="hardware: replace the node. model, numerical or runtime: the graph or the program. Others: the log of "
        "the pod that runs there.",
    ),
    Alert(
        name="NeuronMetricsMissing",
        part="neuron",
        expr='kube_node_status_capacity{resource="aws_amazon_com_neuron"} > 0'
        ' unless on (node) count by (node) (up{job="neuron-monitor"} == 1)',
        minutes=15,
        severity="warning",
        summary="{{ $labels.node }} has Neuron devices and no metrics of them",
        cause="neuron-monitor does not run there: a taint outside nodePools[].taints, or its image cannot be pulled.",
    ),
    Alert(
        name="PodsWaitForAccelerators",
        part="nodes",
        expr="sum by (namespace, pod) (kube_pod_status_unschedulable) > 0"
        f" and on (namespace, pod) (sum by (namespace, pod) ({_ASKS_FOR_DEVICES}) > 0)",
        minutes=20,
        severity="warning",
        summary="{{ $labels.namespace }}/{{ $labels.pod }} has waited 20 minutes for accelerators",
        cause="No capacity (see NodeClaimNotLaunched), the pool's limit is reached (nodePools[].nodes), or the pod "
        "asks for what no pool has: more devices than a node, another zone, a taint it does not tolerate. "
        "kubectl describe pod names the reason.",
    ),
    Alert(
        name="NodeClaimNotLaunched",
        part="karpenter",
        expr='operator_nodeclaim_status_condition_current_status_seconds{type="Launched",status!="True"} > 600',
        minutes=0,
        severity="warning",
        summary="NodeClaim {{ $labels.name }} has no instance after 10 minutes ({{ $labels.reason }})",
        cause="EC2 gave no capacity (InsufficientInstanceCapacity), the reservation is full or over, a service quota "
        "is reached, or a right is missing: kubectl describe nodeclaim has EC2's own words.",
    ),
    Alert(
        name="NodeClaimNotRegistered",
        part="karpenter",
        expr='operator_nodeclaim_status_condition_current_status_seconds{type="Registered",status!="True"} > 900',
        minutes=0,
        severity="warning",
        summary="NodeClaim {{ $labels.name }} is no node after 15 minutes ({{ $labels.reason }})",
        cause="The instance runs and its kubelet does not join: user data failed, no route to the API server or the "
        "registries, or its role has no access entry. The console output of the instance has nodeadm's log.",
    ),
    Alert(
        name="NodeClaimNotInitialized",
        part="karpenter",
        expr='operator_nodeclaim_status_condition_current_status_seconds{type="Initialized",status!="True"} > 1800',
        minutes=0,
        severity="warning",
        summary="Node of NodeClaim {{ $labels.name }} is not ready after 30 minutes ({{ $labels.reason }})",
        cause="A device is not registered (its plugin tolerates no taint of the node, or fails), or a startup taint "
        "stays, which a CSI driver should have taken off.",
    ),
    Alert(
        name="VolcanoPodGroupsWait",
        part="volcano",
        expr="max by (queue_name) (volcano_queue_pod_group_pending_count) > 0",
        minutes=30,
        severity="warning",
        summary="PodGroups of queue {{ $labels.queue_name }} have been pending for half an hour",
        cause="The queue's capability or its parent's is used up, the queue is closed, or the gang is larger than its "
        "pools: kubectl describe podgroup says which plugin holds it back.",
    ),
    Alert(
        name="LustreOverTcp",
        part="units",
        expr=f'node_systemd_unit_state{{name="{LUSTRE_UNIT}",state="failed"}} == 1',
        minutes=5,
        severity="warning",
        summary="{{ $labels.node }} mounts Lustre over TCP instead of EFA",
        cause=f"{LUSTRE_UNIT} failed at boot, and reads are several times slower: journalctl -u {LUSTRE_UNIT} on the "
        "node says what was missing.",
    ),
)
"""Every alert of ours; the chart brings its own for Kubernetes itself."""


def rule_spec(parts: Collection[Part]) -> dict[str, Any]:
    """`spec` of the PrometheusRule: a group for each part that is there.

    Args:
        parts: those whose metrics exist in this environment.
    """
    return {
        "groups": [
            {"name": f"{NAME}-{part}", "rules": [alert.rule() for alert in ALERTS if alert.part == part]}
            for part in _in_order(parts)
        ]
    }


def _in_order(parts: Collection[Part]) -> Sequence[Part]:
    return [part for part in dict.fromkeys(alert.part for alert in ALERTS) if part in parts]
