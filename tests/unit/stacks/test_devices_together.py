"""Counts across sections: each test breaks one in valid sections, and reads the sum in the message."""

from collections.abc import Mapping
from typing import Any

import pytest

from stacks.cert_manager import CertManagerSpec
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec
from stacks.devices_together import check_counts
from stacks.general_pools import GeneralPool
from stacks.jupyterhub import JupyterHubSpec
from stacks.monitoring import MonitoringSpec
from stacks.node_pools import NodePool
from stacks.problems import Problem
from stacks.slurm import SlurmSpec
from stacks.volcano import VolcanoSpec

pytestmark = pytest.mark.unit

IMAGE = f"registry.example.com/image@sha256:{'0' * 64}"
KINDS = {
    "certManager": CertManagerSpec,
    "nvidia": NvidiaSpec,
    "neuron": NeuronSpec,
    "efa": EfaSpec,
    "slurm": SlurmSpec,
    "volcano": VolcanoSpec,
    "jupyterhub": JupyterHubSpec,
    "monitoring": MonitoringSpec,
}


def pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"max": 2}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **given})


P5 = pool("p5", "p5.48xlarge", efa="static")
TRN1 = pool("trn1", "trn1.32xlarge", efa="static")
G6 = pool("g6", "g6.xlarge")
GENERAL = GeneralPool.model_validate({"name": "general", "limits": {"cpu": 64, "memoryGiB": 256}})
PROFILE = {"name": "one", "pool": "p5", "accelerators": 1, "image": IMAGE, "groups": ["*"]}
SMALL = {"name": "small", "generalPool": "general", "image": IMAGE}
VALID: Mapping[str, Any] = {
    "certManager": {},
    "nvidia": {},
    "neuron": {},
    "efa": {},
    "slurm": {"nodeSets": [{"pool": "p5", "replicas": 1}, {"pool": "trn1"}]},
    "volcano": {"queues": [{"name": "research", "deserved": {"p5": 1}}, {"name": "vision", "deserved": {"p5": 1}}]},
    "jupyterhub": {"profiles": [PROFILE, SMALL], "quota": {"accelerators": 16}},
    "monitoring": {},
}


def problems(*pools: NodePool, general: GeneralPool = GENERAL, **changes: Any) -> list[Problem]:
    """Problems of the valid sections with some exchanged, on these pools or the usual ones."""
    given = {**VALID, **changes}
    sections = {f"platform.{name}": KINDS[name].model_validate(part) for name, part in given.items()}
    placed = [(f"nodePools[{number}]", each) for number, each in enumerate(pools or (P5, TRN1, G6))]
    return list(check_counts(sections, pools=placed, general=[("generalPools[0]", general)]))


def of_slurm(**more: Any) -> dict[str, Any]:
    return {"slurm": {**VALID["slurm"], **more}}


def of_hub(**more: Any) -> dict[str, Any]:
    return {"jupyterhub": {**VALID["jupyterhub"], **more}}


def test_valid_sections_agree():
    assert problems() == []


def test_nothing_is_judged_where_nothing_is_on():
    assert list(check_counts({}, pools=[("nodePools[0]", P5)], general=[])) == []


def test_a_pool_of_an_unknown_type_is_left_to_its_own_rule():
    assert problems(P5, TRN1, G6, pool("odd", "p99.large", kubelet={"systemReserved": {"cpu": "8"}})) == []


# Volcano


def test_queues_do_not_deserve_more_than_the_pool_has():
    queues = [{"name": name, "deserved": {"p5": count}} for name, count in (("a", 1), ("b", 2))]
    [problem] = problems(volcano={"queues": queues})
    assert problem.path == "platform.volcano.queues[1].deserved.p5"
    assert problem.value == 2
    assert "a 1 + b 2 = 3 nodes x 8 h100 = 24, and the pool p5 allows 2 x 8 = 16" in problem.reason
    assert problem.accepted == "shares of p5 that add up to 2 or less"
    assert problem.ways_out == ("lower the shares", "give the pool p5 3 nodes")


def test_children_are_not_counted_beside_their_parent():
    queues = [{"name": "a", "deserved": {"p5": 2}}, {"name": "b", "parent": "a", "deserved": {"p5": 2}}]
    assert problems(volcano={"queues": queues}) == []


def test_one_queue_that_deserves_too_much_is_left_to_its_own_rule():
    assert problems(volcano={"queues": [{"name": "a", "deserved": {"p5": 3}}]}) == []


