"""Rules of the device plugins: each breaks one thing in a valid set of parts and reads the message."""

import pytest

from stacks.device_plugin_rules import check_device_plugins
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec, system_parts, with_efa, with_gpus, with_neuron
from stacks.node_pools import NodePool

pytestmark = pytest.mark.unit


def pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"max": 2}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **given})


P5 = pool("p5", "p5.48xlarge", efa="static")
TRN1 = pool("trn1", "trn1.32xlarge", efa="static")
SMALL = pool("small", "trn1.2xlarge")


def problems(*pools, nvidia=None, neuron=None, efa=None, off=(), kubernetes="1.35"):
    parts = {
        "nvidia": NvidiaSpec.model_validate(nvidia or {}),
        "neuron": NeuronSpec.model_validate(neuron or {}),
        "efa": EfaSpec.model_validate(efa or {}),
    }
    placed = [(f"nodePools[{number}]", each) for number, each in enumerate(pools)]
    given = {name: None if name in off else part for name, part in parts.items()}
    return list(check_device_plugins("platform", **given, pools=placed, kubernetes=kubernetes))


def test_the_defaults_suit_every_pool():
    assert problems(P5, TRN1, SMALL) == []


@pytest.mark.parametrize(
    ("part", "pools", "resource", "who"),
    [
        ("nvidia", [P5], "nvidia.com/gpu", "nodePools[0] (p5) has GPUs"),
        ("neuron", [P5, SMALL], "aws.amazon.com/neuron", "nodePools[1] (small) has Neuron devices"),
        ("efa", [P5, TRN1], "vpc.amazonaws.com/efa", "nodePools[0] (p5), nodePools[1] (trn1) has EFA"),
    ],
)
def test_a_plugin_that_a_pool_needs_cannot_be_off(part, pools, resource, who):
    [problem] = problems(*pools, off=[part])
    assert problem.path == f"platform.{part}"
    assert problem.value is None
    assert who in problem.reason
    assert f"no pod can ask for {resource}" in problem.reason
    assert problem.ways_out[0] == f"remove the line platform.{part}: null"


@pytest.mark.parametrize(("part", "pools"), [("nvidia", [TRN1, SMALL]), ("neuron", [P5]), ("efa", [SMALL])])
def test_a_plugin_that_no_pool_needs_may_be_off(part, pools):
    assert problems(*pools, off=[part]) == []


def test_all_may_be_off_without_training_pools():
    assert problems(off=["nvidia", "neuron", "efa"]) == []


@pytest.mark.parametrize(
    ("part", "values", "nearest"),
    [
        ("nvidia", {"mofedEnable": False}, "mofedEnabled"),
        ("neuron", {"devicePlugin": {"toleration": []}}, "devicePlugin.tolerations"),
        ("efa", {"supportedInstanceLabel": {"keys": []}}, "supportedInstanceLabels.keys"),
    ],
)
def test_a_misspelt_key_of_a_chart_is_refused(part, values, nearest):
    [problem] = problems(P5, **{part: {"values": values}})
    assert problem.path.startswith(f"platform.{part}.values.")
    assert problem.ways_out == (f"write {nearest}", "remove the key")


def test_a_misspelt_key_of_the_operator_is_refused():
    [problem] = problems(P5, nvidia={"gpuOperator": {"values": {"daemonset": {"tolerations": []}}}})
    assert problem.path == "platform.nvidia.gpuOperator.values.daemonset.tolerations"
    assert "daemonsets.tolerations" in problem.accepted


def test_keys_of_the_sub_chart_of_the_operator_are_known():
    values = {"node-feature-discovery": {"master": {"replicaCount": 2}}}
    assert problems(P5, nvidia={"gpuOperator": {"values": values}}) == []


@pytest.mark.parametrize(
    ("part", "values", "key", "why"),
    [
        ("nvidia", {"devicePlugin": {"enabled": False}}, "devicePlugin.enabled", "no device plugin"),
        ("nvidia", {"mofedEnabled": True}, "mofedEnabled", "would then see every EFA device"),
        ("neuron", {"devicePlugin": {"enabled": False}}, "devicePlugin.enabled", "no device plugin"),
        ("neuron", {"draDriver": {"enabled": True}}, "draDriver.enabled", "Karpenter 1.15.2 starts no node"),
        ("neuron", {"npd": {"enabled": True}}, "npd.enabled", "node monitoring agent already reports"),
        ("neuron", {"scheduler": {"enabled": True}}, "scheduler.enabled", "Kubernetes 1.31"),
        (
            "neuron",
            {"scheduler": {"defaultScheduler": {"enabled": True}}},
            "scheduler.defaultScheduler.enabled",
            "EKS runs the default scheduler",
        ),
    ],
)
def test_a_value_that_breaks_nodes_is_refused(part, values, key, why):
    [problem] = problems(P5, **{part: {"values": values}})
    assert problem.path == f"platform.{part}.values.{key}"
    assert why in problem.reason
    assert problem.ways_out[0] == "remove the line"


