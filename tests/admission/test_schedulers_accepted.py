"""MPI Operator, Volcano and KubeRay before the real API server: their definitions, their objects and jobs for them.

Our objects are taken from what the components register, the charts' from the real Helm with our values. Everything is
applied server-side with strict field checking; definitions and namespaces are stored, the rest is a dry run. Where pods
of such jobs land is shown in test_pods_land.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
import yaml

from components.catalog.pins import KUBERAY, VOLCANO, ChartPin
from components.platform.kuberay import KubeRay, KubeRayArgs
from components.platform.kuberay_values import kuberay_values
from components.platform.mpi_operator import MpiOperator, MpiOperatorArgs
from components.platform.volcano import Volcano, VolcanoArgs
from components.platform.volcano_values import volcano_values
from scripts.sandboxing.charts import SHARED
from stacks.node_pools import NodePool
from stacks.schedulers import KubeRaySpec, MpiOperatorSpec
from stacks.volcano import VolcanoSpec
from tests.admission.support import Sandbox, eventually, objects_of

pytestmark = pytest.mark.admission

needs_charts = pytest.mark.skipif(not SHARED.exists(), reason="../shared/charts is not beside this checkout")
CRD = "CustomResourceDefinition"

VOLCANO_SETTINGS = VolcanoSpec.model_validate(
    {
        "replicas": 2,
        "queues": [
            {"name": "vision", "parent": "research", "deserved": {"p5": 1}},
            {"name": "research", "capability": {"p5": 8}, "deserved": {"p5": 4}},
        ],
        "priorityClasses": [{"name": "urgent", "value": 1000, "preemption": "lowerPriority"}],
    }
)
POOLS = [
    NodePool.model_validate(
        {
            "name": "p5",
            "instanceType": "p5.48xlarge",
            "zone": "us-west-2b",
            "nodes": {"max": 8},
            "efa": "static",
            "placementGroup": "none",
        }
    )
]
KUBERAY_SETTINGS = KubeRaySpec.model_validate({"gangScheduling": "volcano", "watchNamespaces": ["default"]})

Apply = Callable[[Sequence[Mapping[str, Any]]], None]


@pytest.fixture(scope="module")
def dry(sandbox: Sandbox) -> Apply:
    """Judge objects without storing them; what the API server says against one fails the test."""

    def run(things: Sequence[Mapping[str, Any]]) -> None:
        assert things
        assert sandbox.verdict(things, "--dry-run=server") == ""

    return run


def _of(things: Sequence[Mapping[str, Any]], *kinds: str) -> list[Mapping[str, Any]]:
    return [thing for thing in things if thing["kind"] in kinds]


def _without(things: Sequence[Mapping[str, Any]], *kinds: str) -> list[Mapping[str, Any]]:
    return [thing for thing in things if thing["kind"] not in kinds]


def _pods(things: Sequence[Mapping[str, Any]], namespace: str) -> list[dict[str, Any]]:
    """A pod from every template, since Pod Security is enforced on pods; the account is one that exists."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{thing['metadata']['name']}-0", "namespace": namespace},
            "spec": {
                **{key: value for key, value in template["spec"].items() if key != "serviceAccount"},
                "serviceAccountName": "default",
            },
        }
        for thing in _of(things, "Deployment", "Job")
        for template in [thing["spec"]["template"]]
    ]


def _store(sandbox: Sandbox, things: Sequence[Mapping[str, Any]], definitions: frozenset[str]) -> None:
    """Store namespaces, and wait until pods may be judged there; the definitions are in the cluster already."""
    namespaces = _of(things, "Namespace")
    assert sandbox.verdict(namespaces) == ""
    for namespace in namespaces:
        name = namespace["metadata"]["name"]
        eventually(
            lambda name=name: sandbox.run("kubectl", "get", "sa", "default", "-n", name).returncode == 0,
            f"account default of {name}",
        )


def _clear(sandbox: Sandbox, things: Sequence[Mapping[str, Any]]) -> None:
    names = [thing["metadata"]["name"] for thing in _of(things, "Namespace")]
    sandbox.kubectl("delete", "namespace", *names, "--wait=false")


