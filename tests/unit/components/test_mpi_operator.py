"""The MPI Operator: upstream's manifest, less what it does not need."""

import pytest
import yaml

from components.catalog.pins import MANIFESTS, MPI_OPERATOR
from components.platform.crd_charts import DATA, crd_data
from components.platform.mpi_operator import MpiOperator, MpiOperatorArgs
from components.platform.mpi_operator_objects import arguments, image, rules
from stacks.schedulers import MpiOperatorSpec

pytestmark = pytest.mark.unit

DIGEST = f"sha256:{'a' * 64}"
UPSTREAM = [
    document
    for document in yaml.safe_load_all((DATA / "mpi-operator" / "upstream.yaml").read_text(encoding="utf-8"))
    if document
]


def upstream(kind, name="mpi-operator"):
    [found] = [thing for thing in UPSTREAM if thing["kind"] == kind and thing["metadata"]["name"] == name]
    return found


@pytest.fixture(scope="module")
def made(build):
    return build(lambda: MpiOperator("mpi", MpiOperatorArgs(images=None, settings=MpiOperatorSpec())))


@pytest.fixture(scope="module")
def pod(made):
    return made.only("kubernetes:apps/v1:Deployment").inputs["spec"]["template"]["spec"]


def allowed(found):
    return {
        (group, resource, verb)
        for rule in found
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_the_definition_is_a_chart_of_ours(made):
    assert made.named("mpi-crds").inputs["chart"] == "./components/platform/data/mpi-operator"
    [data] = crd_data("mpi-operator")
    assert [version["name"] for version in data["spec"]["versions"]] == ["v2beta1"]


def test_the_operator_starts_after_its_definition_and_its_rights(made):
    assert {"mpi-crds", "mpi-binding", "mpi-lease-binding"} <= set(made.named("mpi-deployment").depends_on)


def test_labels_and_selector_are_upstreams(made):
    ours, theirs = made.only("kubernetes:apps/v1:Deployment").inputs, upstream("Deployment")
    assert ours["spec"]["selector"] == theirs["spec"]["selector"]
    assert ours["metadata"]["labels"] == theirs["metadata"]["labels"]


def test_upstreams_arguments_are_kept(pod):
    [theirs] = upstream("Deployment")["spec"]["template"]["spec"]["containers"]
    assert set(theirs["args"]) <= set(pod["containers"][0]["args"])


def test_the_image_is_exact_where_upstreams_moves(pod):
    [theirs] = upstream("Deployment")["spec"]["template"]["spec"]["containers"]
    assert theirs["image"] == "mpioperator/mpi-operator:0.8"
    assert pod["containers"][0]["image"] == "docker.io/mpioperator/mpi-operator:0.8.2"
    assert MANIFESTS["mpi-operator"] is MPI_OPERATOR


def test_a_digest_and_a_mirror_are_part_of_the_image():
    mirror = "registry.example.com/mirror"
    assert image(DIGEST, mirror) == f"{mirror}/mpioperator/mpi-operator:0.8.2@{DIGEST}"


def test_no_right_is_a_star_and_none_is_new_but_the_status_of_jobs():
    theirs = allowed(upstream("ClusterRole")["rules"])
    new = [
        (group, resource, verb)
        for group, resource, verb in allowed(rules(gangs=True))
        if (group, resource, verb) not in theirs and (group, resource, "*") not in theirs
    ]
    assert new == [("batch", "jobs/status", "update")]
    assert not [right for right in allowed(rules(gangs=True)) if "*" in right]


def test_podgroups_are_its_own_only_with_gangs():
    assert [rule for rule in rules(gangs=False) if "podgroups" in rule["resources"]] == []
    assert [rule for rule in rules(gangs=True) if "podgroups" in rule["resources"]] != []


def test_leases_are_written_in_its_own_namespace_only(made):
    assert not [rule for rule in rules(gangs=True) if "leases" in rule["resources"]]
    role = made.only("kubernetes:rbac.authorization.k8s.io/v1:Role").inputs
    assert role["metadata"]["namespace"] == "mpi-operator"
    assert role["rules"] == [
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create", "get", "update"]}
    ]


@pytest.mark.parametrize("role", ["edit", "view"])
def test_people_may_do_what_upstream_lets_them(made, role):
    ours = made.named(f"mpi-{role}").inputs
    assert ours["metadata"]["name"] == f"kubeflow-mpijobs-{role}"
    assert allowed(ours["rules"]) == allowed(upstream("ClusterRole", f"kubeflow-mpijobs-{role}")["rules"])
    assert ours["metadata"]["labels"][f"rbac.authorization.k8s.io/aggregate-to-{role}"] == "true"


def test_it_runs_as_nobody_on_a_read_only_disk_of_a_system_node(pod):
    assert pod["nodeSelector"] == {"eks-training-platform/role": "system"}
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    [container] = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_its_health_is_asked_for_and_its_resources_are_said(pod):
    [container] = pod["containers"]
    for probe in ("livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"] == {"path": "/healthz", "port": 8080}
    assert container["resources"] == {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}


def test_the_namespace_admits_restricted_pods_only(made):
    labels = made.only("kubernetes:core/v1:Namespace").inputs["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_other_pods_reach_its_metrics_and_nothing_else(made):
    spec = made.only("kubernetes:networking.k8s.io/v1:NetworkPolicy").inputs["spec"]
    assert spec["podSelector"] == {}
    assert spec["ingress"] == [{"ports": [{"port": 8081, "protocol": "TCP"}]}]


def test_gangs_are_asked_for_by_a_flag():
    assert not any("gang" in argument for argument in arguments(MpiOperatorSpec()))
    assert "--gang-scheduling=volcano" in arguments(MpiOperatorSpec(gang_scheduling="volcano"))