@pytest.mark.parametrize(
    ("values", "key", "why"),
    [
        ({"driver": {"enabled": True}}, "driver.enabled", "no driver image for AL2023"),
        ({"toolkit": {"enabled": True}}, "toolkit.enabled", "configures containerd"),
        ({"devicePlugin": {"enabled": False}}, "devicePlugin.enabled", "no device plugin"),
        ({"hostPaths": {"driverInstallDir": "/"}}, "hostPaths.driverInstallDir", "whole root"),
    ],
)
def test_the_operator_leaves_driver_and_toolkit_to_the_image(values, key, why):
    [problem] = problems(P5, nvidia={"gpuOperator": {"values": values}})
    assert problem.path == f"platform.nvidia.gpuOperator.values.{key}"
    assert why in problem.reason


def test_a_value_that_says_what_is_so_anyway_passes():
    assert problems(P5, nvidia={"values": {"mofedEnabled": False, "devicePlugin": {"enabled": True}}}) == []


def test_the_operator_and_values_of_the_plugin_s_own_chart_exclude_each_other():
    [problem] = problems(P5, nvidia={"gpuOperator": {}, "values": {"deviceIDStrategy": "index"}})
    assert problem.path == "platform.nvidia.values"
    assert "register every GPU twice" in problem.reason
    assert problem.ways_out[1] == "set gpuOperator: null"


@pytest.mark.parametrize(
    ("part", "key", "missing"),
    [
        ("nvidia", "tolerations", "nvidia.com/gpu, example.com/team"),
        ("nvidia", "gpuOperator.values.daemonsets.tolerations", "nvidia.com/gpu, example.com/team"),
        ("neuron", "devicePlugin.tolerations", "aws.amazon.com/neuron"),
        ("efa", "tolerations", "nvidia.com/gpu, aws.amazon.com/neuron, example.com/team"),
    ],
)
def test_tolerations_of_the_environment_still_cover_the_taints_of_the_pools(part, key, missing):
    owned = pool("owned", "p5.48xlarge", efa="static", taints=[{"key": "example.com/team"}])

    def with_tolerations(tolerations):
        *way, last = key.split(".") if key.startswith("gpuOperator") else ["values", *key.split(".")]
        section = inner = {}
        for step in way:
            inner[step] = {}
            inner = inner[step]
        inner[last] = tolerations
        return problems(owned, TRN1, **{part: section})

    [problem] = with_tolerations([{"key": "CriticalAddonsOnly", "operator": "Exists"}])
    assert problem.path.endswith(key)
    assert f"lacks {missing}:" in problem.reason
    assert problem.ways_out[0] == "remove the line: ours follows the taints of the pools"
    assert with_tolerations([{"key": name, "operator": "Exists"} for name in missing.split(", ")]) == []
    assert with_tolerations([{"operator": "Exists"}]) == []


@pytest.mark.parametrize(
    "sharing",
    ["version: v1\nsharing: {timeSlicing: {resources: []}}", "version: v1\nsharing:\n  mps:\n    resources: []"],
)
def test_gpus_are_not_shared(sharing):
    [problem] = problems(P5, nvidia={"values": {"config": {"map": {"default": sharing}}}})
    assert problem.path == "platform.nvidia.values.config.map.default"
    assert "hand one GPU to several pods" in problem.reason
    values = {"devicePlugin": {"config": {"data": {"default": sharing}}}}
    [problem] = problems(P5, nvidia={"gpuOperator": {"values": values}})
    assert problem.path == "platform.nvidia.gpuOperator.values.devicePlugin.config.data.default"


def test_a_configuration_that_shares_nothing_passes():
    assert problems(P5, nvidia={"values": {"config": {"map": {"default": "version: v1"}}}}) == []


def test_the_second_scheduler_needs_an_image_of_the_cluster_s_minor():
    assert problems(TRN1, neuron={"schedulerExtension": True}, kubernetes="1.36") == []
    [problem] = problems(TRN1, neuron={"schedulerExtension": True}, kubernetes="1.37")
    assert problem.path == "platform.neuron.schedulerExtension"
    assert "no image for 1.37" in problem.reason
    assert "1.35" in problem.accepted
    assert problems(TRN1, neuron={"schedulerExtension": True}, kubernetes=None) == []


def test_pools_are_told_apart_by_what_their_nodes_have():
    pools = [P5, TRN1, SMALL, P5.model_copy(update={"instance_type": "unheard.of", "efa": "off"})]
    assert with_gpus(pools) == [P5]
    assert with_neuron(pools) == [TRN1, SMALL]
    assert with_efa(pools) == [P5, TRN1]


def test_only_the_operator_and_the_scheduler_take_room_on_system_nodes():
    operator = NvidiaSpec.model_validate({"gpuOperator": {}})
    scheduler = NeuronSpec.model_validate({"schedulerExtension": True})
    assert system_parts(NvidiaSpec(), NeuronSpec(), [P5, TRN1]) == set()
    assert system_parts(operator, scheduler, [P5, TRN1]) == {"nvidia.gpuOperator", "neuron.schedulerExtension"}
    assert system_parts(operator, scheduler, [P5]) == {"nvidia.gpuOperator"}
    assert system_parts(None, None, [P5, TRN1]) == set()
