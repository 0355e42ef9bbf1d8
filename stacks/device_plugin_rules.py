"""Rules of the device plugins: each device that a pool has is registered, once, and by settings that work on EKS."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.catalog.instance_types import GPU_RESOURCE, INSTANCE_TYPES, NEURON_RESOURCE
from components.catalog.kube_scheduler import KUBE_SCHEDULER_TAGS
from components.catalog.pins import EFA_DEVICE_PLUGIN, GPU_OPERATOR, NEURON, NVIDIA_DEVICE_PLUGIN
from stacks.chart_overrides import check_values
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec, with_efa, with_gpus, with_neuron
from stacks.node_pools import NodePool
from stacks.problems import Problem, one_of
from stacks.value_fields import at

Placed = Sequence[tuple[str, NodePool]]
"""Training pools, each with its path."""

EFA_RESOURCE = "vpc.amazonaws.com/efa"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Forbidden:
    """A value of a chart that the chart takes and that breaks nodes or jobs here."""

    key: str
    value: object
    reason: str
    instead: str


_PLUGIN_OFF = "The chart would then install no device plugin, and no pod could ask for the devices."
_NO_SHARING = "none: training pools do not share devices"

_NVIDIA = (
    _Forbidden(key="devicePlugin.enabled", value=False, reason=_PLUGIN_OFF, instead="remove the GPU pools"),
    _Forbidden(
        key="mofedEnabled",
        value=True,
        reason="Every pod with a GPU would then see every EFA device of the node, beside those that the EFA plugin "
        "gives out (NVIDIA/k8s-device-plugin#1692).",
        instead=f"ask for {EFA_RESOURCE} in the pods",
    ),
)
_GPU_OPERATOR = (
    _Forbidden(
        key="driver.enabled",
        value=True,
        reason="The node image has the driver, and NVIDIA publishes no driver image for AL2023 "
        "(aws-samples/comfyui-on-eks#26).",
        instead="choose the driver by amiRelease",
    ),
    _Forbidden(
        key="toolkit.enabled",
        value=True,
        reason="The node image has the container toolkit and configures containerd with it.",
        instead="choose the toolkit by amiRelease",
    ),
    _Forbidden(key="devicePlugin.enabled", value=False, reason=_PLUGIN_OFF, instead="set gpuOperator: null"),
    _Forbidden(
        key="hostPaths.driverInstallDir",
        value="/",
        reason="The operator would treat the node's whole root as a driver that it may replace.",
        instead="leave the driver to the node image",
    ),
)
_NEURON = (
    _Forbidden(key="devicePlugin.enabled", value=False, reason=_PLUGIN_OFF, instead="remove the Neuron pools"),
    _Forbidden(
        key="draDriver.enabled",
        value=True,
        reason="The chart refuses it beside the device plugin, and Karpenter 1.15.2 starts no node for a Neuron claim.",
        instead=f"ask for {NEURON_RESOURCE} in the pods",
    ),
    _Forbidden(
        key="npd.enabled",
        value=True,
        reason="EKS' node monitoring agent already reports the health of Neuron devices; two sources disagree.",
        instead="turn on karpenter.nodeRepair, which acts on what the agent reports",
    ),
    _Forbidden(
        key="scheduler.enabled",
        value=True,
        reason="The chart's kube-scheduler is of Kubernetes 1.31 and has to be the cluster's.",
        instead="set schedulerExtension: true, which chooses the image",
    ),
    _Forbidden(
        key="scheduler.defaultScheduler.enabled",
        value=True,
        reason="EKS runs the default scheduler, and nobody can extend it there.",
        instead="set schedulerExtension: true, which runs a second one",
    ),
)


def check_device_plugins(
    path: str,
    *,
    nvidia: NvidiaSpec | None,
    neuron: NeuronSpec | None,
    efa: EfaSpec | None,
    pools: Placed,
    kubernetes: str | None,
) -> Iterator[Problem]:
    """Every rule of the three parts.

    Args:
        path: of the section that has them: `platform`.
        nvidia: the part; None where the file says null.
        neuron: the part; None where the file says null.
        efa: the part; None where the file says null.
        pools: training pools that are well-formed.
        kubernetes: the cluster's version, where it is known.
    """
    known = [pool for _, pool in pools]
    if nvidia is None:
        yield from _needed(f"{path}.nvidia", GPU_RESOURCE, "GPUs", with_gpus(known), pools)
    else:
        yield from check_nvidia(f"{path}.nvidia", nvidia, known)
    if neuron is None:
        yield from _needed(f"{path}.neuron", NEURON_RESOURCE, "Neuron devices", with_neuron(known), pools)
    else:
        yield from check_neuron(f"{path}.neuron", neuron, known, kubernetes)
    if efa is None:
        yield from _needed(f"{path}.efa", EFA_RESOURCE, "EFA", with_efa(known), pools)
    else:
        yield from check_values(f"{path}.efa.values", EFA_DEVICE_PLUGIN.name, efa.values)
        yield from _tolerating(f"{path}.efa.values", efa.values, "tolerations", with_efa(known))


def check_nvidia(path: str, spec: NvidiaSpec, pools: Sequence[NodePool]) -> Iterator[Problem]:
    """One plugin gives the GPUs out, whole ones, with settings that leave EFA and the driver alone."""
    yield from check_values(f"{path}.values", NVIDIA_DEVICE_PLUGIN.name, spec.values)
    yield from _forbidden(f"{path}.values", spec.values, _NVIDIA)
    yield from _tolerating(f"{path}.values", spec.values, "tolerations", with_gpus(pools))
    yield from _sharing(f"{path}.values.config.map", at(spec.values, "config.map"))
    operator = spec.gpu_operator
    if operator is None:
        return
    if spec.values:
        yield Problem(
            path=f"{path}.values",
            value=dict(spec.values),
            reason="The GPU Operator brings the device plugin, so its own chart is not installed and these values "
            "reach nothing; both together would register every GPU twice.",
            accepted="values beside gpuOperator: null, or gpuOperator.values",
            ways_out=("move them to gpuOperator.values, where the chart's keys differ", "set gpuOperator: null"),
        )
    values = f"{path}.gpuOperator.values"
    yield from check_values(values, GPU_OPERATOR.name, operator.values)
    yield from _forbidden(values, operator.values, _GPU_OPERATOR)
    yield from _tolerating(values, operator.values, "daemonsets.tolerations", with_gpus(pools))
    yield from _sharing(f"{values}.devicePlugin.config.data", at(operator.values, "devicePlugin.config.data"))


def check_neuron(path: str, spec: NeuronSpec, pools: Sequence[NodePool], kubernetes: str | None) -> Iterator[Problem]:
    """The plugin is on, health has one source, and a second scheduler is of the cluster's minor."""
    yield from check_values(f"{path}.values", NEURON.name, spec.values)
    yield from _forbidden(f"{path}.values", spec.values, _NEURON)
    yield from _tolerating(f"{path}.values", spec.values, "devicePlugin.tolerations", with_neuron(pools))
    if spec.scheduler_extension and kubernetes is not None and kubernetes not in KUBE_SCHEDULER_TAGS:
        yield Problem(
            path=f"{path}.schedulerExtension",
            value=True,
            reason=f"The second scheduler must be of the cluster's minor, and no image for {kubernetes} is known here.",
            accepted=f"true with Kubernetes {one_of(KUBE_SCHEDULER_TAGS)}",
            ways_out=(
                "set schedulerExtension: false and let pods take whole nodes",
                f"add the tag for {kubernetes}, with its source, to components/catalog/kube_scheduler.py",
            ),
        )