# JupyterHub


def test_the_quota_is_not_above_what_the_pools_have():
    [problem] = problems(**of_hub(quota={"accelerators": 17}))
    assert problem.path == "platform.jupyterhub.quota.accelerators"
    assert problem.value == 17
    assert "at most 16 nvidia.com/gpu (p5: 2 nodes x 8 = 16)" in problem.reason
    assert problem.accepted == "a whole number up to 16"
    assert problem.ways_out == ("set accelerators: 16", "give the pools more nodes")


def test_the_quota_counts_each_kind_of_device_by_itself():
    chips = {**PROFILE, "name": "chips", "pool": "trn1"}
    both = {"profiles": [PROFILE, chips]}
    assert problems(**of_hub(**both, quota={"accelerators": 32})) == []
    [problem] = problems(**of_hub(**both, quota={"accelerators": 33}))
    assert "16 nvidia.com/gpu (p5: 2 nodes x 8 = 16); 32 aws.amazon.com/neuron (trn1: 2 nodes x 16 = 32)" in (
        problem.reason
    )


def test_the_quota_means_nothing_without_accelerated_profiles():
    assert problems(**of_hub(profiles=[SMALL], quota={"accelerators": 900})) == []


def test_a_general_pool_allows_a_node_on_which_the_server_fits():
    small = GENERAL.model_copy(update={"limits": GENERAL.limits.model_copy(update={"cpu": 8})})
    [problem] = problems(general=small, **of_hub(profiles=[PROFILE, {**SMALL, "cpu": 12}]))
    assert problem.path == "platform.jupyterhub.profiles[1].cpu"
    assert problem.value == 12
    assert "1 node x 16 vCPU = 16, the pool allows 8" in problem.reason
    assert problem.ways_out[0] == "set limits.cpu of general to 16 or more"


def test_a_general_pool_allows_the_memory_of_that_node_too():
    small = GENERAL.model_copy(update={"limits": GENERAL.limits.model_copy(update={"memory_gib": 32})})
    [problem] = problems(general=small, **of_hub(profiles=[PROFILE, {**SMALL, "memoryGiB": 40}]))
    assert problem.path == "platform.jupyterhub.profiles[1].memoryGiB"
    assert "1 node x 64 GiB = 64, the pool allows 32" in problem.reason


@pytest.mark.parametrize(
    ("values", "key", "field"),
    [
        (
            {
                "singleuser": {
                    "profileList": [{"kubespawner_override": {"extra_resource_limits": {"nvidia.com/gpu": 16}}}]
                }
            },
            "singleuser.profileList",
            "profiles",
        ),
        (
            {"singleuser": {"extraResource": {"limits": {"nvidia.com/gpu": 16}}}},
            "singleuser.extraResource",
            "profiles[].accelerators",
        ),
        ({"singleuser": {"cpu": {"limit": 400}}}, "singleuser.cpu", "profiles[].cpu"),
        ({"singleuser": {"memory": {"limit": "9T"}}}, "singleuser.memory", "profiles[].memoryGiB"),
        (
            {"hub": {"config": {"KubeSpawner": {"extra_resource_limits": {"vpc.amazonaws.com/efa": 4}}}}},
            "hub.config.KubeSpawner.extra_resource_limits",
            "profiles[].accelerators",
        ),
        ({"hub": {"config": {"KubeSpawner": {"mem_limit": "9T"}}}}, "hub.config.KubeSpawner.mem_limit", "profiles[]"),
    ],
)
def test_what_a_server_gets_is_said_in_profiles_alone(values, key, field):
    [problem] = problems(**of_hub(values=values))
    assert problem.path == f"platform.jupyterhub.values.{key}"
    assert f"platform.jupyterhub.{field}" in problem.reason
    assert "held against what a node has" in problem.reason
    assert problem.ways_out[1] == "remove the key"


# Slurm


def gres(text: str) -> list[Problem]:
    return problems(**of_slurm(values={"configFiles": {"gres.conf": text}}))


