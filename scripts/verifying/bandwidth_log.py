"""What the log of a collective test proves: which network it took, which ranks ran where, and how fast."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from components.catalog.collectives import FLOORS
from scripts.findings import Finding, Speaker
from scripts.verifying.bandwidth_job import NODES, world
from stacks.node_pools import NodePool

_NETWORK = re.compile(r"Using network (.+?)\s*$", re.MULTILINE)
_RANK = re.compile(r"#\s+Rank\s+(\d+)\s+.*?\bon\s+(\S+)\s+device\s+(\d+)")
_NUMBER = r"\s+([\d.]+)"
_ROWS = (
    # nccl-tests: size count type redop root, then time algbw busbw #wrong out of place.
    re.compile(rf"^\s*(\d+)\s+\d+\s+\w+\s+\w+\s+-?\d+{_NUMBER}{_NUMBER}{_NUMBER}\s+(\d+|N/A)\b", re.MULTILINE),
    # nccom-test: size count type time algbw busbw.
    re.compile(rf"^\s*(\d+)\s+\d+\s+[a-z]+\d+{_NUMBER}{_NUMBER}{_NUMBER}()\s*$", re.MULTILINE),
)
EFA_NETWORK = "AWS Libfabric"
"""NCCL's word for aws-ofi-nccl; `Socket` is TCP (awslabs' EFA cheatsheet, read 2026-11-29)."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """Read from a log."""

    networks: tuple[str, ...] = ()
    ranks: Mapping[str, Counter[str]] = field(default_factory=dict)
    """Host -> how many ranks each of its devices has."""
    size: int = 0
    """Largest message, bytes."""
    bus_bandwidth: float | None = None
    """GB/s at that size, out of place; None where the log has no table."""
    wrong: int = 0
    """Results that were not what they should be, at any size."""


def read(log: str) -> Result:
    """What a log says; a log without a table says nothing."""
    ranks: dict[str, Counter[str]] = {}
    for _, host, device in set(_RANK.findall(log)):
        ranks.setdefault(host, Counter())[device] += 1
    rows = [row for pattern in _ROWS for row in pattern.findall(log)]
    last = max(rows, key=lambda row: int(row[0]), default=None)
    return Result(
        networks=tuple(sorted(set(_NETWORK.findall(log)))),
        ranks=ranks,
        size=int(last[0]) if last else 0,
        bus_bandwidth=float(last[3]) if last else None,
        wrong=sum(int(row[4]) for row in rows if row[4].isdigit()),
    )


class Bandwidth(Speaker):
    """Judges a result."""

    name = "bandwidth"

    def judge(self, pool: NodePool, result: Result, log: str) -> Iterator[Finding]:
        about = f"NodePool/{pool.node_pool_name}"
        if result.bus_bandwidth is None:
            tail = " / ".join(log.strip().splitlines()[-5:])
            yield self.error(
                about,
                f"no table in the log: {tail}",
                "The test ended without a measurement.",
                "read the log above; most often image and driver, or libfabric and aws-ofi-nccl, do not fit",
            )
            return
        if not pool.type_facts.is_neuron:
            yield from self._network(about, pool, result)
            yield from self._ranks(about, pool, result)
        if result.wrong:
            yield self.error(
                about, f"{result.wrong} wrong values", "The sum is not what it should be.", "find the node: a GPU errs"
            )
        yield from self._floor(about, pool, result.bus_bandwidth, result.size)

    def _network(self, about: str, pool: NodePool, result: Result) -> Iterator[Finding]:
        if pool.efa_mode != "off" and result.networks != (EFA_NETWORK,):
            yield self.error(
                about,
                f"Using network {', '.join(result.networks) or '(not said)'}",
                f"The pool has EFA and NCCL did not take it ({EFA_NETWORK}): jobs train over TCP, and say nothing.",
                "the image needs libfabric and an aws-ofi-nccl that fit; security group, devices and the pods' request "
                "are what else it takes",
                "efa-transport-proven",
            )

    def _ranks(self, about: str, pool: NodePool, result: Result) -> Iterator[Finding]:
        """Each host has each of its devices once."""
        each = world(pool) // NODES
        seen = {host: dict(devices) for host, devices in sorted(result.ranks.items())}
        if len(seen) != NODES or any(len(devices) != each or set(devices.values()) != {1} for devices in seen.values()):
            yield self.error(
                about,
                {host: sum(devices.values()) for host, devices in seen.items()},
                f"{NODES} hosts with a rank on each of {each} devices were started, and others ran.",
                "read the log above: two ranks on one device, or both workers on one node",
                "mpi-world-size-proved",
            )

    def _floor(self, about: str, pool: NodePool, measured: float, size: int) -> Iterator[Finding]:
        seen = f"{measured:g} GB/s bus bandwidth, all-reduce of {size} bytes over {NODES} nodes"
        floor = FLOORS.get(pool.instance_type)
        if floor is None:
            yield self.note(
                about,
                seen,
                f"No source gives a floor for {pool.instance_type}; its wires carry "
                f"{pool.type_facts.network_gbps / 8:g} GB/s each way.",
                "keep the number, and compare the next one with it",
            )
        elif measured < floor.gb_per_s:
            yield self.error(
                about,
                seen,
                f"A {pool.instance_type} shows at least {floor.gb_per_s:g} GB/s ({floor.source}).",
                "look at EFA devices of both nodes and at the placement group, then measure other pairs of nodes",
                "efa-bandwidth-not-universal",
            )
        else:
            yield self.note(about, seen, f"At least {floor.gb_per_s:g} GB/s, as it should be.", "nothing")
