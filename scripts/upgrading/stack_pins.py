"""What a stack file pins, what it adds to charts' values, and what of all pins its environment installs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.catalog.addons import ADDONS as EVERY_CLUSTER
from components.catalog.addons import ALL_ADDONS
from components.catalog.csi import STORAGE_ADDONS
from components.catalog.images import AWS_CLI, MARIADB_CLIENT
from components.catalog.pins import MPI_OPERATOR, NEURON_MONITOR
from scripts.upgrading.pin_sets import (
    ADDON_DEFAULT,
    ADDONS,
    BY_TAG,
    KUBERNETES,
    NODE_IMAGE,
    NONE,
    SLURM,
    SLURM_DIGESTS,
    SLURM_HELPER,
    SLURM_NODES,
)
from stacks.charts import charts_of
from stacks.device_plugins import with_neuron
from stacks.environment import Environment

Raw = Mapping[str, Any]

DIGESTS = ("slurmctld", "slurmrestd", "slurmdbd", "login")
NODE_IMAGES = ("gpu", "neuron")
VALUES: Mapping[str, str] = {
    "cert-manager": "platform.certManager.values",
    "dcgm-exporter": "platform.monitoring.dcgmValues",
    "aws-efa-k8s-device-plugin": "platform.efa.values",
    "external-secrets": "secrets.values",
    "gpu-operator": "platform.nvidia.gpuOperator.values",
    "jupyterhub": "platform.jupyterhub.values",
    "kube-prometheus-stack": "platform.monitoring.values",
    "kuberay-operator": "platform.kuberay.values",
    "kueue": "platform.kueue.values",
    "neuron-helm-chart": "platform.neuron.values",
    "nvidia-device-plugin": "platform.nvidia.values",
    "slurm": "platform.slurm.values",
    "volcano": "platform.volcano.values",
}
"""Chart -> where an environment adds to its values."""


def versions_in(raw: Raw) -> dict[str, str]:
    """Field -> version, from an environment as YAML gives it: that of an old revision may not fit today's model."""
    found = {f"{ADDONS}.{name}": _text(raw, f"{ADDONS}.{name}", ADDON_DEFAULT) for name in ALL_ADDONS}
    found |= {f"{SLURM_DIGESTS}.{name}": _text(raw, f"{SLURM_DIGESTS}.{name}", BY_TAG) for name in DIGESTS}
    found |= {f"{SLURM_NODES}.{name}": _text(raw, f"{SLURM_NODES}.{name}", NONE) for name in NODE_IMAGES}
    return found | {name: _text(raw, name, NONE) for name in (KUBERNETES, NODE_IMAGE)}


def values_in(raw: Raw) -> dict[str, Raw]:
    """Chart -> what the environment adds to its values; charts without are absent."""
    found = {chart: at(raw, path) for chart, path in VALUES.items()}
    return {chart: values for chart, values in found.items() if isinstance(values, Mapping) and values}


def at(raw: Any, path: str) -> Any:
    """What stands at a dotted path; None where nothing does."""
    for key in path.split("."):
        raw = raw.get(key) if isinstance(raw, Mapping) else None
    return raw


def installed(environment: Environment) -> frozenset[str]:
    """Components, as `PinSet` names them, that an environment has."""
    platform, storage = environment.platform, environment.storage
    slurm = platform.slurm
    addons = [*EVERY_CLUSTER, *(STORAGE_ADDONS[driver].name for driver in storage.drivers)]
    has = {
        **dict.fromkeys(charts_of(environment), True),
        MPI_OPERATOR.name: platform.mpi_operator is not None,
        NEURON_MONITOR.name: platform.monitoring is not None and bool(with_neuron(environment.node_pools)),
        **dict.fromkeys((AWS_CLI.name, MARIADB_CLIENT.name), platform.slurm_database is not None),
        KUBERNETES: True,
        NODE_IMAGE: bool(environment.node_pools or environment.general_pools),
        **{f"{ADDONS}.{name}": True for name in addons},
        SLURM: slurm is not None,
        SLURM_HELPER: slurm is not None,
        **{f"{SLURM_NODES}.{name}": slurm is not None for name in NODE_IMAGES},
        f"{SLURM_DIGESTS}.slurmctld": slurm is not None,
        f"{SLURM_DIGESTS}.slurmrestd": slurm is not None,
        f"{SLURM_DIGESTS}.slurmdbd": slurm is not None and slurm.accounting is not None,
        f"{SLURM_DIGESTS}.login": slurm is not None and slurm.login is not None,
    }
    return frozenset(name for name, there in has.items() if there)


def _text(raw: Raw, path: str, otherwise: str) -> str:
    found = at(raw, path)
    return otherwise if found is None else str(found)
