"""Where the pods of jobs land before the real scheduler: those that ask for EFA, and those of Ray and MPI jobs.

Operators do not run here: pods are stamped from the templates of a RayCluster and an MPIJob that stand in the cluster,
as KubeRay (ray-operator/controllers/ray/common/pod.go, BuildPod, an older version read 2026-11-29) does it, and as the
MPI Operator is taken to (pkg/controller/mpi_job_controller.go, not read): the template stays as it is, and gets labels
and, with Ray, a volume for shared memory. Pods of Slurm and JupyterHub land in tests of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from components.catalog.labels import POOL_LABEL
from components.platform.slurm_node_sets import devices
from components.platform.tolerations import device_tolerations
from tests.admission.fleet import GENERAL, POOLS, TRAINING, Fleet
from tests.admission.landing import Landings, devices_of, placed, remove

pytestmark = pytest.mark.admission

NAMESPACE = "pods-land"
EFA = "vpc.amazonaws.com/efa"
IMAGE = "registry.example.com/trainer:1.0.0"
# What a job tolerates, so that only devices decide: all taints of pools, and not that a node is still starting.
TOLERATIONS = [each for each in device_tolerations(TRAINING) if "agent-not-ready" not in each["key"]]


@pytest.fixture(scope="module")
def jobs(fleet: Fleet, definitions: frozenset[str]) -> Iterator[Fleet]:
    """The fleet with a namespace for jobs, and the kinds of Ray and MPI jobs."""
    assert {"rayclusters.ray.io", "mpijobs.kubeflow.org"} <= definitions
    fleet.sandbox.kubectl("create", "namespace", NAMESPACE)
    yield fleet
    for kind in ("rayclusters", "mpijobs"):
        fleet.sandbox.kubectl("delete", kind, "--all", "-n", NAMESPACE, "--timeout=30s")
    fleet.sandbox.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


@pytest.fixture(autouse=True)
def nodes_are_free_again(jobs: Fleet) -> Iterator[None]:
    yield
    remove(jobs, NAMESPACE, "--all")


def pod(name: str, amounts: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    limits = {key: str(amount) for key, amount in amounts.items()}
    container = {"name": "main", "image": IMAGE, "resources": {"limits": limits}}
    metadata = {"name": name, "namespace": NAMESPACE}
    whole = {"containers": [container], "tolerations": TOLERATIONS, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": whole}


def land(jobs: Fleet, pods: Sequence[Mapping[str, Any]], count: int) -> dict[str, str]:
    """Pod -> node of those that found one; the others wait."""
    assert jobs.sandbox.verdict(pods) == ""
    return placed(jobs, NAMESPACE, [each["metadata"]["name"] for each in pods], count)


@pytest.mark.parametrize(
    ("asked", "pools"),
    [
        ({"nvidia.com/gpu": 8, EFA: 32}, ("gpu-efa", "gpu-ours", "gpu-request", "p5")),
        ({"aws.amazon.com/neuron": 16, EFA: 8}, ("trn-efa", "trn-ours", "trn1")),
    ],
    ids=["gpu", "trainium"],
)
def test_pods_that_ask_for_efa_land_on_nodes_with_efa_and_on_no_other(
    jobs: Fleet, landed: Landings, asked: dict[str, int], pools: tuple[str, ...]
) -> None:
    """One pod more than there are such nodes: it waits. Nodes that still start take none."""
    nodes = jobs.names(*pools)
    pods = [pod(f"{pools[0]}-{number}", asked) for number in range(len(nodes) + 1)]
    where = land(jobs, pods, len(nodes))
    assert set(where.values()) == nodes
    for each in pods:
        name = each["metadata"]["name"]
        landed.add(f"Pod that asks for EFA: {name}", where.get(name, "none free: waits"), asked)
    if "nvidia.com/gpu" in asked:
        # A whole node of the same type was free meanwhile, one without EFA.
        free = land(jobs, [pod("no-efa", {"nvidia.com/gpu": 8})], 1)
        assert set(free.values()) == jobs.names("gpu")
        landed.add("Pod that asks for no EFA: no-efa", free["no-efa"], {"nvidia.com/gpu": 8})


@pytest.mark.parametrize("pool", ["gpu", "trn"])
def test_a_pod_that_asks_for_efa_in_a_pool_without_it_waits(jobs: Fleet, pool: str) -> None:
    name = f"waits-{pool}"
    asked = {str(POOLS[pool].type_facts.accelerator_resource): 1, EFA: 1}
    assert land(jobs, [pod(name, asked, nodeSelector={POOL_LABEL: pool})], 0) == {}
    said = jobs.sandbox.get("pod", name, "-n", NAMESPACE)["status"]["conditions"][0]["message"]
    assert f"Insufficient {EFA}" in said


def template(pool: str, **container: Any) -> dict[str, Any]:
    """A pod template for whole nodes of a training pool, or for a small pod of the general pool."""
    limits: dict[str, str] = {"cpu": "1", "memory": "2Gi"}
    tolerations: list[dict[str, str]] = []
    if pool in POOLS:
        limits = {"cpu": "4", "memory": "16Gi", **devices(POOLS[pool])}
        tolerations = device_tolerations([POOLS[pool]])[:-4]
    return {
        "metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}},
        "spec": {
            "nodeSelector": {POOL_LABEL: pool},
            "tolerations": tolerations,
            "containers": [{"name": "main", "image": IMAGE, "resources": {"limits": limits}, **container}],
        },
    }


def stamped(name: str, made_from: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    metadata = {**made_from["metadata"], "name": name, "namespace": NAMESPACE, "labels": dict(labels)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": dict(made_from["spec"])}


def land_in_their_pools(jobs: Fleet, landed: Landings, what: str, pods: Mapping[str, Mapping[str, Any]]) -> None:
    """Each pod lands on a node of the pool of its template, with the node's devices, and no two on one node."""
    where = land(jobs, list(pods.values()), len(pods))
    training = [node for name, node in where.items() if devices_of(pods[name])]
    assert len(set(training)) == len(training)
    for name, node in sorted(where.items()):
        pool = pods[name]["spec"]["nodeSelector"][POOL_LABEL]
        assert node in jobs.names(pool)
        asked = devices_of(pods[name])
        assert asked == {
            key: int(amount) for key, amount in jobs.nodes[pool][node]["status"]["allocatable"].items() if "/" in key
        }
        landed.add(f"{what}: {name}", node, asked)


