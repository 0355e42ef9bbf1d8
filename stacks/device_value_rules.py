"""Rules of device counts in the `values` of charts: nothing there makes a node have other devices than its type has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from components.catalog.counts import NEURON_CORE_RESOURCES, is_device
from components.catalog.instance_types import NEURON_RESOURCE
from components.catalog.labels import EFA_LABEL
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec, with_efa, with_gpus, with_neuron
from stacks.node_pools import NodePool
from stacks.problems import Problem, one_of
from stacks.value_fields import at

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
_AMOUNTS = ("requests", "limits", "guarantees")
_SHARING = ("timeSlicing", "mps:")
"""Words by which `device_plugin_rules` already refuses a configuration."""
_MIG_OFF = (None, "", "none", "all-disabled")


def check_device_requests(path: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    """No pod of a chart asks for a device: our charts serve the cluster, and jobs come from elsewhere."""
    for where, resource, wanted in _requests(values):
        core = resource in NEURON_CORE_RESOURCES
        yield Problem(
            path=f"{path}.{where}",
            value=wanted,
            reason=f"Each pod of this chart would keep {wanted} x {resource} from jobs, or wait for ever where nodes "
            "have none."
            + (f" A core is no device either: nodes here count whole ones ({NEURON_RESOURCE})." if core else ""),
            accepted="cpu and memory",
            ways_out=("remove the line", "ask for devices in the job, node set or profile that uses them"),
        )


def _requests(values: object, way: str = "", *, inside: bool = False) -> Iterator[tuple[str, str, object]]:
    """Path, name and amount of every device under requests or limits, in lists too."""
    if isinstance(values, list | tuple):
        for position, entry in enumerate(values):
            yield from _requests(entry, f"{way}[{position}]")
    if isinstance(values, Mapping):
        for key, value in values.items():
            where = f"{way}.{key}".removeprefix(".")
            if inside and is_device(str(key)):
                yield where, str(key), value
            else:
                yield from _requests(value, where, inside=str(key).endswith(_AMOUNTS))


def check_plugin_counts(
    path: str,
    *,
    nvidia: NvidiaSpec | None,
    neuron: NeuronSpec | None,
    efa: EfaSpec | None,
    pools: Sequence[NodePool],
) -> Iterator[Problem]:
    """The plugins register what the catalog counts: whole GPUs, every Neuron type, every node with EFA.

    Args:
        path: of the section that has them: `platform`.
        nvidia: the part; None where it is off.
        neuron: the part; None where it is off.
        efa: the part; None where it is off.
        pools: training pools that are well-formed.
    """
    gpus = with_gpus(pools)
    if nvidia is not None and gpus:
        yield from _nvidia(f"{path}.nvidia", nvidia, gpus)
    if neuron is not None:
        yield from _types_left_out(f"{path}.neuron.values.neuronInstances", neuron.values, with_neuron(pools))
    if efa is not None:
        yield from _efa_labels(f"{path}.efa.values.supportedInstanceLabels", efa.values, with_efa(pools))


def _real(pools: Sequence[NodePool]) -> str:
    """`p5: 8 x h100 on a p5.48xlarge`, for each pool."""
    return one_of(
        f"{pool.name}: {pool.type_facts.accelerator_count} x {pool.type_facts.accelerator} on a {pool.instance_type}"
        for pool in pools
    )


def _nvidia(path: str, spec: NvidiaSpec, pools: Sequence[NodePool]) -> Iterator[Problem]:
    yield from _mig(f"{path}.values.migStrategy", at(spec.values, "migStrategy"), pools)
    yield from _configurations(f"{path}.values.config", spec.values, "config", "map", pools)
    if spec.gpu_operator is None:
        return
    values, where = spec.gpu_operator.values, f"{path}.gpuOperator.values"
    for key in ("mig.strategy", "migManager.config.default"):
        yield from _mig(f"{where}.{key}", at(values, key), pools)
    env = at(values, "devicePlugin.env")
    for position, entry in enumerate(env if isinstance(env, list | tuple) else ()):
        if isinstance(entry, Mapping) and entry.get("name") == "MIG_STRATEGY":
            yield from _mig(f"{where}.devicePlugin.env[{position}].value", entry.get("value"), pools)
    yield from _configurations(f"{where}.devicePlugin.config", values, "devicePlugin.config", "data", pools)


def _mig(path: str, value: object, pools: Sequence[NodePool]) -> Iterator[Problem]:
    if value not in _MIG_OFF:
        yield Problem(
            path=path,
            value=value,
            reason="MIG cuts GPUs into slices, each counted as a device or under a name of its own. Slurm, profiles, "
            f"queues and the limits of pools count whole ones ({_real(pools)}).",
            accepted="none",
            ways_out=("remove the line", "use a pool of a smaller instance type for small work"),
        )


def _configurations(
    path: str, values: Mapping[str, Any], key: str, inline: str, pools: Sequence[NodePool]
) -> Iterator[Problem]:
    """Texts of the plugin's own configuration, by its v1 format; those elsewhere nobody here can read."""
    given = at(values, f"{key}.{inline}")
    texts = given if isinstance(given, Mapping) else {}
    if at(values, f"{key}.name") and not texts:
        yield Problem(
            path=f"{path}.name",
            value=at(values, f"{key}.name"),
            reason=f"What that ConfigMap makes of the GPUs cannot be held against their real number ({_real(pools)}).",
            accepted=f"{key}.{inline}, with the text itself",
            ways_out=(f"write the configuration into {key}.{inline}", "remove the line"),
        )
    for name, text in texts.items():
        yield from _configuration(f"{path}.{inline}.{name}", text, pools)