@pytest.mark.parametrize(
    ("line", "sum_of"),
    [
        ("NodeName=p5-[0-1] Name=gpu Count=4", "counts 4 of gpu, and a p5.48xlarge has 8"),
        ("NodeName=p5-0,p5-1 Name=gpu File=/dev/nvidia[0-6]", "counts 7 of gpu, and a p5.48xlarge has 8"),
        (
            "NodeName=p5-[0-1] Name=gpu File=/dev/nvidia[0-3]\nNodeName=p5-[0-1] Name=gpu File=/dev/nvidia[4-7,9]",
            "counts 4 + 5 = 9 of gpu, and a p5.48xlarge has 8",
        ),
        ("NodeName=p4-[0-1] Name=gpu Count=8", "counts 0 (no line for them) of gpu, and a p5.48xlarge has 8"),
    ],
)
def test_a_gres_conf_of_the_environment_counts_what_the_node_has(line, sum_of):
    [problem] = gres(f"NodeName=trn1-[0-1] Name=neuron Count=16 Flags=CountOnly\n{line}\n")
    assert problem.path == "platform.slurm.values.configFiles.gres.conf"
    assert sum_of in problem.reason
    assert problem.accepted == "lines for p5 that count 8 of gpu, or AutoDetect"
    assert problem.ways_out == ("remove the file: ours counts what the catalog says", "count 8 on p5")


def test_neuron_cores_are_no_devices_to_slurm():
    [problem] = gres("AutoDetect=nvidia\nNodeName=trn1-[0-1] AutoDetect=off Name=neuron Count=32\n")
    assert "counts 32 of neuron, and a trn1.32xlarge has 16" in problem.reason


@pytest.mark.parametrize(
    "text",
    [
        "NodeName=p5-[0-1] AutoDetect=nvidia\nNodeName=trn1-[0-1] Name=neuron Count=16\n",
        "# all\nNodeName=p5-0,g6-9 Name=gpu File=/dev/nvidia[0-7] # 8\nNodeName=trn1-0 Name=neuron File=/dev/n[0-15]\n",
    ],
)
def test_a_gres_conf_that_agrees_passes(text):
    assert gres(text) == []


@pytest.mark.parametrize(
    ("key", "value", "sum_of", "fits"),
    [
        ("DefCpuPerGPU", 24, "8 GPUs x 24 = 192 CPUs, and slurmd has 190", 23),
        ("defmempergpu", 400_000, "8 GPUs x 400000 = 3200000 MiB, and slurmd has 1", None),
        ("DefMemPerCPU", "16000", "190 CPUs x 16000 = 3040000 MiB, and slurmd has 1", None),
        ("DefMemPerNode", 3_000_000, "1 node x 3000000 = 3000000 MiB, and slurmd has 1", None),
    ],
)
def test_what_jobs_get_unasked_fits_on_a_node(key, value, sum_of, fits):
    [problem] = problems(**of_slurm(config={key: value}))
    assert problem.path == f"platform.slurm.config.{key}"
    assert sum_of in problem.reason
    assert "it would never start" in problem.reason
    if fits is not None:
        assert problem.ways_out == (f"set {key}: {fits}", "remove the line")


@pytest.mark.parametrize("config", [{"DefCpuPerGPU": 23}, {"DefMemPerCPU": 1000}, {"PriorityType": "priority/basic"}])
def test_what_jobs_get_unasked_may_fill_the_node(config):
    assert problems(**of_slurm(config=config)) == []


# Nodes


def test_a_kubelet_that_reserves_more_leaves_too_little_for_slurm():
    [problem] = problems(P5.model_copy(update={"kubelet": {"systemReserved": {"cpu": "8"}}}), TRN1, G6)
    assert problem.path == "nodePools[0].kubelet"
    assert problem.value == {"systemReserved": {"cpu": "8"}}
    assert "slurmd asks for 190 CPUs, and a p5.48xlarge has 191.4 - 8.0" in problem.reason
    assert "- 1 for DaemonSets = 182.4: no node of p5 would ever do" in problem.reason
    assert problem.ways_out == ("reserve less", "set sharePercent of its node set below 100")


@pytest.mark.parametrize(
    "kubelet",
    [
        {"kubeReserved": {"memory": "64Gi"}},
        {"systemReserved": {"memory": "64Gi"}},
        {"evictionHard": {"memory.available": "10%"}},
        {"evictionHard": {"memory.available": "64Gi"}},
    ],
)
def test_reserved_memory_is_counted_wherever_it_is_said(kubelet):
    [problem] = problems(P5.model_copy(update={"kubelet": kubelet}), TRN1, G6)
    assert problem.path == "nodePools[0].kubelet"
    assert "GiB" in problem.reason
    assert "- 2 for DaemonSets" in problem.reason


