"""Section `platform.monitoring`: Prometheus, the exporters that the pools need, alerts and, on request, Grafana."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from components.catalog.pins import DCGM_EXPORTER, KUBE_PROMETHEUS_STACK
from stacks.chart_overrides import ChartValues, check_values
from stacks.device_plugins import NvidiaSpec, with_gpus
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL
from stacks.node_pools import NodePool
from stacks.problems import Problem
from stacks.value_fields import at

SecretName = Annotated[str, Field(pattern=DNS_LABEL, max_length=63)]


class GrafanaSpec(Section):
    """Grafana with our dashboards, reached by port-forward."""

    admin_secret: Annotated[
        SecretName,
        says(
            "Secret in namespace monitoring with the keys admin-user and admin-password; the chart's own password is "
            "public. Make it before this part is turned on (docs/monitoring.md).",
            "REPLACES",
            change="the Secret; Grafana restarts",
            replaces=("PlatformSecrets",),
            accepts="name of a Secret",
            example="grafana-admin",
        ),
    ]


class MonitoringSpec(Section):
    """Prometheus on system nodes, node-exporter on every node, exporters of devices where pools have them."""

    retention_days: Annotated[
        Int,
        Field(ge=1, le=365),
        says(
            "How long metrics are kept; the oldest go sooner when the volume is 85 % full.",
            "live",
            change="Prometheus restarts",
            unit="days",
            accepts="a whole number from 1 to 365",
        ),
    ] = 15
    storage_gib: Annotated[
        Int,
        Field(ge=10, le=16_000, alias="storageGiB"),
        says(
            "Size of Prometheus' volume (gp3, on a system node's zone).",
            "live",
            change="a new size is one for new claims: grow the claim itself by kubectl patch pvc, it never shrinks",
            unit="GiB",
            accepts="a whole number from 10 to 16000",
        ),
    ] = 100
    grafana: Annotated[
        GrafanaSpec | None,
        says(
            "Grafana; null for none.",
            "live",
            accepts="{adminSecret: name} or null",
            example={"adminSecret": "grafana-admin"},
        ),
    ] = None
    alertmanager_secret: Annotated[
        SecretName | None,
        says(
            "Secret in namespace monitoring whose key alertmanager.yaml says whom alerts go to. Null runs no "
            "Alertmanager: alerts then show in Prometheus and Grafana and wake nobody.",
            "live",
            accepts="null or the name of a Secret",
            example="alertmanager-config",
        ),
    ] = None
    node_units: Annotated[
        Bool,
        says(
            "Let node-exporter read the state of systemd units over the node's D-Bus; the alert on Lustre that fell "
            "back to TCP needs it.",
            "live",
            change="node-exporter restarts, a quarter of the nodes at a time",
        ),
    ] = False
    values: ChartValues = Field(default_factory=dict)
    dcgm_values: ChartValues = Field(default_factory=dict)


def check_monitoring(
    path: str, spec: MonitoringSpec, *, pools: Sequence[NodePool], nvidia: NvidiaSpec | None
) -> Iterator[Problem]:
    """Keys are the charts', no password stands in the file, nothing is public, and one exporter reads the GPUs.

    Args:
        path: where the section stands.
        spec: the section.
        pools: training pools that are well-formed.
        nvidia: `platform.nvidia`, whose GPU Operator could bring a second DCGM exporter.
    """
    values = f"{path}.values"
    yield from check_values(values, KUBE_PROMETHEUS_STACK.name, _without_password(spec.values))
    yield from check_values(f"{path}.dcgmValues", DCGM_EXPORTER.name, spec.dcgm_values)
    yield from _password(values, spec.values)
    yield from _definitions(values, spec.values)
    for part in ("prometheus", "grafana", "alertmanager"):
        yield from _private(values, spec.values, part)
    operator = nvidia.gpu_operator if nvidia is not None and with_gpus(pools) else None
    if operator is not None and at(operator.values, "dcgmExporter.enabled") is True:
        yield Problem(
            path="platform.nvidia.gpuOperator.values.dcgmExporter.enabled",
            value=True,
            reason="Monitoring brings a DCGM exporter, and two of them contend for a GPU's profiling counters.",
            accepted="false while platform.monitoring is on",
            ways_out=("remove the line", "remove platform.monitoring"),
        )


def _without_password(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values less the one that no message may repeat; it has a rule of its own."""
    grafana = values.get("grafana")
    if not isinstance(grafana, Mapping):
        return values
    rest = {key: value for key, value in grafana.items() if key != "adminPassword"}
    return {key: rest if key == "grafana" else value for key, value in values.items() if rest or key != "grafana"}


def _password(path: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    if at(values, "grafana.adminPassword") is not None:
        yield Problem(
            path=f"{path}.grafana.adminPassword",
            # Not shown: problems end up in logs.
            value="(hidden)",
            reason="A password here would stand in the repository, in Pulumi's state and in the release's values.",
            accepted="grafana.adminSecret, the name of a Secret",
            ways_out=("put it into a Secret and name that in grafana.adminSecret", "remove the line"),
        )


def _definitions(path: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    if at(values, "crds.enabled") is True:
        yield Problem(
            path=f"{path}.crds.enabled",
            value=True,
            reason="The definitions are objects of this stack; in the release too, two owners would write them, and "
            "Helm never upgrades its own.",
            accepted="false",
            ways_out=("remove the line", "install the chart yourself and remove platform.monitoring"),
        )


def _private(path: str, values: Mapping[str, Any], part: str) -> Iterator[Problem]:
    found = at(values, f"{part}.service.type")
    if found in ("LoadBalancer", "NodePort"):
        yield Problem(
            path=f"{path}.{part}.service.type",
            value=found,
            reason=f"{part.capitalize()} would listen outside the cluster; Prometheus and Alertmanager ask nobody for "
            "a password.",
            accepted="ClusterIP",
            ways_out=("remove the line and use kubectl port-forward", f"set {part}.ingress behind your own log-in"),
        )
