"""Versions of Ray and KubeRay."""

import pytest
import yaml
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.pins import KUBERAY
from components.catalog.ray import KUBERAY_MINOR, RAY_MINOR
from policies.constraints import ADMISSION
from policies.rules.ray_cluster_audited_version import POLICY
from tests.policy.workload_samples import BUCKET, IMAGE, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy

CLUSTER, JOB = "kubernetes:ray.io/v1:RayCluster", "kubernetes:ray.io/v1:RayJob"


def cluster(version="2.58.0", image=IMAGE):
    pod = {"spec": {"containers": [{"name": "ray-head", "image": image}]}}
    spec = {"rayVersion": version, "headGroupSpec": {"template": pod}, "workerGroupSpecs": []}
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "train"}, "spec": spec}


def release(version="1.7.0", chart="kuberay-operator", **values):
    return {"name": "ray", "chart": chart, "version": version, "values": values}


@pytest.mark.parametrize("version", ["2.58", "2.58.0", "2.58.3"])
def test_the_audited_pair_passes(check, version):
    assert check(POLICY, CLUSTER, cluster(version, f"rayproject/ray:{version}-py312-gpu")) == []
    assert check(POLICY, RELEASE, release("1.7.2")) == []
    assert check(POLICY, RELEASE, release("v1.7.0", image={"repository": "rayproject/ray", "tag": version})) == []


@pytest.mark.parametrize("version", ["2.9.0", "2.580.0", "2.60.0"])
def test_another_ray_is_refused(check, version):
    [message] = check(POLICY, CLUSTER, cluster(version))
    assert f"RayCluster 'train' runs Ray {version} (spec.rayVersion)" in message
    assert f"Take 2.58.x, or test report and restore with {version}." in message


def test_another_ray_of_a_job_or_of_an_image_is_refused(check):
    job = {"metadata": {"name": "job"}, "spec": {"rayClusterSpec": cluster("2.9.0")["spec"]}}
    [message] = check(POLICY, JOB, job)
    assert "RayJob 'job' runs Ray 2.9.0 (spec.rayClusterSpec.rayVersion)" in message
    [message] = check(POLICY, CLUSTER, cluster(image="mirror.example/rayproject/ray-ml:2.9.0-gpu"))
    assert "runs Ray 2.9.0 (spec.headGroupSpec.template, container 'ray-head')" in message


@pytest.mark.parametrize("chart", ["kuberay-operator", "oci://registry.example/charts/kuberay-operator", "ray-cluster"])
def test_another_kuberay_is_refused(check, chart):
    [message] = check(POLICY, RELEASE, release("1.1.0", chart))
    assert "1.1.0: the examples were read with KubeRay 1.7" in message
    assert "Install 1.7.x, or read the release notes" in message


def test_the_ray_of_the_clusters_chart_is_refused(check):
    made = release("1.7.0", "ray-cluster", image={"repository": "rayproject/ray", "tag": "2.52.0"})
    assert "runs Ray 2.52.0 (image)" in check(POLICY, RELEASE, made)[0]


def test_a_preview_that_does_not_know_the_version_passes(check):
    assert check(POLICY, CLUSTER, cluster(UNKNOWN, UNKNOWN)) == []
    assert check(POLICY, RELEASE, release(UNKNOWN)) == []


@pytest.mark.parametrize("odd", [None, [], "x", {}, {"rayVersion": []}, {"headGroupSpec": [1]}])
def test_an_odd_cluster_passes(check, odd):
    assert check(POLICY, CLUSTER, {"apiVersion": "ray.io/v1", "spec": odd}) == []


def test_a_version_that_yaml_made_a_number_is_refused(check):
    [message] = check(POLICY, CLUSTER, cluster(2.9))
    assert "runs Ray 2.9 (spec.rayVersion)" in message
    assert check(POLICY, CLUSTER, cluster(2.58)) == []


def test_other_objects_and_charts_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]
    assert check(POLICY, RELEASE, slurm_values()) == ["not applicable"]


def test_the_api_server_is_told_the_same_version():
    policy = next(yaml.safe_load_all((ADMISSION / "workloads-ray-advice.yaml").read_text(encoding="utf-8")))
    told = str(policy["spec"]["variables"]) + str(policy["spec"]["validations"])
    assert RAY_MINOR.replace(".", "[.]") in told
    assert f"read at {RAY_MINOR}" in told
    assert KUBERAY.version.startswith(f"{KUBERAY_MINOR}.")


def test_the_engine_gets_an_advisory_violation(analyzer):
    found = analyzer.analyze(CLUSTER, cluster("2.9.0"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.ADVISORY