def _needed(path: str, resource: str, what: str, needing: Sequence[NodePool], pools: Placed) -> Iterator[Problem]:
    """A part that is off is needed by no pool."""
    if not needing:
        return
    where = one_of(f"{at} ({pool.name})" for at, pool in pools if pool in needing)
    yield Problem(
        path=path,
        value=None,
        reason=f"{where} has {what}, and without the device plugin no pod can ask for {resource}: Karpenter would "
        "start nodes that never count as ready.",
        accepted=f"{{}} while a pool has {what}",
        ways_out=(f"remove the line {path}: null", f"remove the pools that have {what}"),
    )


def _forbidden(path: str, values: Mapping[str, Any], table: Sequence[_Forbidden]) -> Iterator[Problem]:
    for entry in table:
        found = at(values, entry.key)
        if found is not None and found == entry.value:
            yield Problem(
                path=f"{path}.{entry.key}",
                value=found,
                reason=entry.reason,
                accepted="false" if entry.value is True else "true" if entry.value is False else "another value",
                ways_out=("remove the line", entry.instead),
            )


def _tolerating(path: str, values: Mapping[str, Any], key: str, pools: Sequence[NodePool]) -> Iterator[Problem]:
    """A list of tolerations that replaces ours still tolerates every taint of the nodes that have the device."""
    given = at(values, key)
    if not isinstance(given, list | tuple):
        return
    tolerated = {entry.get("key") for entry in given if isinstance(entry, Mapping)}
    needed = [str(pool.type_facts.accelerator_resource) for pool in pools if pool.instance_type in INSTANCE_TYPES]
    needed += [taint.key for pool in pools for taint in pool.taints]
    missing = [name for name in dict.fromkeys(needed) if name not in tolerated]
    # An entry without a key tolerates everything.
    if missing and None not in tolerated:
        yield Problem(
            path=f"{path}.{key}",
            value=list(given),
            reason=f"This list replaces ours and lacks {one_of(missing)}: on nodes with that taint the plugin would "
            "not run, and nothing would say so.",
            accepted=f"a list that also tolerates {one_of(missing)}",
            ways_out=("remove the line: ours follows the taints of the pools", f"add {one_of(missing)} to the list"),
        )


def _sharing(path: str, configurations: object) -> Iterator[Problem]:
    """No configuration of the plugin shares GPUs: a rank would find half of the memory that it counts on."""
    if not isinstance(configurations, Mapping):
        return
    for name, text in configurations.items():
        if any(word in str(text) for word in ("timeSlicing", "mps:")):
            yield Problem(
                path=f"{path}.{name}",
                value=text,
                reason="Time-slicing and MPS hand one GPU to several pods; a rank of a training job that counts on a "
                "whole one runs out of memory or waits for its neighbour.",
                accepted=_NO_SHARING,
                ways_out=("remove the sharing", "use a smaller instance type for small work"),
            )
