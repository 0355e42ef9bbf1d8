"""For every accelerated type: Slurm, notebooks, queues, pools and plugins all count what the catalog's file says.

Numbers are read out of what we render (texts of Slurm's files, NodeSets, KubeSpawner's profiles, queues, NodePools) and
compared with the cells of `instances.csv`, so that no function is compared with itself.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from components.capacity.node_class import network_interfaces
from components.capacity.node_pool import node_pool_spec
from components.catalog.instance_types import INSTANCE_TYPES, rows
from components.catalog.requests import SYSTEM_REQUESTS
from components.catalog.slurm import DAEMONS
from components.platform.jupyterhub_values import jupyterhub_values
from components.platform.monitoring_values import dcgm_values, stack_values
from components.platform.neuron_plugin_values import neuron_plugin_values
from components.platform.nvidia_device_plugin_values import nvidia_device_plugin_values
from components.platform.slurm_node_sets import node_set_spec
from components.platform.slurm_values import SlurmSurroundings, slurm_values
from components.platform.volcano_queues import queue_spec
from stacks import node_room
from stacks.device_plugins import NeuronSpec, NvidiaSpec
from stacks.devices_together import check_counts
from stacks.jupyterhub import JupyterHubSpec
from stacks.jupyterhub_rules import check_jupyterhub
from stacks.monitoring import MonitoringSpec
from stacks.node_pools import NodePool
from stacks.slurm import SlurmSpec
from stacks.slurm_rules import check_slurm
from stacks.volcano import QueueSpec, VolcanoSpec
from stacks.volcano_rules import check_volcano
from tests.unit.slurm_examples import GPU_IMAGE, NEURON_IMAGE

pytestmark = pytest.mark.unit

NODES = 3
GPU, NEURON, EFA = "nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa"
SURROUNDINGS = SlurmSurroundings(
    zone="us-west-2a", claim="state", sssd_secret=None, database=None, rotation="slurmKey=unknown", images=None
)
CELLS: Mapping[str, Mapping[str, str]] = {row["instance_type"]: row for row in rows()}
ACCELERATED = sorted(name for name, row in CELLS.items() if row["accelerator"] and name in INSTANCE_TYPES)


def cell(name: str, column: str) -> int:
    return int(CELLS[name][column])


def resource(name: str) -> str:
    return NEURON if CELLS[name]["accelerator"].startswith(("trainium", "inferentia")) else GPU


def pool_of(name: str) -> NodePool:
    """Three nodes of the type, with EFA wherever it has some."""
    return NodePool.model_validate(
        {
            "name": "pool",
            "instanceType": name,
            "zone": "us-west-2a",
            "nodes": {"max": NODES},
            "efa": "static" if cell(name, "efa_interfaces") else "off",
            "placementGroup": "none",
        }
    )


def slurm() -> SlurmSpec:
    return SlurmSpec.model_validate(
        {"nodeImage": {"gpu": GPU_IMAGE, "neuron": NEURON_IMAGE}, "nodeSets": [{"pool": "pool", "replicas": NODES}]}
    )


def limits_of(pool: NodePool) -> Mapping[str, str]:
    spec = slurm()
    container = node_set_spec(spec, spec.node_sets[0], pool, None)["slurmd"]
    assert container["resources"]["requests"] == container["resources"]["limits"]
    found: Mapping[str, str] = container["resources"]["limits"]
    return found


def hub(pool: NodePool, accelerators: int) -> JupyterHubSpec:
    """One profile with all of a node, as large as a Slurm node."""
    limits = limits_of(pool)
    return JupyterHubSpec.model_validate(
        {
            "profiles": [
                {
                    "name": "whole",
                    "pool": "pool",
                    "accelerators": accelerators,
                    "cpu": int(limits["cpu"]),
                    # A notebook's pod counts on the node's addresses without EFA, which takes a little more memory.
                    "memoryGiB": max(int(limits["memory"].removesuffix("Gi")) - 3, 1),
                    "image": NEURON_IMAGE,
                    "groups": ["*"],
                }
            ],
            "quota": {"accelerators": accelerators},
        }
    )


def queue() -> QueueSpec:
    return QueueSpec.model_validate({"name": "all", "capability": {"pool": NODES}, "deserved": {"pool": NODES}})


@pytest.fixture(params=ACCELERATED)
def name(request: Any) -> str:
    return str(request.param)


def test_the_catalog_has_types_of_both_kinds():
    assert {resource(name) for name in ACCELERATED} == {GPU, NEURON}
    assert len(ACCELERATED) > 20


def test_gres_of_slurm_is_the_node_s_devices(name):
    pool, count = pool_of(name), cell(name, "accelerator_count")
    spec = slurm()
    made = node_set_spec(spec, spec.node_sets[0], pool, None)
    gres = dict(word.split("=", 1) for word in made["extraConf"].split())["Gres"].split(":")
    kind = "neuron" if resource(name) == NEURON else "gpu"
    assert (gres[0], int(gres[-1])) == (kind, count)
    files = slurm_values(spec, [pool], SURROUNDINGS)
    conf = dict(line.split("=", 1) for line in files["controller"]["extraConf"].splitlines())
    assert conf["GresTypes"] == kind
    assert conf["AccountingStorageTRES"] == f"gres/{kind}"


def test_gres_conf_has_a_line_for_each_node_with_its_devices(name):
    pool = pool_of(name)
    [line] = slurm_values(slurm(), [pool], SURROUNDINGS)["configFiles"]["gres.conf"].splitlines()
    words = dict(word.split("=", 1) for word in line.split())
    first, last = re.fullmatch(r"pool-\[(\d+)-(\d+)\]", words["NodeName"]).groups()
    assert int(last) - int(first) + 1 == NODES
    if resource(name) == NEURON:
        assert (words["Name"], int(words["Count"])) == ("neuron", cell(name, "accelerator_count"))
    else:
        # The driver counts.
        assert words["AutoDetect"] == "nvidia"
        assert "Count" not in words


def test_a_slurm_node_asks_for_every_device_and_interface(name):
    limits = limits_of(pool_of(name))
    assert int(limits[resource(name)]) == cell(name, "accelerator_count")
    assert int(limits.get(EFA, "0")) == cell(name, "efa_interfaces")
    assert set(limits) - {"cpu", "memory"} == {resource(name)} | ({EFA} if cell(name, "efa_interfaces") else set())


def test_a_slurm_node_without_efa_asks_for_none(name):
    assert EFA not in limits_of(pool_of(name).model_copy(update={"efa": "off"}))


def test_a_slurm_node_fits_beside_its_daemonsets_and_leaves_little(name):
    limits, vcpu, memory = limits_of(pool_of(name)), cell(name, "vcpu"), float(CELLS[name]["memory_gib"])
    cpus, gib = int(limits["cpu"]), int(limits["memory"].removesuffix("Gi"))
    assert cpus * 1000 + DAEMONS.cpu_m <= vcpu * 1000
    assert cpus >= vcpu - 2
    # 7.5 % of the nominal memory is none (Karpenter); some 11 MiB a pod and 355 MiB are the image's own.
    assert gib * 1024 + DAEMONS.memory_mib + 355 <= memory * 1024 * 0.925
    assert gib >= memory * 0.925 - 2 - 11


def test_a_notebook_with_the_whole_node_gets_every_device(name):
    pool, count = pool_of(name), cell(name, "accelerator_count")
    spec = hub(pool, count)
    assert list(check_jupyterhub("platform.jupyterhub", spec, pools=[pool], general_pools=[], zones=[])) == []
    [profile] = jupyterhub_values(spec, pools=[pool], general_pools=[], images=None)["singleuser"]["profileList"]
    override = profile["kubespawner_override"]
    assert override["extra_resource_limits"] == override["extra_resource_guarantees"] == {resource(name): str(count)}
    assert profile["description"].startswith(f"{count} of {count} x {CELLS[name]['accelerator']} of a {name}, ")
    assert override["cpu_limit"] == int(limits_of(pool)["cpu"])


def test_one_device_more_is_refused_with_the_sum(name):
    pool, count = pool_of(name), cell(name, "accelerator_count")
    found = list(
        check_jupyterhub("platform.jupyterhub", hub(pool, count + 1), pools=[pool], general_pools=[], zones=[])
    )
    [problem] = [each for each in found if each.path.endswith(".accelerators")]
    assert problem.path == "platform.jupyterhub.profiles[0].accelerators"
    assert f"1 server x {count + 1} = {count + 1} > {count}" in problem.reason


def test_a_queue_over_the_whole_pool_is_its_devices(name):
    pool, total = pool_of(name), NODES * cell(name, "accelerator_count")
    spec = queue_spec(queue(), [pool])
    assert spec["capability"] == spec["deserved"] == {resource(name): str(total)}
    assert node_pool_spec(pool)["limits"] == {resource(name): str(total)}


def test_a_node_has_the_interfaces_that_its_pods_ask_for(name):
    kinds = [each["interfaceType"] for each in network_interfaces(INSTANCE_TYPES[name])]
    assert kinds.count("efa-only") == cell(name, "efa_interfaces")


def test_no_count_is_of_cores(name):
    pool = pool_of(name)
    spec = slurm()
    rendered = [
        node_set_spec(spec, spec.node_sets[0], pool, None),
        slurm_values(spec, [pool], SURROUNDINGS),
        jupyterhub_values(hub(pool, cell(name, "accelerator_count")), pools=[pool], general_pools=[], images=None),
        queue_spec(queue(), [pool]),
    ]
    assert "neuroncore" not in json.dumps(rendered)


def test_what_agrees_is_accepted_by_every_rule(name):
    pool = pool_of(name)
    spec, notebooks = slurm(), hub(pool, cell(name, "accelerator_count"))
    volcano = VolcanoSpec(queues=(queue(),))
    assert list(check_slurm("platform.slurm", spec, pools=[pool], cert_manager=True)) == []
    assert list(check_volcano("platform.volcano", volcano, pools=[pool])) == []
    sections = {"platform.slurm": spec, "platform.jupyterhub": notebooks, "platform.volcano": volcano}
    assert list(check_counts(sections, pools=[("nodePools[0]", pool)], general=[])) == []


def test_one_node_more_is_refused_in_slurm_and_in_queues(name):
    pool = pool_of(name).model_copy(update={"nodes": pool_of(name).nodes.model_copy(update={"max": NODES - 1})})
    [more] = check_slurm("platform.slurm", slurm(), pools=[pool], cert_manager=True)
    assert more.path == "platform.slurm.nodeSets[0].replicas"
    assert f"the pool has at most {NODES - 1}: 1 would wait forever" in more.reason
    found = list(check_volcano("platform.volcano", VolcanoSpec(queues=(queue(),)), pools=[pool]))
    assert {each.path for each in found} == {
        f"platform.volcano.queues[0].{field}.pool" for field in ("capability", "deserved")
    }


# What is kept free on a node for DaemonSets.


def requests_of(daemon: node_room.NodeDaemon) -> Mapping[str, str]:
    """What our values, or the chart's own, ask for."""
    pools = [pool_of("p5.48xlarge"), pool_of("trn1.32xlarge")]
    rendered = {
        "nvidia.values": nvidia_device_plugin_values(NvidiaSpec(), pools=pools, images=None),
        "neuron.values": neuron_plugin_values(NeuronSpec(), pools=pools, kubernetes="1.35", images=None),
        # values.yaml of aws-efa-k8s-device-plugin v0.5.30, which ours leaves alone (shared/charts, read 2026-11-29).
        "efa.values": {"resources": {"requests": {"cpu": "10m", "memory": "20Mi"}}},
        "monitoring.dcgm_values": dcgm_values(MonitoringSpec(), pools=pools, images=None),
        "monitoring.values": stack_values(MonitoringSpec(), None),
    }
    found: Any = rendered[f"{daemon.part}.{daemon.field}"]
    for step in daemon.key.split("."):
        found = found[step]
    requests: Mapping[str, str] = found["requests"]
    return requests


@pytest.mark.parametrize("daemon", node_room.NODE_DAEMONS, ids=lambda daemon: daemon.name)
def test_the_table_of_daemonsets_says_what_is_rendered(daemon):
    assert requests_of(daemon) == {"cpu": f"{daemon.cpu_m}m", "memory": f"{daemon.memory_mib}Mi"}


def test_all_daemonsets_fit_into_what_is_kept_free():
    placed = [entry for entry in SYSTEM_REQUESTS if entry.replicas is None and entry.name != "node-exporter"]
    parts = [*node_room.NODE_DAEMONS, *placed, node_room.UNCHANGING]
    assert sum(part.cpu_m for part in parts) <= DAEMONS.cpu_m
    assert sum(part.memory_mib for part in parts) <= DAEMONS.memory_mib
