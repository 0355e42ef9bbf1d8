"""Sections of the MPI Operator and KubeRay."""

import pytest
from pydantic import ValidationError

from stacks.problems import MISSING
from stacks.schedulers import KubeRaySpec, MpiOperatorSpec, check_kuberay, check_mpi_operator

pytestmark = pytest.mark.unit

GANGS = {"gangScheduling": "volcano"}
RAY = {"watchNamespaces": ["team-a", "team-b"], "serviceMonitor": True, "values": {"reconcileConcurrency": 2}, **GANGS}


def mpi(volcano, **spec):
    return list(check_mpi_operator("platform.mpiOperator", MpiOperatorSpec.model_validate(spec), volcano=volcano))


def ray(volcano=True, monitoring=True, **changes):
    spec = KubeRaySpec.model_validate(RAY | changes)
    return list(check_kuberay("platform.kuberay", spec, volcano=volcano, monitoring=monitoring))


def test_gangs_with_volcano_pass():
    assert mpi(True, **GANGS) == []
    assert ray() == []


def test_no_gangs_without_volcano_pass():
    assert mpi(False) == []
    assert ray(volcano=False, gangScheduling="none") == []


def test_gangs_of_mpi_jobs_need_volcano():
    [problem] = mpi(False, **GANGS)
    assert (problem.path, problem.value) == ("platform.volcano", MISSING)
    assert "waits for Volcano's definitions (platform.mpiOperator.gangScheduling: volcano)" in problem.reason
    assert problem.ways_out == ("add platform.volcano: {}", "set platform.mpiOperator.gangScheduling: none")


def test_gangs_of_ray_clusters_need_volcano():
    [problem] = ray(volcano=False)
    assert problem.path == "platform.volcano"
    assert "platform.kuberay.gangScheduling: volcano" in problem.reason


def test_a_service_monitor_needs_its_operator():
    [problem] = ray(monitoring=False)
    assert (problem.path, problem.value) == ("platform.kuberay.serviceMonitor", True)
    assert "knows no ServiceMonitor" in problem.reason


def test_a_namespace_stands_once():
    [problem] = ray(watchNamespaces=["team-a", "team-b", "team-a"])
    assert (problem.path, problem.value) == ("platform.kuberay.watchNamespaces[2]", "team-a")


def test_a_misspelt_key_of_the_chart_is_refused_and_the_nearest_named():
    [problem] = ray(values={"reconcileConcurency": 2})
    assert problem.path == "platform.kuberay.values.reconcileConcurency"
    assert problem.accepted == "reconcileConcurrency (the nearest key)"


@pytest.mark.parametrize(
    ("section", "spec"),
    [
        (MpiOperatorSpec, {"replicas": 0}),
        (MpiOperatorSpec, {"gangScheduling": "kueue"}),
        (MpiOperatorSpec, {"imageDigest": "sha256:short"}),
        (KubeRaySpec, {"watchNamespaces": ["Team"]}),
        (KubeRaySpec, {"replicas": "2"}),
    ],
)
def test_what_makes_no_sense_is_refused_by_type(section, spec):
    with pytest.raises(ValidationError):
        section.model_validate(spec)
