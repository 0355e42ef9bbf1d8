"""In every field of chart values a misspelt key is refused, with the nearest key and two ways out.

The fields are found by walking the sections, so a new one without an entry in the table fails here.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import Field

import stacks
from stacks.chart_overrides import ChartValues
from stacks.environment import EnvironmentProblems, load
from stacks.model import Section
from stacks.value_fields import chart_values, is_chart_values
from tests.unit.stacks.examples import changed

pytestmark = pytest.mark.unit

_IMAGE = f"registry.example.com/notebook@sha256:{'0' * 64}"
_SMALL = {"name": "small", "generalPool": "general", "image": _IMAGE}

TABLE: Mapping[str, tuple[str, Mapping[str, Any], str, str]] = {
    "CertManagerSpec.values": ("platform.certManager", {}, "webhook.replicaCounts", "webhook.replicaCount"),
    "SlurmSpec.values": (
        "platform.slurm",
        {},
        "controller.slurmctld.resource",
        "controller.slurmctld.resources",
    ),
    "VolcanoSpec.values": ("platform.volcano", {}, "custom.scheduler_replica", "custom.scheduler_replicas"),
    "KueueSpec.values": ("platform.kueue", {}, "controllerManager.replica", "controllerManager.replicas"),
    "KubeRaySpec.values": ("platform.kuberay", {}, "leaderElectionEnable", "leaderElectionEnabled"),
    "NvidiaSpec.values": ("platform.nvidia", {}, "mofedEnable", "mofedEnabled"),
    "GpuOperatorSpec.values": ("platform.nvidia.gpuOperator", {}, "mig.strateg", "mig.strategy"),
    "NeuronSpec.values": ("platform.neuron", {}, "devicePlugin.toleration", "devicePlugin.tolerations"),
    "EfaSpec.values": ("platform.efa", {}, "additionalPodLabel", "additionalPodLabels"),
    "JupyterHubSpec.values": (
        "platform.jupyterhub",
        {"profiles": [_SMALL]},
        "hub.activeServersLimit",
        "hub.activeServerLimit",
    ),
    "MonitoringSpec.values": (
        "platform.monitoring",
        {},
        "prometheus.prometheusSpec.retentions",
        "prometheus.prometheusSpec.retention",
    ),
    "MonitoringSpec.dcgm_values": ("platform.monitoring", {}, "hostNetworks", "hostNetwork"),
    "SecretsSpec.values": ("secrets", {}, "webhook.replicaCounts", "webhook.replicaCount"),
}
"""Class and field -> where it stands, what else that section needs, a misspelt key, the right one."""


def value_fields() -> set[str]:
    for module in pkgutil.iter_modules(stacks.__path__):
        importlib.import_module(f"stacks.{module.name}")
    found: set[str] = set()
    todo = [kind for kind in Section.__subclasses__() if kind.__module__.startswith("stacks.")]
    for kind in todo:
        todo += kind.__subclasses__()
        found |= {f"{kind.__name__}.{name}" for name, info in kind.model_fields.items() if is_chart_values(info)}
    return found


def test_every_field_of_chart_values_is_in_the_table():
    assert value_fields() == set(TABLE)


def nested(path: str, value: object) -> Any:
    for step in reversed(path.split(".")):
        value = {step: value}
    return value


@pytest.mark.parametrize("field", sorted(TABLE))
def test_a_values_file_with_a_misspelt_key_is_refused_and_the_nearest_key_named(field):
    where, rest, misspelt, right = TABLE[field]
    name = "dcgmValues" if field.endswith("dcgm_values") else "values"
    section = {**rest, name: nested(misspelt, 7)}
    environment = changed({f"{where}.{key}": value for key, value in section.items()})
    with pytest.raises(EnvironmentProblems) as raised:
        load(environment)
    [problem] = [each for each in raised.value.problems if each.path.endswith(f".{misspelt}")]
    assert problem.path == f"{where}.{name}.{misspelt}"
    assert problem.value == 7
    assert "Helm would ignore it without a word" in problem.reason
    assert problem.accepted == f"{right} (the nearest key)"
    assert problem.ways_out == (f"write {right}", "remove the key")


class Inner(Section):
    values: ChartValues = Field(default_factory=dict)


class Outer(Section):
    inner: Inner | None = None
    plain: str = "text"
    values: ChartValues = Field(default_factory=dict)


def test_values_are_found_wherever_they_stand():
    outer = Outer(inner=Inner(values={"a": 1}), values={"b": 2})
    assert dict(chart_values("platform.x", outer)) == {
        "platform.x.inner.values": {"a": 1},
        "platform.x.values": {"b": 2},
    }


def test_a_part_that_is_off_has_no_values():
    assert dict(chart_values("platform.x", Outer())) == {"platform.x.values": {}}
