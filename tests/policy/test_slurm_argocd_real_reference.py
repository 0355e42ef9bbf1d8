"""Argo CD names a real chart of Slinky."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_argocd_real_reference import POLICY
from tests.policy.slurm_object_samples import APPLICATION, ODD, application
from tests.policy.workload_samples import BUCKET, MPI_JOB, mpi_job

pytestmark = pytest.mark.policy

GIT = {
    "repoURL": "https://github.com/SlinkyProject/slurm-operator.git",
    "chart": None,
    "path": "helm/slurm",
    "targetRevision": "v1.2.3",
}
REGISTRY = {"repoURL": "oci://ghcr.io/slinkyproject/charts/slurm", "chart": None, "path": "."}


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"repoURL": "registry.acme.io/mirror/charts"},
        {"helm": {"valuesObject": {"partitions": {"all": {"enabled": True}}}}},
        {"helm": {"values": "controller:\n  inplaceReconfigure: true\n"}},
        {"helm": {"values": "{ not yaml"}},
        REGISTRY,
        {**REGISTRY, "targetRevision": "sha256:" + "a" * 64},
        GIT,
        {**GIT, "targetRevision": "b98cad3ff671"},
        {"repoURL": "https://git.acme.io/platform.git", "chart": None, "path": "slurm", "targetRevision": "2026-11"},
        {"repoURL": "https://git.acme.io/platform.git", "chart": None, "ref": "values", "targetRevision": "main"},
    ],
)
def test_a_real_chart_at_a_fixed_revision_passes(check, source):
    assert check(POLICY, APPLICATION, application(source)) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (
            {"repoURL": "https://github.com/example/slinky"},
            "repoURL https://github.com/example/slinky is a placeholder",
        ),
        ({"repoURL": "https://slinky.example/charts"}, "repoURL https://slinky.example/charts is a placeholder"),
        ({"repoURL": "https://charts.example.com"}, "is a placeholder"),
        ({"repoURL": None}, "repoURL (empty) is a placeholder"),
        ({"chart": None}, "neither chart nor path is named"),
        ({**GIT, "path": "charts/slurm"}, "path charts/slurm is none of the repository's charts"),
        ({"chart": "slinky"}, "chart slinky does not exist there"),
        ({**REGISTRY, "repoURL": "oci://ghcr.io/slinkyproject/charts/slinky"}, "chart slinky does not exist there"),
        ({"targetRevision": None}, "targetRevision (empty, so HEAD) moves"),
        ({"targetRevision": "1.2"}, "targetRevision 1.2 moves"),
        ({"targetRevision": "1.x"}, "targetRevision 1.x moves"),
        ({"targetRevision": 1.2}, "targetRevision 1.2 moves"),
        ({**GIT, "targetRevision": "HEAD"}, "targetRevision HEAD moves"),
        ({**GIT, "targetRevision": "main"}, "targetRevision main moves"),
        ({**GIT, "targetRevision": ">=1.2.0"}, "targetRevision >=1.2.0 moves"),
        ({"helm": {"valuesObject": {"compute": {"partitions": []}}}}, "the chart has no value compute.partitions"),
        ({"helm": {"values": "efa:\n  enabled: true\n"}}, "the chart has no value efa.enabled"),
    ],
)
def test_one_fault_is_refused_with_ways_out(check, source, fault):
    messages = [message for message in check(POLICY, APPLICATION, application(source)) if fault in message]
    assert messages, fault
    assert "Application 'slurm' points to nothing that is fixed and real (spec.source)" in messages[0]
    assert ", or take the part out of Argo CD" in messages[0]


def test_each_of_several_sources_is_judged_and_refused(check):
    several = [{"repoURL": "https://git.acme.io/a.git", "ref": "values"}, {**GIT, "targetRevision": "main"}]
    made = application(source={}, sources=several)
    made["spec"].pop("source")
    [message] = check(POLICY, APPLICATION, made)
    assert "(spec.sources[1]): targetRevision main moves" in message


@pytest.mark.parametrize("field", ["repoURL", "chart", "targetRevision", "helm"])
def test_a_preview_that_does_not_know_a_field_passes(check, field):
    assert check(POLICY, APPLICATION, application({field: UNKNOWN})) == []


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_is_not_its_business(check, odd):
    assert check(POLICY, APPLICATION, odd if isinstance(odd, dict) else {"spec": odd}) == ["not applicable"]


def test_applications_of_something_else_are_not_its_business(check):
    other = {"repoURL": "https://github.com/acme/dashboards", "chart": None, "path": "all", "targetRevision": "HEAD"}
    assert check(POLICY, APPLICATION, application(other, destination={"namespace": "web"})) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]
    assert check(POLICY, "kubernetes:app.k8s.io/v1beta1:Application", application()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(APPLICATION, application({"targetRevision": "HEAD"}), "slurm").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