def test_cpus_set_apart_are_counted():
    [problem] = problems(P5.model_copy(update={"kubelet": {"reservedSystemCPUs": "0-3,96-99"}}), TRN1, G6)
    assert "slurmd asks for 190 CPUs" in problem.reason


def test_a_notebook_that_no_longer_fits_is_named():
    reserved = P5.model_copy(update={"kubelet": {"systemReserved": {"cpu": "100"}}})
    found = problems(reserved, TRN1, G6, slurm={"nodeSets": []}, **of_hub(profiles=[{**PROFILE, "cpu": 100}, SMALL]))
    [problem] = found
    assert "A server of the profile one asks for 100 CPUs" in problem.reason
    assert problem.ways_out[1] == "lower cpu and memoryGiB of one"


@pytest.mark.parametrize(
    "kubelet",
    [
        {"topologyManagerPolicy": "best-effort"},
        {"kubeReserved": {"cpu": "100m", "memory": "512Mi"}},
        {"evictionHard": {"memory.available": "50Mi"}},
    ],
)
def test_a_kubelet_that_reserves_no_more_than_the_image_passes(kubelet):
    assert problems(P5.model_copy(update={"kubelet": kubelet}), TRN1, G6) == []


def test_a_smaller_share_makes_room_for_what_the_kubelet_reserves():
    reserved = P5.model_copy(update={"kubelet": {"systemReserved": {"cpu": "8", "memory": "64Gi"}}})
    assert problems(reserved, TRN1, G6, slurm={"nodeSets": [{"pool": "p5", "sharePercent": 90}]}) == []


def test_daemonsets_ask_for_no_more_than_is_kept_free_for_them():
    [problem] = problems(monitoring={"dcgmValues": {"resources": {"requests": {"cpu": "900m"}}}})
    assert problem.path == "platform.monitoring.dcgmValues.resources.requests"
    assert problem.value == "900m"
    assert "leave 1000 m of CPU" in problem.reason
    assert "DCGM exporter 900" in problem.reason
    assert "would fit on none" in problem.reason


def test_their_memory_is_counted_too():
    [problem] = problems(efa={"values": {"resources": {"requests": {"memory": "2Gi"}}}})
    assert problem.path == "platform.efa.values.resources.requests"
    assert "EFA plugin 2048" in problem.reason


# Device plugins


@pytest.mark.parametrize(
    ("part", "where"),
    [
        ({"values": {"migStrategy": "single"}}, "values.migStrategy"),
        ({"gpuOperator": {"values": {"mig": {"strategy": "mixed"}}}}, "gpuOperator.values.mig.strategy"),
        (
            {"gpuOperator": {"values": {"migManager": {"config": {"default": "all-1g.10gb"}}}}},
            "gpuOperator.values.migManager.config.default",
        ),
        (
            {"gpuOperator": {"values": {"devicePlugin": {"env": [{"name": "MIG_STRATEGY", "value": "mixed"}]}}}},
            "gpuOperator.values.devicePlugin.env[0].value",
        ),
        (
            {"values": {"config": {"map": {"all": "version: v1\nflags: {migStrategy: single}\n"}}}},
            "values.config.map.all.flags.migStrategy",
        ),
    ],
)
def test_gpus_are_not_cut_into_slices(part, where):
    [problem] = problems(nvidia=part)
    assert problem.path == f"platform.nvidia.{where}"
    assert "p5: 8 x h100 on a p5.48xlarge, g6: 1 x l4 on a g6.xlarge" in problem.reason
    assert problem.accepted == "none"


def test_sharing_that_is_written_as_json_is_found():
    text = '{"version": "v1", "sharing": {"mps": {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}}}'
    [problem] = problems(nvidia={"values": {"config": {"map": {"all": text}}}})
    assert problem.path == "platform.nvidia.values.config.map.all.sharing.mps"
    assert problem.value == 4
    assert "8 GPUs x 4 = 32 on a p5.48xlarge, which has 8" in problem.reason


def test_gpus_keep_their_name():
    text = "version: v1\nresources: {gpus: [{pattern: '*', name: h100}]}\n"
    [problem] = problems(nvidia={"gpuOperator": {"values": {"devicePlugin": {"config": {"data": {"all": text}}}}}})
    assert problem.path == "platform.nvidia.gpuOperator.values.devicePlugin.config.data.all.resources"
    assert "which count nvidia.com/gpu" in problem.reason