def _configuration(path: str, text: object, pools: Sequence[NodePool]) -> Iterator[Problem]:
    try:
        parsed = yaml.safe_load(text) if isinstance(text, str) else text
    except yaml.YAMLError:
        return
    if not isinstance(parsed, Mapping):
        return
    yield from _mig(f"{path}.flags.migStrategy", at(parsed, "flags.migStrategy"), pools)
    sharing = parsed.get("sharing")
    if isinstance(sharing, Mapping) and not any(word in str(text) for word in _SHARING):
        for way, method in sharing.items():
            shared = method.get("resources") if isinstance(method, Mapping) else None
            for entry in shared if isinstance(shared, list | tuple) else ():
                if isinstance(entry, Mapping):
                    yield _shared(f"{path}.sharing.{way}", entry.get("replicas"), pools)
    if parsed.get("resources"):
        yield Problem(
            path=f"{path}.resources",
            value=parsed["resources"],
            reason="GPUs under other names are none to Karpenter, Slurm, profiles and queues, which count "
            f"nvidia.com/gpu ({_real(pools)}): nodes would never count as ready.",
            accepted="no resources",
            ways_out=("remove the key", "tell pools apart by the label eks-training-platform/pool"),
        )


def _shared(path: str, replicas: object, pools: Sequence[NodePool]) -> Problem:
    facts = pools[0].type_facts
    total = f" = {facts.accelerator_count * replicas}" if isinstance(replicas, int) else ""
    return Problem(
        path=path,
        value=replicas,
        reason=f"The plugin would register {facts.accelerator_count} GPUs x {replicas}{total} on a {facts.name}, which "
        f"has {facts.accelerator_count}; a rank that counts on a whole one runs out of memory.",
        accepted="none: training pools do not share devices",
        ways_out=("remove the sharing", "use a smaller instance type for small work"),
    )


def _types_left_out(path: str, values: Mapping[str, Any], pools: Sequence[NodePool]) -> Iterator[Problem]:
    given = values.get("neuronInstances")
    if not isinstance(given, list | tuple):
        return
    for pool in pools:
        if pool.instance_type not in given:
            yield _unregistered(path, list(given), pool, f"{pool.type_facts.accelerator_count} Neuron devices")
            return


def _efa_labels(path: str, values: Mapping[str, Any], pools: Sequence[NodePool]) -> Iterator[Problem]:
    """The chart asks for one of the labels with one of the values; a list of the environment replaces ours."""
    keys, words = (at(values, f"supportedInstanceLabels.{part}") for part in ("keys", "values"))
    if not isinstance(keys, list | tuple) and not isinstance(words, list | tuple):
        return
    asked = keys if isinstance(keys, list | tuple) else [EFA_LABEL]
    taken = [str(word) for word in (words if isinstance(words, list | tuple) else ["true"])]
    for pool in pools:
        has = {**pool.labels, EFA_LABEL: "true", INSTANCE_TYPE_LABEL: pool.instance_type}
        if not any(has.get(str(key)) in taken for key in asked):
            what = f"{pool.type_facts.efa_interfaces} EFA interfaces"
            yield _unregistered(path, {"keys": list(asked), "values": taken}, pool, what)
            return


def _unregistered(path: str, value: object, pool: NodePool, what: str) -> Problem:
    return Problem(
        path=path,
        value=value,
        reason=f"The plugin would not run on nodes of {pool.name}: a {pool.instance_type} has {what}, and 0 would be "
        "registered.",
        accepted="no such line, or one that reaches every pool with these devices",
        ways_out=("remove the line: ours follows the pools", f"add {pool.instance_type}"),
    )
