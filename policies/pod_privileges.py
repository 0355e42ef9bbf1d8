"""Pods that get more of their node than a container is given, and the parts of the platform that may."""

from collections.abc import Iterator
from typing import Any

from components.catalog.pins import (
    DCGM_EXPORTER,
    EFA_DEVICE_PLUGIN,
    GPU_OPERATOR,
    KUBE_PROMETHEUS_STACK,
    NEURON,
    NVIDIA_DEVICE_PLUGIN,
)
from policies.manifests import Workload, rows, table
from policies.values import is_true

AGENTS = (
    EFA_DEVICE_PLUGIN.name,
    NVIDIA_DEVICE_PLUGIN.name,
    NEURON.name,
    GPU_OPERATOR.name,
    DCGM_EXPORTER.name,
    KUBE_PROMETHEUS_STACK.name,
    "neuron-monitor",
    "prometheus-node-exporter",
)
"""Device plugins and agents of nodes, by the names of their objects and releases: their work is the node itself."""
HOST_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")


def is_agent(workload: Workload) -> bool:
    """Whether an object is one of the platform's own agents."""
    return workload.name in AGENTS and workload.kind in ("DaemonSet", "Release", "Chart")


def privileged(workload: Workload) -> Iterator[str]:
    """Where an object, or the values of a release, ask for privileged containers."""
    for template, container in workload.containers:
        if is_true(table(container.spec.get("securityContext")).get("privileged")):
            yield f"container '{container.name}'" + (f" ({template.where})" if template.where else "")
    if workload.kind == "Release" and not workload.templates:
        yield from said(workload.content, ("privileged",))


def of_host(workload: Workload) -> Iterator[str]:
    """Which namespaces of the node an object, or the values of a release, ask for."""
    for template in workload.templates:
        yield from (key for key in HOST_NAMESPACES if is_true(template.spec.get(key)))
    if workload.kind == "Release" and not workload.templates:
        yield from said(workload.content, HOST_NAMESPACES)


def said(value: Any, keys: tuple[str, ...], where: str = "") -> Iterator[str]:
    """Paths below which one of the keys is true."""
    for index, inner in enumerate(rows(value)):
        yield from said(inner, keys, f"{where}[{index}]")
    for key, inner in table(value).items():
        path = f"{where}.{key}" if where else key
        if key in keys and is_true(inner):
            yield path
        yield from said(inner, keys, path)