def _rendered(sandbox: Sandbox, pin: ChartPin, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The chart's objects with the namespace that Helm would put them into."""
    return [
        {**thing, "metadata": {**thing["metadata"], "namespace": thing["metadata"].get("namespace", pin.namespace)}}
        if thing["kind"] in _NAMESPACED
        else thing
        for thing in sandbox.rendered(pin, values)
    ]


_NAMESPACED = {"ConfigMap", "Deployment", "Job", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount"}


@pytest.fixture(scope="module")
def mpi(sandbox: Sandbox, build: Any, definitions: frozenset[str]) -> Iterator[list[dict[str, Any]]]:
    settings = MpiOperatorSpec.model_validate({"gangScheduling": "volcano", "replicas": 2})
    things = objects_of(build(lambda: MpiOperator("mpi", MpiOperatorArgs(images=None, settings=settings))))
    _store(sandbox, things, definitions)
    yield things
    _clear(sandbox, things)


@pytest.fixture(scope="module")
def kuberay(sandbox: Sandbox, build: Any, definitions: frozenset[str]) -> Iterator[list[dict[str, Any]]]:
    args = KubeRayArgs(charts=None, images=None, settings=KUBERAY_SETTINGS)
    things = objects_of(build(lambda: KubeRay("ray", args)))
    _store(sandbox, things, definitions)
    yield things
    _clear(sandbox, things)


@pytest.fixture(scope="module")
def volcano(sandbox: Sandbox, build: Any, definitions: frozenset[str]) -> Iterator[list[dict[str, Any]]]:
    """What the component makes besides its release, and what the release makes."""
    args = VolcanoArgs(charts=None, images=None, settings=VOLCANO_SETTINGS, pools=POOLS)
    ours = objects_of(build(lambda: Volcano("volcano", args)))
    things = [*ours, *_rendered(sandbox, VOLCANO, volcano_values(VOLCANO_SETTINGS, None))]
    _store(sandbox, things, definitions)
    yield things
    _clear(sandbox, things)


def test_every_object_of_the_mpi_operator_is_accepted(dry: Apply, mpi: list[dict[str, Any]]) -> None:
    dry(_without(mpi, "Namespace"))


def test_the_pods_of_the_mpi_operator_are_admitted_by_their_namespace(dry: Apply, mpi: list[dict[str, Any]]) -> None:
    dry(_pods(mpi, "mpi-operator"))


def test_a_root_pod_is_not_admitted_beside_the_mpi_operator(sandbox: Sandbox, mpi: list[dict[str, Any]]) -> None:
    [pod] = _pods(mpi, "mpi-operator")
    spec = {**pod["spec"], "securityContext": {"runAsUser": 0}}
    said = sandbox.verdict([{**pod, "spec": spec}], "--dry-run=server")
    assert 'violates PodSecurity "restricted' in said


def mpi_job() -> dict[str, Any]:
    """A job that keeps the rules of facts/mpi-operator.md section 5: the operator has no webhook that would."""

    def container(command: list[str], **more: Any) -> dict[str, Any]:
        return {"name": "main", "image": "registry.example.com/trainer:1.0.0", "command": command, **more}

    gpus = {"limits": {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}}
    launch = ["mpirun", "-np", "16", "-N", "8", "--hostfile", "/etc/mpi/hostfile", "python", "train.py"]
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": "example", "namespace": "default"},
        "spec": {
            "slotsPerWorker": 8,
            "mpiImplementation": "OpenMPI",
            "launcherCreationPolicy": "WaitForWorkersReady",
            "runPolicy": {
                "cleanPodPolicy": "Running",
                "backoffLimit": 20,
                "schedulingPolicy": {"minAvailable": 2, "queue": "vision", "priorityClass": "urgent"},
            },
            "mpiReplicaSpecs": {
                "Launcher": {
                    "replicas": 1,
                    "restartPolicy": "OnFailure",
                    "template": {"spec": {"containers": [container(launch)]}},
                },
                "Worker": {
                    "replicas": 2,
                    "restartPolicy": "Never",
                    "template": {
                        "metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}},
                        "spec": {"containers": [container(["/usr/sbin/sshd", "-De"], resources=gpus)]},
                    },
                },
            },
        },
    }


def test_an_mpi_job_is_accepted(dry: Apply, mpi: list[dict[str, Any]]) -> None:
    dry([mpi_job()])


def test_a_misspelt_field_of_an_mpi_job_is_refused(sandbox: Sandbox, mpi: list[dict[str, Any]]) -> None:
    job = mpi_job()
    job["spec"]["slotPerWorker"] = 8
    assert ".spec.slotPerWorker: field not declared in schema" in sandbox.verdict([job], "--dry-run=server")


def test_an_mpi_implementation_that_nobody_knows_is_refused(sandbox: Sandbox, mpi: list[dict[str, Any]]) -> None:
    job = mpi_job()
    job["spec"]["mpiImplementation"] = "LAM"
    assert "Unsupported value" in sandbox.verdict([job], "--dry-run=server")


@needs_charts
def test_volcano_s_chart_with_our_values_is_accepted(dry: Apply, volcano: list[dict[str, Any]]) -> None:
    dry(_without(volcano, CRD, "Namespace", "Queue", "PriorityClass"))


@needs_charts
def test_volcano_s_pods_are_admitted_by_their_namespace(dry: Apply, volcano: list[dict[str, Any]]) -> None:
    pods = _pods(volcano, "volcano-system")
    assert len(pods) == 4
    dry(pods)


@needs_charts
def test_volcano_reads_the_configuration_that_we_wrote(volcano: list[dict[str, Any]]) -> None:
    [config] = [
        thing for thing in _of(volcano, "ConfigMap") if thing["metadata"]["name"].endswith("scheduler-configmap")
    ]
    written = yaml.safe_load(config["data"]["volcano-scheduler.conf"])
    assert written["actions"] == "allocate, preempt, backfill"
    plugins = [plugin for tier in written["tiers"] for plugin in tier["plugins"]]
    assert {"name": "capacity", "enableHierarchy": True} in plugins


@needs_charts
def test_every_webhook_of_volcano_leaves_the_system_s_namespaces_alone(volcano: list[dict[str, Any]]) -> None:
    kinds = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    webhooks = [webhook for thing in _of(volcano, *kinds) for webhook in thing["webhooks"]]
    # The chart gives the one for HyperNodes, which lie in no namespace, no selector.
    everywhere = [webhook["name"] for webhook in webhooks if "namespaceSelector" not in webhook]
    assert everywhere == ["validatehypernodes.volcano.sh"]
    for webhook in webhooks:
        names = {
            value
            for expression in webhook.get("namespaceSelector", {}).get("matchExpressions", [])
            if expression["operator"] == "NotIn"
            for value in expression["values"]
        }
        outside = {"kube-system", "volcano-system", "mpi-operator", "kuberay-operator"}
        assert outside <= names or webhook["name"] in everywhere
        # Ours or a team's pods are never held up by Volcano.
        assert {group for rule in webhook["rules"] for group in rule["apiGroups"]} <= {
            "batch.volcano.sh",
            "scheduling.volcano.sh",
            "scheduling.incubator.k8s.io",
            "topology.volcano.sh",
            "flow.volcano.sh",
        }


@needs_charts
def test_queues_and_priority_classes_are_accepted(dry: Apply, volcano: list[dict[str, Any]]) -> None:
    found = _of(volcano, "Queue", "PriorityClass")
    assert {thing["metadata"]["name"] for thing in found} == {"research", "vision", "urgent"}
    dry(found)


@needs_charts
def test_a_volcano_job_is_accepted(dry: Apply, volcano: list[dict[str, Any]]) -> None:
    pod = {"containers": [{"name": "main", "image": "registry.example.com/trainer:1.0.0"}], "restartPolicy": "Never"}
    dry(
        [
            {
                "apiVersion": "batch.volcano.sh/v1alpha1",
                "kind": "Job",
                "metadata": {"name": "example", "namespace": "default"},
                "spec": {
                    "schedulerName": "volcano",
                    "queue": "vision",
                    "minAvailable": 2,
                    "maxRetry": 10,
                    "plugins": {"pytorch": ["--master=worker", "--worker=worker"], "svc": []},
                    "policies": [
                        {"events": ["PodEvicted", "PodFailed"], "action": "RestartJob"},
                        {"event": "TaskCompleted", "action": "CompleteJob"},
                    ],
                    "tasks": [{"name": "worker", "replicas": 2, "template": {"spec": pod}}],
                },
            }
        ]
    )


def test_every_object_of_kuberay_besides_its_release_is_accepted(dry: Apply, kuberay: list[dict[str, Any]]) -> None:
    dry(_without(kuberay, "Namespace"))


@needs_charts
def test_kuberay_s_chart_with_our_values_is_accepted(
    sandbox: Sandbox, dry: Apply, kuberay: list[dict[str, Any]]
) -> None:
    things = _rendered(sandbox, KUBERAY, kuberay_values(KUBERAY_SETTINGS, None))
    assert _of(things, CRD) == []
    dry(things)
    dry(_pods(things, KUBERAY.namespace))
    [deployment] = _of(things, "Deployment")
    arguments = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    assert "--batch-scheduler=volcano" in arguments
    assert arguments[arguments.index("--watch-namespace") + 1] == "default"


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob"])
def test_a_ray_object_is_accepted(dry: Apply, kuberay: list[dict[str, Any]], kind: str) -> None:
    def template(name: str) -> dict[str, Any]:
        return {"spec": {"containers": [{"name": name, "image": "rayproject/ray:2.58.0"}]}}

    cluster = {
        "rayVersion": "2.58.0",
        "headGroupSpec": {"rayStartParams": {"num-gpus": "0"}, "template": template("head")},
        "workerGroupSpecs": [
            {
                "groupName": "p5",
                "replicas": 2,
                "minReplicas": 2,
                "maxReplicas": 2,
                "rayStartParams": {},
                "template": template("worker"),
            }
        ],
    }
    spec = cluster if kind == "RayCluster" else {"entrypoint": "python train.py", "rayClusterSpec": cluster}
    metadata = {
        "name": "example",
        "namespace": "default",
        "labels": {"volcano.sh/queue-name": "vision", "ray.io/priority-class-name": "urgent"},
    }
    dry([{"apiVersion": "ray.io/v1", "kind": kind, "metadata": metadata, "spec": spec}])
