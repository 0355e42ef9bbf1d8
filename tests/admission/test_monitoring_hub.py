"""Monitoring and JupyterHub before the real API server and scheduler, on simulated nodes of our pools.

Their charts are not at hand, so this shows objects of our own: definitions, monitors, rules and DaemonSets; namespace
and quota; and a pod from each JupyterHub profile. The pod has the shape that KubeSpawner 7.0.0 gave it when it was run
on values of ours, outside the tests (2026-11-29).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from components.capacity.node_class import API_VERSION as CLASS_API
from components.capacity.node_class import common_spec, node_class_labels, node_class_spec
from components.capacity.node_pool import API_VERSION as POOL_API
from components.capacity.node_pool import general_pool_spec, node_pool_spec
from components.platform.jupyterhub import JupyterHub, JupyterHubArgs
from components.platform.jupyterhub_values import SERVER_SECURITY, jupyterhub_values
from components.platform.monitoring import Monitoring, MonitoringArgs
from stacks.general_pools import GeneralPool
from stacks.jupyterhub import JupyterHubSpec
from stacks.monitoring import MonitoringSpec
from stacks.node_pools import NodePool
from tests.admission.support import Sandbox, eventually

pytestmark = pytest.mark.admission

TAINTS = [{"key": "example.com/team", "value": "research"}, {"key": "example.com/x", "effect": "NoExecute"}]
CSI = {"key": "ebs.csi.aws.com/agent-not-ready", "effect": "NoExecute"}
IMAGE = f"registry.example.com/notebook@sha256:{'0' * 64}"


def pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"fixed": 1}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": f"mh-{name}", "instanceType": instance_type, **given})


POOLS = {
    "gpu": pool("gpu", "p5.48xlarge", efa="static", taints=TAINTS),
    "trn": pool("trn", "trn1.32xlarge", efa="static", taints=TAINTS),
    "small": pool("small", "trn1.2xlarge"),
}
GENERAL = GeneralPool.model_validate(
    {"name": "mh-general", "limits": {"cpu": 64, "memoryGiB": 256}, "zones": ["us-west-2b"]}
)
TRAINING = list(POOLS.values())
HUB = JupyterHubSpec.model_validate(
    {
        "profiles": [
            {"name": "gpu", "pool": "mh-gpu", "accelerators": 4, "cpu": 32, "image": IMAGE, "groups": ["*"]},
            {"name": "trn", "pool": "mh-trn", "accelerators": 16, "cpu": 32, "image": IMAGE, "groups": ["*"]},
            {"name": "small", "pool": "mh-small", "accelerators": 1, "cpu": 2, "image": IMAGE, "groups": ["*"]},
            {"name": "cpu", "generalPool": "mh-general", "cpu": 1, "memoryGiB": 2, "image": IMAGE},
        ],
        "home": {"claim": "home"},
        "quota": {"accelerators": 20, "storageGiB": 100},
    }
)
Build = Callable[[Callable[[], object]], Any]


def of(api: str, kind: str, name: str, spec: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "labels": dict(labels)}, "spec": spec}


def pool_objects() -> Iterator[dict[str, Any]]:
    """EC2NodeClass and NodePool of each pool, as the components make them."""
    every: dict[str, Any] = {"role": "node", "security_group_ids": ["sg-1"], "ami_release": "v20261023", "tags": {}}
    for each in TRAINING:
        node_class = node_class_spec(each, subnet_id="subnet-1", placement_group=None, **every)
        yield of(CLASS_API, "EC2NodeClass", each.name, node_class, node_class_labels(each))
        yield of(POOL_API, "NodePool", each.node_pool_name, node_pool_spec(each), {})
    general = common_spec(GENERAL, subnet_ids=["subnet-1"], **every)
    yield of(CLASS_API, "EC2NodeClass", GENERAL.name, general, node_class_labels(GENERAL))
    yield of(POOL_API, "NodePool", GENERAL.name, general_pool_spec(GENERAL, ["us-west-2b"]), {})


def objects_of(recorder: Any) -> list[dict[str, Any]]:
    """What a component registers with the Kubernetes provider, releases left out."""
    return [
        dict(registration.inputs)
        for registration in recorder.registrations
        if registration.type.startswith("kubernetes:") and "helm.sh" not in registration.type
    ]


def apply(sandbox: Sandbox, things: Sequence[Mapping[str, Any]], *more: str) -> str:
    """What the API server says against them, every field checked; Pod Security's warnings too."""
    documents = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(things)})
    arguments = ("apply", "--server-side", "--force-conflicts", "--validate=strict", *more, "-f", "-")
    return sandbox.run("kubectl", *arguments, stdin=documents).stderr