def test_a_configuration_that_nobody_here_can_read_is_refused():
    [problem] = problems(nvidia={"values": {"config": {"name": "elsewhere"}}})
    assert problem.path == "platform.nvidia.values.config.name"
    assert "cannot be held against their real number" in problem.reason
    assert problem.ways_out == ("write the configuration into config.map", "remove the line")


@pytest.mark.parametrize(
    "part",
    [
        {"values": {"migStrategy": "none", "config": {"map": {"all": "version: v1\nflags: {migStrategy: none}\n"}}}},
        {"gpuOperator": {"values": {"migManager": {"enabled": True, "config": {"default": "all-disabled"}}}}},
        # Another rule refuses these two.
        {"values": {"config": {"map": {"all": "sharing: {timeSlicing: {resources: [{replicas: 2}]}}"}}}},
        {"values": {"config": {"map": {"all": "}{"}}}},
    ],
)
def test_whole_gpus_pass(part):
    assert problems(nvidia=part) == []


def test_mig_matters_to_nobody_without_gpus():
    assert (
        problems(TRN1, nvidia={"values": {"migStrategy": "single"}}, slurm={}, volcano={}, **of_hub(profiles=[SMALL]))
        == []
    )


def test_the_neuron_plugin_runs_on_every_neuron_pool():
    [problem] = problems(neuron={"values": {"neuronInstances": ["trn2.48xlarge"]}})
    assert problem.path == "platform.neuron.values.neuronInstances"
    assert "a trn1.32xlarge has 16 Neuron devices, and 0 would be registered" in problem.reason
    assert problem.ways_out[1] == "add trn1.32xlarge"
    assert problems(neuron={"values": {"neuronInstances": ["trn1.32xlarge"]}}) == []


@pytest.mark.parametrize(
    "labels",
    [
        {"keys": ["node.kubernetes.io/instance-type"], "values": ["p4d.24xlarge"]},
        {"keys": ["node.kubernetes.io/instance-type"]},
        {"values": ["yes"]},
    ],
)
def test_the_efa_plugin_runs_on_every_node_with_efa(labels):
    [problem] = problems(efa={"values": {"supportedInstanceLabels": labels}})
    assert problem.path == "platform.efa.values.supportedInstanceLabels"
    assert "a p5.48xlarge has 32 EFA interfaces, and 0 would be registered" in problem.reason


def test_other_labels_that_reach_the_same_nodes_pass():
    labels = {"keys": ["node.kubernetes.io/instance-type"], "values": ["p5.48xlarge", "trn1.32xlarge"]}
    assert problems(efa={"values": {"supportedInstanceLabels": labels}}) == []


# Charts


@pytest.mark.parametrize(
    ("sections", "path"),
    [
        (
            {"certManager": {"values": {"webhook": {"resources": {"limits": {"nvidia.com/gpu": 1}}}}}},
            "platform.certManager.values.webhook.resources.limits.nvidia.com/gpu",
        ),
        (
            {"volcano": {"values": {"custom": {"scheduler_resources": {"requests": {"vpc.amazonaws.com/efa": 4}}}}}},
            "platform.volcano.values.custom.scheduler_resources.requests.vpc.amazonaws.com/efa",
        ),
        (
            of_slurm(values={"controller": {"podSpec": {"initContainers": [{"limits": {"nvidia.com/gpu": 8}}]}}}),
            "platform.slurm.values.controller.podSpec.initContainers[0].limits.nvidia.com/gpu",
        ),
    ],
)
def test_no_chart_of_ours_takes_devices(sections, path):
    [problem] = problems(**sections)
    assert problem.path == path
    assert "Each pod of this chart would keep" in problem.reason
    assert problem.accepted == "cpu and memory"


def test_a_neuron_core_is_told_from_a_device():
    limits = {"limits": {"aws.amazon.com/neuroncore": 32}}
    [problem] = problems(neuron={"values": {"devicePlugin": {"resources": limits}}})
    assert "32 x aws.amazon.com/neuroncore" in problem.reason
    assert "A core is no device either: nodes here count whole ones (aws.amazon.com/neuron)" in problem.reason


def test_tolerations_and_labels_that_name_devices_are_no_requests():
    values = {"nodeSelector": {"nvidia.com/gpu.present": "true"}, "tolerations": [{"key": "nvidia.com/gpu"}]}
    assert problems(certManager={"values": values}) == []
