"""The one version of MPIJobs that somebody serves."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.mpi_api_version import POLICY
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, RELEASE, mpi_job

pytestmark = pytest.mark.policy

OLD = "kubernetes:kubeflow.org/v1:MPIJob"


def test_the_served_version_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job()) == []


@pytest.mark.parametrize("version", ["v1", "v1alpha1", "v1alpha2", "v2alpha1"])
def test_another_version_is_refused_with_the_modern_form(check, version):
    [message] = check(POLICY, f"kubernetes:kubeflow.org/{version}:MPIJob", mpi_job())
    assert f"MPIJob 'train' says apiVersion kubeflow.org/{version}" in message
    assert "Write apiVersion: kubeflow.org/v2beta1 with spec.slotsPerWorker, spec.runPolicy.cleanPodPolicy" in message
    assert ", or run the job without this operator" in message


def test_a_job_among_the_values_of_a_release_is_refused_too(check):
    job = {**mpi_job(), "apiVersion": "kubeflow.org/v1"}
    release = {"name": "jobs", "version": "1.0.0", "values": {"extraObjects": [job, {"kind": "MPIJob"}]}}
    assert len(check(POLICY, RELEASE, release)) == 1


def test_a_preview_that_knows_nothing_else_goes_by_the_version(check):
    assert len(check(POLICY, OLD, {"metadata": {"name": UNKNOWN}, "spec": UNKNOWN})) == 1


def test_other_objects_are_not_its_business(check):
    for type_ in (BUCKET, INDEXED_JOB, "kubernetes:kubeflow.org/v1:PyTorchJob", "kubernetes:example.com/v1:MPIJob"):
        assert check(POLICY, type_, {"spec": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = [d for d in analyzer.analyze(OLD, mpi_job(), "train").diagnostics if d.policyName == POLICY.name]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
