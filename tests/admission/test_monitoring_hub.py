"""Monitoring and JupyterHub before the real API server and scheduler, on simulated nodes of our pools.

Their charts are not at hand, so this shows objects of our own: definitions, monitors, rules and DaemonSets; namespace
and quota; and a pod from each JupyterHub profile. The pod has the shape that KubeSpawner 7.0.0 gave it when it was run
on values of ours, outside the tests (2026-11-29).
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from components.platform.crd_charts import crd_data
from components.platform.jupyterhub import JupyterHub, JupyterHubArgs
from components.platform.jupyterhub_values import SERVER_SECURITY, jupyterhub_values
from components.platform.monitoring import CRD_FOLDER, Monitoring, MonitoringArgs
from components.platform.platform_namespaces import PlatformNamespaces, PlatformNamespacesArgs
from stacks.jupyterhub import JupyterHubSpec
from stacks.monitoring import MonitoringSpec
from stacks.platform import Platform
from tests.admission.fleet import GENERAL, TRAINING, Fleet
from tests.admission.landing import Landings, daemon_set_lands, devices_of, placed, remove
from tests.admission.support import Sandbox, objects_of

pytestmark = pytest.mark.admission

MONITORING = MonitoringSpec.model_validate({"grafana": {"adminSecret": "grafana"}, "nodeUnits": True})
IMAGE = f"registry.example.com/notebook@sha256:{'0' * 64}"
HUB = JupyterHubSpec.model_validate(
    {
        "profiles": [
            {"name": "gpu", "pool": "gpu-ours", "accelerators": 4, "cpu": 32, "image": IMAGE, "groups": ["*"]},
            {"name": "trn", "pool": "trn-ours", "accelerators": 16, "cpu": 32, "image": IMAGE, "groups": ["*"]},
            {"name": "small", "pool": "trn", "accelerators": 1, "cpu": 2, "image": IMAGE, "groups": ["*"]},
            {"name": "cpu", "generalPool": "general", "cpu": 1, "memoryGiB": 2, "image": IMAGE},
        ],
        "home": {"claim": "home"},
        "quota": {"accelerators": 20, "storageGiB": 100},
    }
)
Build = Callable[[Callable[[], object]], Any]


@pytest.fixture(scope="module")
def monitoring(build: Build) -> list[dict[str, Any]]:
    args = MonitoringArgs(
        spec=MONITORING, pools=TRAINING, namespace="monitoring", volcano=True, charts=None, images=None
    )
    return objects_of(build(lambda: Monitoring("monitoring", args)))


@pytest.fixture(scope="module")
def cluster(fleet: Fleet, monitoring: list[dict[str, Any]], build: Build) -> Iterator[Sandbox]:
    """The fleet, and all objects of both parts."""
    sandbox = fleet.sandbox
    sandbox.store_definitions(crd_data(CRD_FOLDER))
    platform = Platform(monitoring=MONITORING, jupyterhub=HUB)
    spaces = PlatformNamespacesArgs(platform=platform, protect=False)
    namespaces = objects_of(build(lambda: PlatformNamespaces("platform", spaces)))
    names = [namespace["metadata"]["name"] for namespace in namespaces]
    assert sorted(names) == ["jupyterhub", "monitoring"]
    args = JupyterHubArgs(
        spec=HUB, pools=TRAINING, general_pools=[GENERAL], namespace="jupyterhub", charts=None, images=None
    )
    hub = objects_of(build(lambda: JupyterHub("hub", args)))
    for things in (namespaces, monitoring, hub, homes()):
        assert sandbox.verdict(things) == ""
    yield sandbox
    for name in names:
        sandbox.kubectl("delete", "daemonsets", "--all", "-n", name)
        remove(fleet, name, "--all")
    sandbox.kubectl("delete", "namespace", *names, "--wait=false")
    sandbox.kubectl("delete", "storageclass", "hub-test")


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
    assert ".rules[0].exprs: field not declared in schema" in cluster.verdict([json.loads(text)], "--dry-run=server")


def test_neuron_monitor_runs_on_neuron_nodes_and_on_no_other(cluster: Sandbox, fleet: Fleet, landed: Landings) -> None:
    expected = fleet.names("trn-efa", "trn", "trn-ours", "trn-starting", "trn1")
    daemon_set_lands(fleet, landed, "monitoring", "neuron-monitor", expected)


def test_efa_counters_are_read_on_nodes_with_efa_and_on_no_other(
    cluster: Sandbox, fleet: Fleet, landed: Landings
) -> None:
    gpu = fleet.names("gpu-efa", "gpu-ours", "gpu-request", "gpu-starting", "p5")
    trainium = fleet.names("trn-efa", "trn-ours", "trn-starting", "trn1")
    daemon_set_lands(fleet, landed, "monitoring", "efa-counters", gpu | trainium)


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
def test_a_server_of_a_profile_lands_on_a_node_of_its_pool_with_its_devices(
    cluster: Sandbox, fleet: Fleet, landed: Landings, profile: Any
) -> None:
    pod = server(profile.name, f"jupyter-{profile.name}")
    assert cluster.verdict([pod]) == ""
    name = pod["metadata"]["name"]
    where = placed(fleet, "jupyterhub", [name], 1)[name]
    pool = profile.pool or profile.general_pool
    assert where in fleet.names(pool)
    devices = devices_of(pod)
    assert sum(devices.values()) == profile.accelerators
    landed.add(f"JupyterHub profile {profile.name}", where, devices)
    for key, amount in devices.items():
        assert amount <= int(fleet.nodes[pool][where]["status"]["allocatable"][key])
    remove(fleet, "jupyterhub", name)


def test_the_quota_holds_whatever_the_hub_asks_for(cluster: Sandbox, fleet: Fleet) -> None:
    pods = [server("trn", "jupyter-one"), server("trn", "jupyter-two")]
    assert cluster.verdict(pods[:1]) == ""
    said = cluster.verdict(pods[1:])
    assert "exceeded quota: servers, requested: requests.aws.amazon.com/neuron=16" in said
    remove(fleet, "jupyterhub", "jupyter-one")


def test_the_hub_s_namespace_takes_no_load_balancer_and_no_privileged_server(cluster: Sandbox) -> None:
    meta = {"name": "public", "namespace": "jupyterhub"}
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}]}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
    assert "exceeded quota" in cluster.verdict([service])
    pod = server("cpu", "jupyter-root")
    pod["spec"]["containers"][0]["securityContext"] = {"privileged": True}
    assert 'violates PodSecurity "restricted' in cluster.verdict([pod])
