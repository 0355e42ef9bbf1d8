"""The job that measures: an MPIJob over two whole nodes of a pool, in a namespace of its own."""

from __future__ import annotations

from typing import Any

from components.catalog.counts import ranks_per_node
from components.catalog.images import NCCL_TESTS, mirrored
from components.catalog.labels import OWN_DOMAIN, POOL_LABEL, WORKLOADS_LABEL
from scripts.verifying.cluster import devices
from stacks.node_pools import NodePool

NAMESPACE = "verify-bandwidth"
NAME = "all-reduce"
NODES = 2
MAX_BYTES = "16G"
"""Largest message, as AWS' own test has it for types with RDMA (aws/aws-k8s-tester @1d295877, mpi_test.go)."""
NEURON_PORT = 63182
"""Any free one; that of aws/aws-k8s-tester @87f19ac6, multi-node-test-neuron.yaml."""


def default_image(pool: NodePool, images: str | None) -> str | None:
    """The catalog's, through the mirror `artifacts.images`; None for Neuron, of which no source has one with sshd."""
    if pool.type_facts.is_neuron:
        return None
    return NCCL_TESTS.reference(mirrored(NCCL_TESTS.image, images))


def namespace() -> dict[str, Any]:
    """With the rules for workloads; at the level privileged, since EFA wants the capability IPC_LOCK."""
    labels = {WORKLOADS_LABEL: "true", "pod-security.kubernetes.io/enforce": "privileged"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}


def world(pool: NodePool) -> int:
    """Ranks of the job: one a GPU, or a logical Neuron core."""
    return NODES * (ranks_per_node(pool.type_facts) or 1)


def job(pool: NodePool, image: str) -> dict[str, Any]:
    """The MPIJob: every device of each node, the launcher beside them.

    Args:
        pool: the pool whose nodes are measured.
        image: has sshd, Open MPI and nccl-tests, or nccom-test.
    """
    launcher = {
        "name": "launcher",
        "image": image,
        "command": ["/bin/sh", "-c", _neuron(pool)] if pool.type_facts.is_neuron else _nccl(pool),
        "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}},
    }
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "annotations": {f"{OWN_DOMAIN}/world-size": str(world(pool))},
        },
        "spec": {
            "slotsPerWorker": world(pool) // NODES,
            # The launcher starts before sshd of the workers does, and fails until then.
            "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 20},
            "mpiReplicaSpecs": {
                "Launcher": {
                    "replicas": 1,
                    "template": {"spec": {"restartPolicy": "OnFailure", "containers": [launcher]}},
                },
                "Worker": {"replicas": NODES, "template": _worker(pool, image)},
            },
        },
    }


def _worker(pool: NodePool, image: str) -> dict[str, Any]:
    facts = pool.type_facts
    # Half of the node: more than the test needs, and no type's reservations come near it.
    counts = {resource: str(count) for resource, count in devices(pool).items()}
    amounts = {"cpu": str(max(1, facts.vcpu // 2)), "memory": f"{int(facts.memory_gib // 2)}Gi", **counts}
    keys = [str(facts.accelerator_resource), *(taint.key for taint in pool.taints)]
    container = {
        "name": "worker",
        "image": image,
        "resources": {"requests": amounts, "limits": amounts},
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
        "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],  # noqa: S108 - a mount point, no temporary file
    }
    return {
        "metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}},
        "spec": {
            "nodeSelector": {POOL_LABEL: pool.name},
            "tolerations": [{"key": key, "operator": "Exists"} for key in keys],
            "containers": [container],
            "volumes": [
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{int(facts.memory_gib // 4)}Gi"}}
            ],
        },
    }


def _nccl(pool: NodePool) -> list[str]:
    """No setting of NCCL is forced; its log says which network it took."""
    return [
        *("mpirun", "--allow-run-as-root", "-np", str(world(pool)), "--map-by", "slot", "--bind-to", "none"),
        *("-x", "PATH", "-x", "LD_LIBRARY_PATH", "-x", "NCCL_DEBUG=INFO"),
        # MPI itself only starts the processes: over TCP, and not over interfaces of the host.
        *("--mca", "pml", "^cm,ucx", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_exclude", "lo,docker0"),
        *("/opt/nccl-tests/build/all_reduce_perf", "-b", "1M", "-e", MAX_BYTES, "-f", "2", "-g", "1", "-c", "1"),
    ]


def _neuron(pool: NodePool) -> str:
    """nccom-test finds the workers by address; it starts a process on each by MPI itself."""
    names = " ".join(f"{NAME}-worker-{at}.{NAME}" for at in range(NODES))
    return (
        f"set -eu; hosts=$(for name in {names}; do getent hosts $name | awk '{{print $1; exit}}'; done); "
        f"export CCOM_SOCKET_IFNAME=eth0 NEURON_RT_ROOT_COMM_ID=$(echo $hosts | cut -d' ' -f1):{NEURON_PORT}; "
        f"exec nccom-test -r {world(pool)} -N {NODES} -b 8 -e 2G -f 2 -n 5 -w 5 -d fp32 allr --hosts $hosts"
    )
