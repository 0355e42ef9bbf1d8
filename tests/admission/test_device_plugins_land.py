"""Device plugins by their real charts: the DaemonSet controller puts them on exactly the nodes that have the device.

The nodes are simulated (tests/admission/fleet.py). NVIDIA's and EFA's charts are the real ones. Of the Neuron chart
only the values are at hand: its DaemonSet is stamped from them by a template of this test.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from components.catalog.pins import EFA_DEVICE_PLUGIN, NEURON, NVIDIA_DEVICE_PLUGIN
from components.platform.efa_device_plugin_values import efa_device_plugin_values
from components.platform.neuron_plugin_values import neuron_plugin_values
from components.platform.nvidia_device_plugin_values import nvidia_device_plugin_values
from scripts.sandboxing.charts import SHARED
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec
from stacks.node_pools import NodePool
from tests.admission.fleet import POOLS, TRAINING, Fleet
from tests.admission.landing import Landings, daemon_set_lands

pytestmark = pytest.mark.admission

NAMESPACE = "kube-system"
GPU = ("gpu-efa", "gpu", "gpu-ours", "gpu-request", "gpu-starting", "p5", "g6")
NEURON_POOLS = ("trn-efa", "trn", "trn-ours", "trn-starting", "trn1")
WITH_EFA = ("gpu-efa", "gpu-ours", "gpu-request", "gpu-starting", "p5", "trn-efa", "trn-ours", "trn-starting", "trn1")
Install = Callable[[str, Path, Mapping[str, Any]], None]
Lands = Callable[..., None]


@pytest.fixture
def install(fleet: Fleet, tmp_path: Path) -> Iterator[Install]:
    """Render a chart with the real Helm and apply it, every field checked; taken away after the test."""
    applied: list[str] = []

    def run(release: str, chart: Path, values: Mapping[str, Any]) -> None:
        file = tmp_path / f"{release}.json"
        file.write_text(json.dumps(values))
        rendered = fleet.sandbox.run("helm", "template", release, str(chart), "-n", NAMESPACE, "-f", str(file))
        assert rendered.returncode == 0, rendered.stderr
        applied.append(rendered.stdout)
        arguments = ("apply", "--server-side", "--validate=strict", "-n", NAMESPACE, "-f", "-")
        fleet.sandbox.kubectl(*arguments, stdin=rendered.stdout)

    yield run
    for manifest in applied:
        fleet.sandbox.kubectl("delete", "-n", NAMESPACE, "--wait=false", "-f", "-", stdin=manifest)


@pytest.fixture
def lands(fleet: Fleet, landed: Landings) -> Lands:
    return partial(daemon_set_lands, fleet, landed, NAMESPACE)


def nvidia_values(pools: Sequence[NodePool]) -> dict[str, Any]:
    return nvidia_device_plugin_values(NvidiaSpec(), pools=pools, images=None)


def efa_values(pools: Sequence[NodePool]) -> dict[str, Any]:
    return efa_device_plugin_values(EfaSpec(), pools=pools, region="us-west-2", images=None)


def test_the_nvidia_plugin_runs_on_gpu_nodes_and_on_no_other(fleet: Fleet, lands: Lands, install: Install) -> None:
    install(NVIDIA_DEVICE_PLUGIN.name, SHARED / NVIDIA_DEVICE_PLUGIN.name, nvidia_values(TRAINING))
    lands("nvidia-device-plugin", fleet.names(*GPU))
    # GPUs are not shared, so its companion for that runs nowhere.
    lands("nvidia-device-plugin-mps-control-daemon", set())


def test_the_efa_plugin_runs_where_a_pool_has_efa_and_on_no_other(fleet: Fleet, lands: Lands, install: Install) -> None:
    install(EFA_DEVICE_PLUGIN.name, SHARED / EFA_DEVICE_PLUGIN.name, efa_values(TRAINING))
    lands("aws-efa-k8s-device-plugin", fleet.names(*WITH_EFA))


def test_the_efa_plugin_of_the_chart_s_own_values_runs_nowhere(fleet: Fleet, lands: Lands, install: Install) -> None:
    install(EFA_DEVICE_PLUGIN.name, SHARED / EFA_DEVICE_PLUGIN.name, {})
    lands("aws-efa-k8s-device-plugin", set(), note="the chart's own values")


def test_a_plugin_that_does_not_know_a_pool_s_taint_misses_its_nodes(
    fleet: Fleet, lands: Lands, install: Install
) -> None:
    known = [pool for name, pool in POOLS.items() if name not in ("gpu-ours", "trn-ours")]
    install(NVIDIA_DEVICE_PLUGIN.name, SHARED / NVIDIA_DEVICE_PLUGIN.name, nvidia_values(known))
    lands("nvidia-device-plugin", fleet.names(*GPU) - fleet.names("gpu-ours"), note="a taint of gpu-ours is not known")


STAMP = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: neuron-device-plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {name: neuron-device-plugin}}
  updateStrategy: {{ toJson .Values.devicePlugin.updateStrategy }}
  template:
    metadata: {labels: {name: neuron-device-plugin}}
    spec:
      priorityClassName: {{ .Values.devicePlugin.priorityClassName }}
      nodeSelector: {{ toJson .Values.devicePlugin.nodeSelector }}
      tolerations: {{ toJson .Values.devicePlugin.tolerations }}
      affinity: {{ .Values.devicePlugin.affinity | toJson
        | replace "__INSTANCE_TYPE_KEY__" "node.kubernetes.io/instance-type"
        | replace "\\"__NEURON_INSTANCES__\\"" (toJson .Values.neuronInstances) }}
      containers:
      - name: neuron-device-plugin
        image: "{{ .Values.devicePlugin.image.repository }}:{{ .Values.devicePlugin.image.tag }}"
        resources: {{ toJson .Values.devicePlugin.resources }}
"""


def test_the_neuron_plugin_would_run_on_neuron_nodes_and_on_no_other(
    fleet: Fleet, lands: Lands, install: Install, tmp_path: Path
) -> None:
    chart = tmp_path / NEURON.name
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text(f"apiVersion: v2\nname: {NEURON.name}\nversion: 1.9.0\n")
    (chart / "values.yaml").write_text((SHARED / "neuron-helm-chart-values-1.9.0" / "values.yaml").read_text())
    (chart / "templates" / "daemonset.yaml").write_text(STAMP)
    values = neuron_plugin_values(NeuronSpec(), pools=TRAINING, kubernetes="1.35", images=None)
    install(NEURON.name, chart, values)
    lands("neuron-device-plugin", fleet.names(*NEURON_POOLS))