def nodes_of(sandbox: Sandbox, name: str) -> dict[str, dict[str, Any]]:
    found = sandbox.get("nodes", "-l", f"eks-training-platform/pool={name}")["items"]
    return {node["metadata"]["name"]: node for node in found}


@pytest.fixture(scope="module")
def monitoring(build: Build) -> list[dict[str, Any]]:
    spec = MonitoringSpec.model_validate({"grafana": {"adminSecret": "grafana"}, "nodeUnits": True})
    args = MonitoringArgs(spec=spec, pools=TRAINING, volcano=True, charts=None, images=None)
    return objects_of(build(lambda: Monitoring("monitoring", args)))


@pytest.fixture(scope="module")
def cluster(sandbox: Sandbox, monitoring: list[dict[str, Any]], build: Build) -> Iterator[Sandbox]:
    """A node of each pool, and all objects of both parts."""
    sandbox.apply(*pool_objects())
    definitions = [thing for thing in monitoring if thing["kind"] == "CustomResourceDefinition"]
    rest = [thing for thing in monitoring if thing not in definitions]
    assert definitions
    assert apply(sandbox, definitions) == ""
    for definition in definitions:
        wait = ("wait", "--for=condition=Established", f"crd/{definition['metadata']['name']}", "--timeout=30s")
        eventually(lambda wait=wait: sandbox.run("kubectl", *wait).returncode == 0, str(wait))
    namespaces = [thing for thing in rest if thing["kind"] == "Namespace"]
    args = JupyterHubArgs(spec=HUB, pools=TRAINING, general_pools=[GENERAL], charts=None, images=None)
    hub = objects_of(build(lambda: JupyterHub("hub", args)))
    for things in (namespaces, [thing for thing in rest if thing not in namespaces], hub[:1], hub[1:], homes()):
        assert apply(sandbox, things) == ""
    for name in ("mh-gpu", "mh-trn", "mh-small", "mh-general"):
        eventually(lambda name=name: nodes_of(sandbox, name), f"a node of {name}")
    yield sandbox
    sandbox.kubectl("delete", "namespace", "monitoring", "jupyterhub", "--timeout=120s")
    pools = [*(each.node_pool_name for each in TRAINING), GENERAL.name]
    sandbox.kubectl("delete", "nodepool", *pools, "--cascade=foreground", "--timeout=60s")
    sandbox.kubectl("delete", "ec2nodeclass", *(each.name for each in TRAINING), GENERAL.name, "--timeout=60s")
    sandbox.kubectl("delete", "storageclass", "hub-test")
    sandbox.kubectl("delete", "--wait=false", *(f"crd/{each['metadata']['name']}" for each in definitions))


def homes() -> list[dict[str, Any]]:
    """A claim that all servers mount, of a class that binds at once."""
    claim = {
        "storageClassName": "hub-test",
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "5Gi"}},
    }
    meta = {"name": "home", "namespace": "jupyterhub"}
    return [
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "hub-test"},
            "provisioner": "ebs.csi.aws.com",
            "volumeBindingMode": "Immediate",
        },
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": claim},
    ]


def lands_on(sandbox: Sandbox, daemon_set: str, *names: str) -> None:
    """The DaemonSet has a ready pod on each node of these pools, and on no other node of ours."""
    expected = {node for name in names for node in nodes_of(sandbox, f"mh-{name}")}
    assert expected

    def settled() -> bool:
        thing = sandbox.get("daemonset", daemon_set, "-n", "monitoring")
        status = thing["status"]
        seen = status.get("observedGeneration") == thing["metadata"]["generation"]
        return bool(seen and status["numberReady"] == status["desiredNumberScheduled"] > 0)

    eventually(settled, f"{daemon_set} has counted its nodes")
    pods = sandbox.get("pods", "-n", "monitoring", "-l", f"app.kubernetes.io/name={daemon_set}")["items"]
    found = {pod["spec"]["nodeName"] for pod in pods}
    # Other tests' pools may have nodes in the shared cluster.
    assert {node for node in found if node.startswith("karpenter-mh-")} == expected


def test_monitors_and_rules_are_what_the_definitions_know(cluster: Sandbox) -> None:
    listed = cluster.kubectl("get", "servicemonitors,prometheusrules", "-n", "monitoring", "-o", "name").split()
    assert sorted(listed) == [
        "prometheusrule.monitoring.coreos.com/training-platform",
        "servicemonitor.monitoring.coreos.com/karpenter",
        "servicemonitor.monitoring.coreos.com/neuron-monitor",
        "servicemonitor.monitoring.coreos.com/volcano-controller",
        "servicemonitor.monitoring.coreos.com/volcano-scheduler",
    ]


