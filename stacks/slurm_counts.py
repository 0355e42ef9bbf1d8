"""Rules of what Slurm counts: its own files agree with the devices, CPUs and memory that a node really gives."""

import re
from collections.abc import Iterator, Mapping, Sequence

from components.catalog.slurm import gres_of
from stacks.node_pools import NodePool
from stacks.problems import Problem
from stacks.slurm import SlurmSpec
from stacks.slurm_node_sets import NodeSetSpec
from stacks.slurm_sizes import slurmd_room
from stacks.value_fields import at

GRES_CONF = "gres.conf"
_OUTSIDE_BRACKETS = re.compile(r",(?![^\[]*\])")
_OF_A_POOL = re.compile(r"(.+)-(?:\[[\d,-]+\]|\d+)")

_DEFAULTS = {
    "defcpupergpu": ("GPU", "CPUs"),
    "defmempergpu": ("GPU", "MiB"),
    "defmempercpu": ("CPU", "MiB"),
    "defmempernode": ("node", "MiB"),
}
"""Lines of slurm.conf that give a job what it did not ask for, in lower case: what they are counted by, and in what.
Slurm reads them for the whole cluster too (common_cons.c, get_def_cpu_per_gpu: "global or per partition"; read
2026-11-29)."""


def check_slurm_counts(path: str, spec: SlurmSpec, pools: Sequence[NodePool]) -> Iterator[Problem]:
    """`gres.conf` of the environment's own, and default amounts in `config`, against the pools of the node sets.

    Args:
        path: `platform.slurm`.
        spec: the section.
        pools: training pools that are well-formed and of types of the catalog.
    """
    by_name = {pool.name: pool for pool in pools}
    placed = [(node_set, by_name[node_set.pool]) for node_set in spec.node_sets if node_set.pool in by_name]
    files = at(spec.values, "configFiles")
    text = files.get(GRES_CONF) if isinstance(files, Mapping) else None
    if isinstance(text, str):
        yield from _gres_conf(f"{path}.values.configFiles.{GRES_CONF}", text, [pool for _, pool in placed])
    for key, value in spec.config.items():
        if key.lower() in _DEFAULTS and str(value).isdigit():
            yield from _default(f"{path}.config.{key}", key, int(value), placed)


def _gres_conf(path: str, text: str, pools: Sequence[NodePool]) -> Iterator[Problem]:
    """This file replaces ours, and what it counts has to be what `Gres=` of the node set says."""
    lines = [_words(line) for line in text.splitlines() if line.partition("#")[0].strip()]
    for pool in pools:
        kind, real = gres_of(pool.type_facts).partition(":")[0], pool.type_facts.accelerator_count
        mine = [line for line in lines if pool.name in _pools(line.get("nodename", "")) or "nodename" not in line]
        stated = [_count(line) for line in mine if line.get("name", "").lower() == kind]
        detected = any(line.get("autodetect", "off").lower() != "off" for line in mine)
        if not stated and detected:
            continue
        sum_of = " + ".join(map(str, stated)) or "0 (no line for them)"
        if sum(stated) != real:
            total = f" = {sum(stated)}" if len(stated) > 1 else ""
            yield Problem(
                path=path,
                value=text,
                reason=f"On nodes of {pool.name} it counts {sum_of}{total} of {kind}, and a {pool.instance_type} has "
                f"{real}: Slurm drains nodes whose file and node set disagree, or leaves devices idle.",
                accepted=f"lines for {pool.name} that count {real} of {kind}, or AutoDetect",
                ways_out=("remove the file: ours counts what the catalog says", f"count {real} on {pool.name}"),
            )


def _words(line: str) -> dict[str, str]:
    pairs = (word.partition("=") for word in line.partition("#")[0].split())
    return {key.lower(): value for key, _, value in pairs}


def _pools(names: str) -> set[str]:
    """Pools of a list of nodes such as `p5-[0-7],trn1-0`."""
    found = (_OF_A_POOL.fullmatch(name) for name in _OUTSIDE_BRACKETS.split(names))
    return {match[1] for match in found if match}


def _count(line: Mapping[str, str]) -> int:
    """Devices of a line: as said, or one for each file, or one (gres.conf(5), Count)."""
    if line.get("count", "").isdigit():
        return int(line["count"])
    files = _OUTSIDE_BRACKETS.split(line.get("file", ""))
    return sum(_files(name) for name in files) or 1


def _files(name: str) -> int:
    """How many files `/dev/nvidia[0-3,6]` stands for."""
    inside = re.search(r"\[([\d,-]+)\]", name)
    if inside is None:
        return 1 if name else 0
    total = 0
    for part in inside[1].split(","):
        first, _, last = part.partition("-")
        total += int(last or first) - int(first) + 1
    return total


def _default(path: str, key: str, value: int, placed: Sequence[tuple[NodeSetSpec, NodePool]]) -> Iterator[Problem]:
    """A job that takes all devices or CPUs of a node and says no more has to fit on it. The first set speaks."""
    per, unit = _DEFAULTS[key.lower()]
    for node_set, pool in placed:
        room, facts = slurmd_room(pool, node_set), pool.type_facts
        cpus = room.cpu_m // 1000
        gpus = 0 if facts.is_neuron else facts.accelerator_count
        times = {"GPU": gpus, "CPU": cpus, "node": 1}[per]
        have = cpus if unit == "CPUs" else room.memory_mib
        if value * times > have:
            fits = have // times
            plural = "" if times == 1 else "s"
            yield Problem(
                path=path,
                value=value,
                reason=f"A job on all of a node of {pool.name} ({facts.name}) would get {times} {per}{plural} x "
                f"{value} = {value * times} {unit}, and slurmd has {have}: it would never start.",
                accepted=f"a whole number up to {fits}",
                ways_out=(f"set {key}: {fits}", "remove the line"),
            )
            return