def ray_cluster() -> dict[str, Any]:
    """As docs/kuberay.md asks for it: fixed groups, no GPUs on the head, nodes that stay."""
    groups = {"gpu-efa": 2, "gpu": 1, "gpu-request": 1, "trn-efa": 1, "trn": 1, "trn-ours": 1}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "example", "namespace": NAMESPACE},
        "spec": {
            "rayVersion": "2.58.0",
            "headGroupSpec": {"rayStartParams": {"num-gpus": "0"}, "template": template(GENERAL.name)},
            "workerGroupSpecs": [
                {
                    "groupName": pool,
                    "replicas": count,
                    "minReplicas": count,
                    "maxReplicas": count,
                    "rayStartParams": {},
                    "template": template(pool),
                }
                for pool, count in groups.items()
            ],
        },
    }


def test_pods_of_a_ray_cluster_land_on_nodes_of_their_pools_with_all_devices(jobs: Fleet, landed: Landings) -> None:
    assert jobs.sandbox.verdict([ray_cluster()]) == ""
    spec = jobs.sandbox.get("raycluster", "example", "-n", NAMESPACE)["spec"]

    def of_group(name: str, kind: str, group: str, made_from: Mapping[str, Any]) -> dict[str, Any]:
        made = stamped(name, made_from, {"ray.io/cluster": "example", "ray.io/node-type": kind, "ray.io/group": group})
        memory = made["spec"]["containers"][0]["resources"]["limits"]["memory"]
        shared = {"name": "shared-mem", "emptyDir": {"medium": "Memory", "sizeLimit": memory}}
        mount = {"name": "shared-mem", "mountPath": "/dev/shm"}  # noqa: S108 - a mount point
        made["spec"] |= {
            "volumes": [shared],
            "containers": [{**made["spec"]["containers"][0], "volumeMounts": [mount]}],
        }
        return made

    pods = {"example-head": of_group("example-head", "head", "headgroup", spec["headGroupSpec"]["template"])}
    for group in spec["workerGroupSpecs"]:
        for number in range(group["replicas"]):
            name = f"example-{group['groupName']}-worker-{number}"
            pods[name] = of_group(name, "worker", group["groupName"], group["template"])
    assert len(pods) == 8
    land_in_their_pools(jobs, landed, "RayCluster", pods)


def mpi_job(pool: str) -> dict[str, Any]:
    launch = ["mpirun", "-np", "16", "-N", "8", "--hostfile", "/etc/mpi/hostfile", "python", "train.py"]
    workers = template(pool, command=["/usr/sbin/sshd", "-De"])
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": pool, "namespace": NAMESPACE},
        "spec": {
            "slotsPerWorker": 8,
            "mpiReplicaSpecs": {
                "Launcher": {"replicas": 1, "template": template(GENERAL.name, command=launch)},
                "Worker": {"replicas": 2, "template": workers},
            },
        },
    }


@pytest.mark.parametrize("pool", ["gpu-efa", "trn1"])
def test_pods_of_an_mpi_job_land_on_nodes_of_their_pools_with_all_devices(
    jobs: Fleet, landed: Landings, pool: str
) -> None:
    assert jobs.sandbox.verdict([mpi_job(pool)]) == ""
    roles = jobs.sandbox.get("mpijob", pool, "-n", NAMESPACE)["spec"]["mpiReplicaSpecs"]
    pods = {}
    for role, spec in roles.items():
        for number in range(spec["replicas"]):
            name = f"{pool}-{role.lower()}-{number}"
            labels = {"training.kubeflow.org/job-name": pool, "training.kubeflow.org/job-role": role.lower()}
            pods[name] = stamped(name, spec["template"], labels)
    assert len(pods) == 3
    land_in_their_pools(jobs, landed, "MPIJob", pods)
