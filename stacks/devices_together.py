"""The cross-layer check of counts: Slurm, notebooks, queues, plugins and charts against what an instance type has.

What one section can tell by itself stands in its own rules: replicas and shared memory of node sets, devices, CPUs and
memory of profiles, nodes in queues, sharing of GPUs. Here is what only shows when sections are laid side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from components.catalog.instance_types import INSTANCE_TYPES
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec
from stacks.device_value_rules import check_device_requests, check_plugin_counts
from stacks.drafts import Placed
from stacks.general_pools import GeneralPool
from stacks.hub_counts import OWNED_VALUES, check_hub_counts
from stacks.jupyterhub import JupyterHubSpec
from stacks.model import Section
from stacks.node_pools import NodePool
from stacks.node_room import check_daemons, check_room
from stacks.problems import Problem
from stacks.slurm import SlurmSpec
from stacks.slurm_counts import check_slurm_counts
from stacks.value_fields import chart_values
from stacks.volcano import QueueSpec, VolcanoSpec

S = TypeVar("S", bound=Section)


def check_counts(
    sections: Mapping[str, Section],
    *,
    pools: Placed[NodePool],
    general: Placed[GeneralPool],
) -> Iterator[Problem]:
    """Every count that an environment states or derives, against the catalog.

    Args:
        sections: path in YAML (`platform.slurm`, `secrets`) -> the section, of those that are on and well-formed.
        pools: well-formed entries of `nodePools`, each with its path. Those of unknown types are left to other rules.
        general: well-formed entries of `generalPools`.
    """
    known = [(path, pool) for path, pool in pools if _is_accelerated(pool)]
    training = [pool for _, pool in known]
    slurm, hub = _of(sections, SlurmSpec), _of(sections, JupyterHubSpec)
    for path, section in sections.items():
        for where, values in chart_values(path, section):
            for problem in check_device_requests(where, values):
                # What stands below a key that is refused as a whole is not refused once more.
                if not problem.path.startswith(tuple(f"{where}.{key}" for key in OWNED_VALUES)):
                    yield problem
    yield from check_plugin_counts(
        "platform",
        nvidia=_of(sections, NvidiaSpec),
        neuron=_of(sections, NeuronSpec),
        efa=_of(sections, EfaSpec),
        pools=training,
    )
    yield from check_daemons(sections)
    yield from check_room(known, slurm=slurm, jupyterhub=hub)
    if slurm is not None:
        yield from check_slurm_counts("platform.slurm", slurm, training)
    if hub is not None:
        yield from check_hub_counts("platform.jupyterhub", hub, training, [pool for _, pool in general])
    volcano = _of(sections, VolcanoSpec)
    if volcano is not None:
        yield from check_deserved("platform.volcano", volcano, training)


def _is_accelerated(pool: NodePool) -> bool:
    facts = INSTANCE_TYPES.get(pool.instance_type)
    return facts is not None and facts.is_accelerated


def _of(sections: Mapping[str, Section], kind: type[S]) -> S | None:
    return next((section for section in sections.values() if isinstance(section, kind)), None)


def check_deserved(path: str, spec: VolcanoSpec, pools: Sequence[NodePool]) -> Iterator[Problem]:
    """What the queues at the top deserve together exists; below a parent Volcano's own webhook and rules count.

    Args:
        path: `platform.volcano`.
        spec: the section.
        pools: training pools of types of the catalog.
    """
    tops = [(position, queue) for position, queue in enumerate(spec.queues) if queue.parent is None]
    for pool in pools:
        shares = [(position, queue) for position, queue in tops if queue.deserved.get(pool.name)]
        most, each = pool.nodes.most, pool.type_facts.accelerator_count
        total = sum(queue.deserved[pool.name] for _, queue in shares)
        # One queue that deserves more by itself has a rule of its own.
        if total <= most or any(queue.deserved[pool.name] > most for _, queue in shares):
            continue
        position, last = shares[-1]
        yield Problem(
            path=f"{path}.queues[{position}].deserved.{pool.name}",
            value=last.deserved[pool.name],
            reason=f"The queues deserve {_terms(shares, pool.name)} = {total} nodes x {each} "
            f"{pool.type_facts.accelerator} = {total * each}, and the pool {pool.name} allows {most} x {each} = "
            f"{most * each}: they would take nodes from each other for ever, or wait for what is theirs.",
            accepted=f"shares of {pool.name} that add up to {most} or less",
            ways_out=("lower the shares", f"give the pool {pool.name} {total} nodes"),
        )


def _terms(shares: Sequence[tuple[int, QueueSpec]], pool: str) -> str:
    return " + ".join(f"{queue.name} {queue.deserved[pool]}" for _, queue in shares)
