"""The KubeRay release, its values and its definitions."""

import pytest

from components.catalog.chart_values import unknown_keys
from components.platform.crd_charts import crd_data
from components.platform.kuberay import KubeRay, KubeRayArgs
from components.platform.kuberay_values import kuberay_values
from stacks.schedulers import KubeRaySpec

pytestmark = pytest.mark.unit

PLAIN = KubeRaySpec()
FULL = KubeRaySpec.model_validate(
    {
        "replicas": 2,
        "gangScheduling": "volcano",
        "watchNamespaces": ["team-a", "team-b"],
        "serviceMonitor": True,
        "values": {"reconcileConcurrency": 4, "resources": {"limits": {"memory": "4Gi"}}},
    }
)


@pytest.fixture(scope="module")
def made(build):
    return build(lambda: KubeRay("ray", KubeRayArgs(charts=None, images=None, settings=PLAIN)))


@pytest.fixture(scope="module")
def release(made):
    return made.named("ray-release")


@pytest.mark.parametrize("settings", [PLAIN, FULL])
@pytest.mark.parametrize("images", [None, "registry.example.com/mirror"])
def test_every_value_is_one_that_the_chart_reads(settings, images):
    assert unknown_keys("kuberay-operator", kuberay_values(settings, images)) == []


def test_the_release_is_pinned_named_and_rolls_back(release):
    assert release.inputs["name"] == "kuberay-operator"
    assert release.inputs["version"] == "1.7.0"
    assert release.inputs["atomic"] is True
    assert release.inputs["namespace"] == "kuberay-operator"
    assert release.inputs["repositoryOpts"] == {"repo": "https://ray-project.github.io/kuberay-helm/"}


def test_the_release_leaves_the_definitions_to_us_and_comes_after_them(made, release):
    assert release.inputs["skipCrds"] is True
    assert "ray-crds" in release.depends_on


def test_all_four_definitions_are_a_chart_of_ours(made):
    assert made.named("ray-crds").inputs["chart"] == "./components/platform/data/kuberay"
    found = {data["metadata"]["name"] for data in crd_data("kuberay")}
    assert found == {f"{kind}.ray.io" for kind in ("rayclusters", "raycronjobs", "rayjobs", "rayservices")}


def test_the_namespace_admits_restricted_pods_only(made):
    labels = made.only("kubernetes:core/v1:Namespace").inputs["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_it_runs_on_the_system_nodes_with_room_for_more_than_the_chart_gives():
    values = kuberay_values(PLAIN, None)
    assert values["nodeSelector"] == {"eks-training-platform/role": "system"}
    assert values["resources"]["requests"] == {"cpu": "250m", "memory": "1Gi"}
    assert values["resources"]["limits"] == {"cpu": "2", "memory": "2Gi"}


def test_the_image_is_exact_and_comes_from_the_mirror_when_there_is_one():
    assert kuberay_values(PLAIN, None)["image"] == {"repository": "quay.io/kuberay/operator", "tag": "v1.7.0"}
    mirrored = kuberay_values(PLAIN, "registry.example.com/m")["image"]["repository"]
    assert mirrored == "registry.example.com/m/kuberay/operator"


def test_gangs_namespaces_and_metrics_are_as_the_environment_says():
    plain, full = kuberay_values(PLAIN, None), kuberay_values(FULL, None)
    assert (plain["batchScheduler"]["name"], full["batchScheduler"]["name"]) == ("", "volcano")
    assert "watchNamespace" not in plain
    assert full["watchNamespace"] == ["team-a", "team-b"]
    assert plain["metrics"]["serviceMonitor"]["enabled"] is False
    assert full["metrics"]["serviceMonitor"]["enabled"] is True


def test_values_of_the_environment_lie_over_ours():
    values = kuberay_values(FULL, None)
    assert values["reconcileConcurrency"] == 4
    assert values["resources"]["limits"] == {"cpu": "2", "memory": "4Gi"}
