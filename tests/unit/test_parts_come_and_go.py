"""Each part of the platform comes with its own resources and takes the same away, and no other."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.engine.edit import edited
from tests.engine.edits import OURS
from tests.support import stack_files
from tests.unit.programs import run_stack

pytestmark = pytest.mark.unit

SANDBOX = next(stack for stack in stack_files() if stack.name == "sandbox")

PARTS: Mapping[str, tuple[Mapping[str, object], set[str]]] = {
    "slurm": (
        {"platform.slurm": None},
        {
            "SlinkyOperator",
            "SlurmState",
            "SlurmDatabase",
            "SlurmDatabaseSetup",
            "SlurmNetwork",
            "SlurmTokens",
            "SlurmCluster",
        },
    ),
    "certManager": (
        {"platform.slurm": None, "platform.certManager": None},
        {"CertManager"},
    ),
    "mpiOperator": ({"platform.mpiOperator": None}, {"MpiOperator"}),
    "kueue": ({"platform.kueue": None}, {"Kueue"}),
    "kuberay": ({"platform.kuberay": None}, {"KubeRay"}),
    "jupyterhub": ({"platform.jupyterhub": None}, {"JupyterHub"}),
    "monitoring": ({"platform.monitoring": None, "platform.kuberay.serviceMonitor": False}, {"Monitoring"}),
    "volcano": (
        {
            "platform.volcano": None,
            "platform.mpiOperator.gangScheduling": "none",
            "platform.kuberay.gangScheduling": "none",
            "teams.0.queue": None,
            "teams.1.queue": None,
        },
        {"Volcano"},
    ),
    "the second team": ({"teams": OURS["teams"][:1]}, {"Team"}),
}
"""Part -> the edit that takes it out, and the components that go with it."""
BEFORE: Mapping[str, Mapping[str, object]] = {"certManager": {"platform.slurm": None}}
"""What goes first, where something else needs the part."""
SHARED = {
    "slurm": {"platform-slurm", "secrets-slurmKey", "secrets-slurmJwtKey", "secrets-slurmDatabasePassword"},
    "jupyterhub": {"platform-jupyterhub"},
    "monitoring": {"platform-monitoring", "secrets-grafanaPassword"},
    "volcano": {"monitoring-of-volcano-controller", "monitoring-of-volcano-scheduler"},
    "the second team": {"namespaces-speech", "volcano-queue-speech"},
}
"""Part -> its resources inside components that serve several parts."""


@pytest.fixture(scope="module")
def resources(build) -> Callable[..., Mapping[str, str]]:
    """URN -> component of each resource of an environment."""

    def run(changes: Mapping[str, object]) -> Mapping[str, str]:
        recorder = run_stack(build, SANDBOX, edited(OURS, changes))
        return {made.urn: _component(made.urn) for made in recorder.registrations}

    return run


def _component(urn: str) -> str:
    kinds = [kind for kind in urn.split("::")[2].split("$") if kind.startswith("ekstraining:")]
    return kinds[-1].rsplit(":", 1)[-1] if kinds else ""


@pytest.fixture(scope="module")
def everything(resources) -> Mapping[str, str]:
    return resources({})


@pytest.mark.parametrize("part", PARTS)
def test_taking_a_part_out_takes_exactly_its_resources(resources, everything, part):
    changes, components = PARTS[part]
    before = resources(BEFORE[part]) if part in BEFORE else everything
    after = resources(changes)
    gone = {urn: component for urn, component in before.items() if urn not in after}
    assert [urn for urn in after if urn not in before] == []
    own = {urn for urn, component in gone.items() if component in components}
    assert {urn.rsplit("::", 1)[-1] for urn in gone if urn not in own} == SHARED.get(part, set())
    assert {component for urn, component in gone.items() if urn in own} == components
    left = {urn for urn, component in after.items() if component in components and part != "the second team"}
    assert left == set(), "something of the part stays"


def test_without_its_pools_a_device_plugin_is_not_there(everything, build):
    environment: dict[str, Any] = edited(SANDBOX.environment, {})
    kept = [pool for pool in environment["nodePools"] if pool["name"] == "trn1"]
    assert kept
    environment = {**environment, "nodePools": kept, "platform": {}, "teams": []}
    environment["storage"] = {"buckets": environment["storage"]["buckets"]}
    environment["secrets"] = {}
    made = {_component(found.urn) for found in run_stack(build, SANDBOX, environment).registrations}
    assert {"NeuronPlugin", "EfaDevicePlugin"} <= made
    assert "NvidiaDevicePlugin" not in made
    assert "NvidiaDevicePlugin" in set(everything.values())
