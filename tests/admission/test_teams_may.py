"""What members of a team may do before the real API server: their own namespace, within its quota, and nothing else."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from components.platform.namespaces import Namespaces, NamespacesArgs
from components.platform.team import Team, TeamArgs
from stacks.teams import team_namespaces
from tests.admission.support import Sandbox, eventually
from tests.unit.team_examples import POOLS, teams

pytestmark = pytest.mark.admission

TEAMS = teams()
PARTS = ("volcano", "mpiOperator", "kuberay", "kueue")
Create = Callable[[dict[str, Any]], str]


@pytest.fixture(scope="module")
def cluster(sandbox: Sandbox, build: Any) -> Iterator[Sandbox]:
    """The shared cluster with the namespaces of two teams and all that their components make in it."""
    two = TEAMS[:2]

    def program() -> None:
        spaces = NamespacesArgs(namespaces=team_namespaces(two), kubernetes_version="1.35", protect=False)
        Namespaces("namespaces", spaces)
        for team in two:
            args = TeamArgs(
                spec=team,
                pools=POOLS,
                parts=PARTS,
                cluster_name="train",
                bucket_arns={"checkpoints": "arn:aws:s3:::c", "datasets": "arn:aws:s3:::d"},
            )
            Team(f"team-{team.name}", args)

    made = [dict(r.inputs) for r in build(program).registrations if r.type.startswith("kubernetes:")]
    names = [team.name for team in two]
    sandbox.apply(*(thing for thing in made if thing["kind"] == "Namespace"))
    rest = [thing for thing in made if thing["kind"] != "Namespace"]
    content = json.dumps({"apiVersion": "v1", "kind": "List", "items": rest})
    sandbox.kubectl("apply", "--server-side", "--validate=strict", "-f", "-", stdin=content)

    def counted() -> bool:
        # The API server holds nobody to a quota that the controller has not counted.
        quotas = [quota for name in names for quota in sandbox.get("resourcequota", "-n", name)["items"]]
        return len(quotas) == 4 and all(quota.get("status", {}).get("hard") for quota in quotas)

    eventually(counted, "quotas are counted")
    eventually(lambda: all(_account(sandbox, name) for name in names), "accounts default")
    yield sandbox
    sandbox.kubectl("delete", "namespace", *names, "--wait=false")


def _account(sandbox: Sandbox, namespace: str) -> bool:
    return sandbox.run("kubectl", "get", "serviceaccount", "default", "-n", namespace).returncode == 0


def _as(team: str) -> list[str]:
    """A member as EKS hands one over: a name, the group of the access entry, and the group of all who are known."""
    return ["--as=ada", f"--as-group=team-{team}", "--as-group=system:authenticated"]


def may(sandbox: Sandbox, team: str, verb: str, what: str, *where: str) -> bool:
    done = sandbox.run("kubectl", "auth", "can-i", verb, what, *where, *_as(team))
    assert done.stdout.strip() in ("yes", "no"), done.stderr
    return done.stdout.strip() == "yes"


@pytest.mark.parametrize("team", ["vision", "speech"])
@pytest.mark.parametrize(
    ("verb", "what"),
    [
        ("create", "jobs.batch"),
        ("delete", "pods"),
        ("get", "pods/log"),
        ("create", "pods/exec"),
        ("create", "pods/portforward"),
        ("create", "secrets"),
        ("patch", "deployments.apps/scale"),
        ("list", "events"),
        ("get", "resourcequotas"),
    ],
)
def test_a_member_works_in_the_own_namespace(cluster: Sandbox, team: str, verb: str, what: str) -> None:
    other = {"vision": "speech", "speech": "vision"}[team]
    assert may(cluster, team, verb, what, "-n", team)
    assert not may(cluster, team, verb, what, "-n", other)
    assert not may(cluster, team, verb, what, "-n", "kube-system")


@pytest.mark.parametrize(
    ("verb", "what"),
    [
        ("update", "resourcequotas"),
        ("delete", "networkpolicies.networking.k8s.io"),
        ("create", "rolebindings.rbac.authorization.k8s.io"),
        ("create", "serviceaccounts/token"),
        ("create", "daemonsets.apps"),
        ("create", "ingresses.networking.k8s.io"),
        ("create", "resourceclaims.resource.k8s.io"),
    ],
)
def test_a_member_changes_nothing_that_bounds_the_namespace(cluster: Sandbox, verb: str, what: str) -> None:
    assert not may(cluster, "vision", verb, what, "-n", "vision")


@pytest.mark.parametrize(
    ("verb", "what"),
    [
        ("get", "nodes"),
        ("list", "namespaces"),
        ("create", "namespaces"),
        ("list", "secrets"),
        ("list", "pods"),
        ("create", "priorityclasses.scheduling.k8s.io"),
        ("create", "clusterrolebindings.rbac.authorization.k8s.io"),
        ("impersonate", "users"),
        ("create", "nodepools.karpenter.sh"),
    ],
)
def test_a_member_has_no_right_in_the_whole_cluster(cluster: Sandbox, verb: str, what: str) -> None:
    assert not may(cluster, "vision", verb, what, "--all-namespaces")


def test_somebody_without_a_team_has_none_of_this(cluster: Sandbox) -> None:
    assert not may(cluster, "nobody", "list", "pods", "-n", "vision")


@pytest.fixture
def create(cluster: Sandbox) -> Create:
    """Ask, as a member of vision, for an object that is judged and not stored; the answer is what was refused."""

    def ask(thing: dict[str, Any]) -> str:
        arguments = ("create", "--dry-run=server", "-n", "vision", "-f", "-", *_as("vision"))
        done = cluster.run("kubectl", *arguments, stdin=json.dumps(thing))
        assert (done.returncode == 0) == (done.stderr == ""), done.stderr
        return done.stderr

    return ask


def pod(devices: dict[str, str], **more: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example.com/trainer:1.0.0", "resources": {"limits": devices}}
    spec = {"containers": [container], "restartPolicy": "Never", **more}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "trainer"}, "spec": spec}


def test_a_member_creates_a_job(create: Create) -> None:
    template = {"spec": pod({"nvidia.com/gpu": "8"})["spec"]}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": {"template": template}}
    assert create(job) == ""


def test_pods_have_as_many_accelerators_as_the_quota_and_no_more(create: Create) -> None:
    assert create(pod({"nvidia.com/gpu": "32"})) == ""
    said = create(pod({"nvidia.com/gpu": "33"}))
    assert "exceeded quota: team, requested: requests.nvidia.com/gpu=33, used:" in said
    assert "limited: requests.nvidia.com/gpu=32" in said


@pytest.mark.parametrize("resource", ["aws.amazon.com/neuron", "aws.amazon.com/neuroncore"])
def test_a_kind_that_the_quota_does_not_name_is_not_given(create: Create, resource: str) -> None:
    assert f"limited: requests.{resource}=0" in create(pod({resource: "1"}))


@pytest.mark.parametrize("name", ["system-node-critical", "system-cluster-critical"])
def test_no_pod_of_a_team_pushes_the_system_s_aside(create: Create, name: str) -> None:
    assert "exceeded quota: no-system-priority" in create(pod({}, priorityClassName=name))


@pytest.mark.parametrize("kind", ["LoadBalancer", "NodePort"])
def test_no_service_of_a_team_opens_the_namespace(create: Create, kind: str) -> None:
    spec = {"type": kind, "ports": [{"port": 80}], "selector": {"app": "x"}}
    said = create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": spec})
    assert "exceeded quota: team" in said


def test_no_pod_of_a_team_takes_the_node(create: Create) -> None:
    assert 'violates PodSecurity "baseline' in create(pod({}, hostNetwork=True))
