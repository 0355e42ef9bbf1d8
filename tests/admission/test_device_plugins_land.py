"""Device plugins by their real charts: the DaemonSet controller puts them on exactly the nodes that have the device.

The nodes are simulated, made from NodePools as our components make them. NVIDIA's and EFA's charts are the real ones.
Of the Neuron chart only the values are at hand: its DaemonSet is stamped from them by a template of this test.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from components.capacity.node_class import API_VERSION as CLASS_API
from components.capacity.node_class import common_spec, node_class_labels, node_class_spec
from components.capacity.node_pool import API_VERSION as POOL_API
from components.capacity.node_pool import general_pool_spec, node_pool_spec
from components.catalog.pins import EFA_DEVICE_PLUGIN, NEURON, NVIDIA_DEVICE_PLUGIN
from components.platform.efa_device_plugin_values import efa_device_plugin_values
from components.platform.neuron_plugin_values import neuron_plugin_values
from components.platform.nvidia_device_plugin_values import nvidia_device_plugin_values
from scripts.sandboxing.charts import SHARED
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec
from stacks.general_pools import GeneralPool
from stacks.node_pools import NodePool
from tests.admission.support import Sandbox, eventually

pytestmark = pytest.mark.admission

NAMESPACE = "kube-system"
OURS = [{"key": "example.com/team", "value": "research"}, {"key": "example.com/x", "effect": "NoExecute"}]
CSI = {"key": "ebs.csi.aws.com/agent-not-ready", "effect": "NoExecute"}
Install = Callable[[str, Path, Mapping[str, Any]], None]


def pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"fixed": 1}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": f"dp-{name}", "instanceType": instance_type, **given})


POOLS = {
    "gpu-efa": pool("gpu-efa", "p5.48xlarge", efa="static", nodes={"fixed": 2}),
    "gpu": pool("gpu", "p5.48xlarge"),
    "gpu-ours": pool("gpu-ours", "p5.48xlarge", efa="static", taints=OURS),
    "gpu-request": pool("gpu-request", "p5.48xlarge", efa="onRequest", nodes={"max": 1}),
    "trn-efa": pool("trn-efa", "trn1.32xlarge", efa="static"),
    "trn": pool("trn", "trn1.2xlarge", nodes={"max": 1}),
    "trn-ours": pool("trn-ours", "trn1.32xlarge", efa="static", taints=OURS),
}
GENERAL = GeneralPool.model_validate({"name": "dp-general", "limits": {"cpu": 64, "memoryGiB": 256}})
TRAINING = list(POOLS.values())


def nodes(*names: str) -> set[str]:
    """Names of the simulated nodes of pools."""
    return {
        f"karpenter-{POOLS[name].node_pool_name}-{number}"
        for name in names
        for number in range(POOLS[name].nodes.fixed or 1)
    }


def objects() -> Iterator[dict[str, Any]]:
    """EC2NodeClass and NodePool of each pool, as the components make them; a CSI startup taint stays on for ever."""
    every: dict[str, Any] = {"role": "node", "security_group_ids": ["sg-1"], "ami_release": "v20261023", "tags": {}}
    for each in TRAINING:
        spec = node_pool_spec(each)
        spec["template"]["spec"]["taints"].append(CSI)
        node_class = node_class_spec(each, subnet_id="subnet-1", placement_group=None, **every)
        yield of(CLASS_API, "EC2NodeClass", each.name, node_class, node_class_labels(each))
        yield of(POOL_API, "NodePool", each.node_pool_name, spec, {})
    general_class = common_spec(GENERAL, subnet_ids=["subnet-1"], **every)
    yield of(CLASS_API, "EC2NodeClass", GENERAL.name, general_class, node_class_labels(GENERAL))
    yield of(POOL_API, "NodePool", GENERAL.name, general_pool_spec(GENERAL, ["us-west-2b"]), {})


def of(api: str, kind: str, name: str, spec: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "labels": dict(labels)}, "spec": spec}


@pytest.fixture(scope="module")
def cluster(sandbox: Sandbox) -> Iterator[Sandbox]:
    """The shared cluster with a node of every kind: GPUs, Neuron, with and without EFA, extra taints, CPUs, system."""
    sandbox.apply(*objects())
    expected = nodes(*POOLS)

    def ours() -> set[str]:
        names = {node["metadata"]["name"] for node in sandbox.get("nodes")["items"]}
        return {name for name in names if name.startswith("karpenter-dp-")}

    def there() -> bool:
        return expected < ours() and any(name.startswith("karpenter-dp-general") for name in ours())

    eventually(there, f"nodes {sorted(expected)} and one of the general pool")
    yield sandbox
    pools = [*(each.node_pool_name for each in TRAINING), GENERAL.name]
    sandbox.kubectl("delete", "nodepool", *pools, "--cascade=foreground", "--timeout=60s")
    sandbox.kubectl("delete", "ec2nodeclass", *(each.name for each in TRAINING), GENERAL.name, "--timeout=60s")
    eventually(lambda: not ours(), "the pools' nodes are gone")


@pytest.fixture
def install(cluster: Sandbox, tmp_path: Path) -> Iterator[Install]:
    """Render a chart with the real Helm and apply it, every field checked; taken away after the test."""
    applied: list[str] = []

    def run(release: str, chart: Path, values: Mapping[str, Any]) -> None:
        file = tmp_path / f"{release}.json"
        file.write_text(json.dumps(values))
        rendered = cluster.run("helm", "template", release, str(chart), "-n", NAMESPACE, "-f", str(file))
        assert rendered.returncode == 0, rendered.stderr
        applied.append(rendered.stdout)
        arguments = ("apply", "--server-side", "--validate=strict", "-n", NAMESPACE, "-f", "-")
        cluster.kubectl(*arguments, stdin=rendered.stdout)

    yield run
    for manifest in applied:
        cluster.kubectl("delete", "-n", NAMESPACE, "--wait=false", "-f", "-", stdin=manifest)


def observed(sandbox: Sandbox, daemon_set: str) -> dict[str, Any] | None:
    """The status of a DaemonSet once its controller has counted the nodes and every pod of it is ready."""
    thing = sandbox.get("daemonset", daemon_set, "-n", NAMESPACE)
    status: dict[str, Any] = thing["status"]
    seen = status.get("observedGeneration") == thing["metadata"]["generation"]
    return status if seen and status["numberReady"] == status["desiredNumberScheduled"] else None


def lands_on(sandbox: Sandbox, daemon_set: str, expected: set[str]) -> None:
    """The DaemonSet has a ready pod on each of these nodes and on no other."""

    def settled() -> bool:
        status = observed(sandbox, daemon_set)
        return status is not None and (status["desiredNumberScheduled"] > 0) == bool(expected)

    eventually(settled, f"{daemon_set} has counted its nodes")
    pods = sandbox.get("pods", "-n", NAMESPACE)["items"]
    owned = [pod for pod in pods if [daemon_set] == [ref["name"] for ref in pod["metadata"].get("ownerReferences", [])]]
    assert {pod["spec"]["nodeName"] for pod in owned} == expected
    assert len(owned) == len(expected)


def nvidia_values(pools: Sequence[NodePool]) -> dict[str, Any]:
    return nvidia_device_plugin_values(NvidiaSpec(), pools=pools, images=None)


def efa_values(pools: Sequence[NodePool]) -> dict[str, Any]:
    return efa_device_plugin_values(EfaSpec(), pools=pools, region="us-west-2", images=None)


def test_the_nvidia_plugin_runs_on_gpu_nodes_and_on_no_other(cluster: Sandbox, install: Install) -> None:
    install(NVIDIA_DEVICE_PLUGIN.name, SHARED / NVIDIA_DEVICE_PLUGIN.name, nvidia_values(TRAINING))
    lands_on(cluster, "nvidia-device-plugin", nodes("gpu-efa", "gpu", "gpu-ours", "gpu-request"))
    # GPUs are not shared, so its companion for that runs nowhere.
    lands_on(cluster, "nvidia-device-plugin-mps-control-daemon", set())


def test_the_efa_plugin_runs_where_a_pool_has_efa_and_on_no_other(cluster: Sandbox, install: Install) -> None:
    install(EFA_DEVICE_PLUGIN.name, SHARED / EFA_DEVICE_PLUGIN.name, efa_values(TRAINING))
    expected = nodes("gpu-efa", "gpu-ours", "gpu-request", "trn-efa", "trn-ours")
    lands_on(cluster, "aws-efa-k8s-device-plugin", expected)


def test_the_efa_plugin_of_the_chart_s_own_values_runs_nowhere(cluster: Sandbox, install: Install) -> None:
    install(EFA_DEVICE_PLUGIN.name, SHARED / EFA_DEVICE_PLUGIN.name, {})
    lands_on(cluster, "aws-efa-k8s-device-plugin", set())


def test_a_plugin_that_does_not_know_a_pool_s_taint_misses_its_nodes(cluster: Sandbox, install: Install) -> None:
    known = [POOLS["gpu-efa"], POOLS["gpu"]]
    install(NVIDIA_DEVICE_PLUGIN.name, SHARED / NVIDIA_DEVICE_PLUGIN.name, nvidia_values(known))
    lands_on(cluster, "nvidia-device-plugin", nodes("gpu-efa", "gpu", "gpu-request"))


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
    cluster: Sandbox, install: Install, tmp_path: Path
) -> None:
    chart = tmp_path / NEURON.name
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text(f"apiVersion: v2\nname: {NEURON.name}\nversion: 1.9.0\n")
    (chart / "values.yaml").write_text((SHARED / "neuron-helm-chart-values-1.9.0" / "values.yaml").read_text())
    (chart / "templates" / "daemonset.yaml").write_text(STAMP)
    values = neuron_plugin_values(NeuronSpec(), pools=TRAINING, kubernetes="1.35", images=None)
    install(NEURON.name, chart, values)
    lands_on(cluster, "neuron-device-plugin", nodes("trn-efa", "trn", "trn-ours"))