def test_a_misspelt_field_of_a_rule_is_refused(cluster: Sandbox, monitoring: list[dict[str, Any]]) -> None:
    [rule] = [thing for thing in monitoring if thing["kind"] == "PrometheusRule"]
    text = json.dumps(rule).replace('"expr"', '"exprs"')
    assert 'unknown field "exprs"' in apply(cluster, [json.loads(text)], "--dry-run=server")


def test_neuron_monitor_runs_on_neuron_nodes_and_on_no_other(cluster: Sandbox) -> None:
    lands_on(cluster, "neuron-monitor", "trn", "small")


def test_efa_counters_are_read_on_nodes_with_efa_and_on_no_other(cluster: Sandbox) -> None:
    lands_on(cluster, "efa-counters", "gpu", "trn")


def server(profile: str, name: str) -> dict[str, Any]:
    """The pod that KubeSpawner makes of a profile."""
    values = jupyterhub_values(HUB, pools=TRAINING, general_pools=[GENERAL], images=None)["singleuser"]
    [chosen] = [each["kubespawner_override"] for each in values["profileList"] if each["slug"] == profile]
    gib = int(chosen["mem_limit"].removesuffix("G"))
    amounts = {
        "cpu": str(chosen["cpu_limit"]),
        "memory": str(gib * 1024**3),
        **chosen.get("extra_resource_limits", {}),
    }
    home = {"name": "home", "persistentVolumeClaim": {"claimName": values["storage"]["static"]["pvcName"]}}
    notebook = {
        "name": "notebook",
        "image": chosen["image"],
        "ports": [{"containerPort": 8888, "name": "notebook-port"}],
        "resources": {"limits": amounts, "requests": amounts},
        "securityContext": {"runAsUser": 1000, "allowPrivilegeEscalation": False, **SERVER_SECURITY},
        "volumeMounts": [
            *values["storage"]["extraVolumeMounts"],
            {"mountPath": "/home/jovyan", "name": "home", "subPath": "home/alice"},
        ],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "jupyterhub", "annotations": values["extraAnnotations"]},
        "spec": {
            "automountServiceAccountToken": False,
            "containers": [notebook],
            "nodeSelector": chosen["node_selector"],
            "restartPolicy": "OnFailure",
            "securityContext": {"fsGroup": 100},
            "tolerations": chosen["tolerations"],
            "volumes": [home, *values["storage"]["extraVolumes"]],
        },
    }


@pytest.mark.parametrize("profile", HUB.profiles, ids=lambda profile: profile.name)
def test_a_server_of_a_profile_lands_on_a_node_of_its_pool_with_its_devices(cluster: Sandbox, profile: Any) -> None:
    pod = server(profile.name, f"jupyter-{profile.name}")
    assert apply(cluster, [pod]) == ""
    name = pod["metadata"]["name"]

    def node() -> str | None:
        found: str | None = cluster.get("pod", name, "-n", "jupyterhub")["spec"].get("nodeName")
        return found

    where = eventually(node, f"{name} has a node")
    nodes = nodes_of(cluster, profile.pool or profile.general_pool)
    assert where in nodes
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    devices = {key: int(amount) for key, amount in limits.items() if "/" in key}
    assert sum(devices.values()) == profile.accelerators
    for key, amount in devices.items():
        assert amount <= int(nodes[where]["status"]["allocatable"][key])
    cluster.kubectl("delete", "pod", name, "-n", "jupyterhub", "--wait=true", "--timeout=60s")


def test_the_quota_holds_whatever_the_hub_asks_for(cluster: Sandbox) -> None:
    pods = [server("trn", "jupyter-one"), server("trn", "jupyter-two")]
    assert apply(cluster, pods[:1]) == ""
    said = apply(cluster, pods[1:])
    assert "exceeded quota: servers, requested: requests.aws.amazon.com/neuron=16" in said
    cluster.kubectl("delete", "pod", "jupyter-one", "-n", "jupyterhub", "--wait=true", "--timeout=60s")


def test_the_hub_s_namespace_takes_no_load_balancer_and_no_privileged_server(cluster: Sandbox) -> None:
    meta = {"name": "public", "namespace": "jupyterhub"}
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}]}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
    assert "exceeded quota" in apply(cluster, [service])
    pod = server("cpu", "jupyter-root")
    pod["spec"]["containers"][0]["securityContext"] = {"privileged": True}
    assert 'violates PodSecurity "restricted' in apply(cluster, [pod])
