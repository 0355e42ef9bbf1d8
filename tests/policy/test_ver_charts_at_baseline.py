"""Charts and operators of the pinned versions."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.pins import CHARTS, MPI_OPERATOR
from policies.rules.ver_charts_at_baseline import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job

pytestmark = pytest.mark.policy

DEPLOYMENT = "kubernetes:apps/v1:Deployment"


def release(version, chart="volcano"):
    return {"name": "r", "chart": chart, "version": version, "values": {}}


def deployment(image):
    return {"metadata": {"name": "op"}, "spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}}


@pytest.mark.parametrize("pin", CHARTS.values(), ids=lambda pin: pin.name)
def test_a_pinned_chart_passes(check, pin):
    assert check(POLICY, RELEASE, release(pin.version, pin.name)) == []
    assert check(POLICY, RELEASE, release(pin.version.removeprefix("v"), pin.name)) == []


@pytest.mark.parametrize(
    "chart", ["volcano", "/srv/charts/volcano", "oci://m.example/c/volcano", "./volcano-1.9.0.tgz"]
)
def test_another_version_is_refused(check, chart):
    [message] = check(POLICY, RELEASE, release("1.9.0", chart))
    assert "Release 'r' takes chart volcano at 1.9.0; the baseline has 1.15.2" in message
    assert "Take 1.15.2, or change the pin in components/catalog/pins.py" in message


@pytest.mark.parametrize(
    "image", ["mpioperator/mpi-operator:0.8.1", "m.example:5000/mpioperator/mpi-operator:0.8.1@sha256:1"]
)
def test_an_operator_of_another_version_is_refused(check, image):
    [message] = check(POLICY, DEPLOYMENT, deployment(image))
    assert (
        f"Deployment 'op' takes mpioperator/mpi-operator at 0.8.1; the baseline has {MPI_OPERATOR.version}" in message
    )


@pytest.mark.parametrize(
    "image", [f"{MPI_OPERATOR.image}:{MPI_OPERATOR.version}", MPI_OPERATOR.image, "x/other:0.1", ""]
)
def test_the_pinned_operator_passes_and_so_do_other_images(check, image):
    assert check(POLICY, DEPLOYMENT, deployment(image)) == []


def test_ray_is_advice_of_another_rule_and_an_unknown_chart_passes(check):
    assert check(POLICY, RELEASE, release("1.1.0", "kuberay-operator")) == []
    assert check(POLICY, RELEASE, release("0.1.0", "someone-elses")) == []


def test_a_preview_that_does_not_know_chart_or_version_passes(check):
    assert check(POLICY, RELEASE, release(UNKNOWN)) == []
    assert check(POLICY, RELEASE, release("1.9.0", UNKNOWN)) == []
    assert check(POLICY, RELEASE, release(None)) == []
    assert check(POLICY, RELEASE, {}) == []


def test_what_is_no_kubernetes_object_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == []


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(RELEASE, release("1.9.0"), "r").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
