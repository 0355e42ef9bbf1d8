"""What pods say about EFA: devices, and variables of NCCL and libfabric, wherever they stand."""

import re
from collections.abc import Mapping
from typing import Any

from components.catalog.counts import EFA_RESOURCE, NEURON_CORE_RESOURCES
from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from policies.manifests import Container, Template, Workload, at, table
from policies.values import UNKNOWN

ACCELERATORS = (GPU_RESOURCE, NEURON_RESOURCE, *NEURON_CORE_RESOURCES)
PROVIDER = "FI_PROVIDER"
EVIDENCE = "eks-training-platform/nccl-evidence"
"""Annotation: versions and the test's result that justify an old setting."""

_EXPORT = re.compile(r"(?<![A-Za-z0-9_])([A-Z][A-Z0-9_]*)=[\"']?([^\s\"';]*)")


def settings(container: Container) -> Mapping[str, Any]:
    """Variables by name: those of `env`, and those that its command sets (`export X=1`, `mpirun -x X=1`)."""
    return {**dict(_EXPORT.findall(container.line)), **container.env}


def asked(template: Template, resource: str) -> int | None:
    """How many of a resource one pod asks for; None where a preview does not know it yet."""
    counts = [container.asked(resource) for container in template.containers if not container.init]
    return None if UNKNOWN in counts else sum(count for count in counts if isinstance(count, int))


def efa(template: Template) -> int | None:
    """EFA devices of one pod; None where a preview does not know it yet."""
    return asked(template, EFA_RESOURCE)


def accelerator(template: Template) -> str:
    """The resource of GPUs, Neuron devices or Neuron cores that a pod asks for; empty where it asks for none."""
    return next((name for name in ACCELERATORS if asked(template, name)), "")


def asks_hugepages(template: Template) -> bool:
    """Whether a pod asks for huge pages of memory."""
    sides = [at(c.spec, "resources", kind) for c in template.containers for kind in ("requests", "limits")]
    return any(str(key).startswith("hugepages-") for side in sides for key in table(side))


def is_proven(workload: Workload, template: Template) -> bool:
    """Whether someone recorded why an old setting is needed."""
    return bool(table(workload.metadata.get("annotations")).get(EVIDENCE) or template.annotations.get(EVIDENCE))


def picks_efa(value: object) -> bool:
    """Whether a value of FI_PROVIDER chooses the provider of EFA; `^efa` leaves it out."""
    return isinstance(value, str) and any(part.strip().lower() == "efa" for part in value.split(","))
