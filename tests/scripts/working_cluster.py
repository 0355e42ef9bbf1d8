"""A cluster in which everything of an environment works, as its API server, Helm and slurmctld would tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

from components.capacity import node_pool
from components.catalog.karpenter import INSTANCE_TYPE, PLACEMENT_GROUP, ZONE
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import CHARTS, EFA_DEVICE_PLUGIN, MPI_OPERATOR, NEURON, NVIDIA_DEVICE_PLUGIN, SLURM
from components.catalog.slurm import gres_of
from components.platform.admission_pools import pool_table
from components.platform.slurm_node_sets import devices
from scripts.draining.slurm import Slurm
from scripts.findings import Finding
from scripts.verifying.admission import rules
from scripts.verifying.cluster import Cluster
from scripts.verifying.look import judged
from scripts.verifying.operators import NO_RELEASES
from stacks.charts import charts_of
from stacks.environment import Environment, load
from stacks.node_pools import NodePool
from tests.scripts.fake_cluster import obj
from tests.support import stack_files

PLUGINS = {"nvidia.com/gpu": NVIDIA_DEVICE_PLUGIN, "aws.amazon.com/neuron": NEURON}
READY = {"conditions": [{"type": "Ready", "status": "True"}]}


def raw(stack: str = "dev") -> dict[str, Any]:
    """An environment of the repository, as its file says it."""
    return dict(next(each for each in stack_files() if each.name == stack).environment)


def environment(stack: str = "dev", **changes: Any) -> Environment:
    """The same as a model, with other values of whole sections."""
    return load({**raw(stack), **changes}, region="us-west-2", stack=stack)


class FakeSlurm:
    """A controller that answers one text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def tell(self, *_: str) -> str:
        return self.text


def node(pool: NodePool, name: str) -> dict[str, Any]:
    """A node of a pool, as it is once its plugins have registered."""
    labels = {**node_pool.labels(pool), INSTANCE_TYPE: pool.instance_type, ZONE: pool.zone, PLACEMENT_GROUP: "pg-0a"}
    return obj(
        "Node",
        name,
        namespace=None,
        meta={"labels": labels},
        spec={"taints": node_pool.taints(pool)},
        status={**READY, "capacity": devices(pool), "allocatable": devices(pool)},
    )


def daemon_set(release: str) -> dict[str, Any]:
    return obj(
        "DaemonSet",
        release,
        namespace="kube-system",
        meta={"annotations": {"meta.helm.sh/release-name": release}},
        status={"desiredNumberScheduled": 1, "numberReady": 1},
    )


def plugin_pod(release: str, on: str) -> dict[str, Any]:
    owner = {"kind": "DaemonSet", "name": release}
    return obj(
        "Pod",
        f"{release}-{on}",
        namespace="kube-system",
        meta={"ownerReferences": [owner]},
        spec={"nodeName": on},
        status=READY,
    )


def working(spec: Environment) -> Cluster:
    """One node of each pool, one system node, everything of the environment deployed at its pin."""
    objects = [
        obj("Node", "system-0", namespace=None, meta={"labels": {ROLE_LABEL: SYSTEM_ROLE}}, status=READY),
        *_pools(spec),
        *_operators(),
        *_admission(spec),
    ]
    releases = [
        {"name": name, "namespace": CHARTS[name].namespace, "chart": f"{name}-{CHARTS[name].version}"}
        | {"status": "deployed"}
        for name in charts_of(spec)
        if name not in NO_RELEASES
    ]
    slurm = None
    if spec.platform.slurm is not None:
        by_name = {pool.name: pool for pool in spec.node_pools}
        rows = [
            f"{each.pool}-{at}|idle|{gres_of(by_name[each.pool].type_facts)}(S:0-1)|{each.pool},x|none"
            for each in spec.platform.slurm.node_sets
            for at in range(2)
        ]
        slurm = cast(Slurm, FakeSlurm("\n".join(rows)))
    # Each test breaks its own.
    return Cluster(environment=spec, objects=[deepcopy(each) for each in objects], releases=releases, slurm=slurm)


def _pools(spec: Environment) -> Iterable[dict[str, Any]]:
    seen: set[str] = set()
    for pool in spec.node_pools:
        name = f"{pool.name}-0"
        yield node(pool, name)
        yield obj("EC2NodeClass", pool.name, namespace=None, status=READY)
        yield obj("NodePool", pool.node_pool_name, namespace=None, status=READY)
        steps = [{"type": step, "status": "True"} for step in ("Launched", "Registered", "Initialized")]
        yield obj("NodeClaim", f"{pool.name}-x", namespace=None, status={"conditions": steps})
        wanted = [PLUGINS[str(pool.type_facts.accelerator_resource)]]
        wanted += [EFA_DEVICE_PLUGIN] if pool.efa_mode != "off" else []
        for pin in wanted:
            yield plugin_pod(pin.name, name)
            if pin.name not in seen:
                seen.add(pin.name)
                yield daemon_set(pin.name)
    for general in spec.general_pools:
        yield obj("NodePool", general.name, namespace=None, status=READY)


def _operators() -> Iterable[dict[str, Any]]:
    image = {"template": {"spec": {"containers": [{"image": f"mirror/{MPI_OPERATOR.image}:{MPI_OPERATOR.version}"}]}}}
    yield obj(
        "Deployment",
        MPI_OPERATOR.name,
        namespace=MPI_OPERATOR.namespace,
        spec={"replicas": 1, **image},
        status={"availableReplicas": 1},
    )
    yield obj(
        "StatefulSet", "slurm-controller", namespace=SLURM.namespace, spec={"replicas": 1}, status={"readyReplicas": 1}
    )
    yield obj(
        "CustomResourceDefinition",
        "mpijobs.kubeflow.org",
        namespace=None,
        status={"conditions": [{"type": "Established", "status": "True"}]},
    )
    available = {"conditions": [{"type": "Available", "status": "True"}]}
    yield obj("APIService", "v1.metrics.k8s.io", namespace=None, status=available)
    yield obj("StorageClass", "late", namespace=None, volumeBindingMode="WaitForFirstConsumer")
    yield obj("PersistentVolumeClaim", "data", spec={"storageClassName": "late"}, status={"phase": "Bound"})
    yield obj("PersistentVolume", "pv-1", namespace=None, status={"phase": "Bound"})


def _admission(spec: Environment) -> Iterable[dict[str, Any]]:
    for rule, actions in rules().items():
        yield obj("ValidatingAdmissionPolicy", rule, namespace=None)
        bound = {"policyName": rule, "validationActions": actions}
        yield obj("ValidatingAdmissionPolicyBinding", rule, namespace=None, spec=bound)
    yield obj("ConfigMap", "training-pools", namespace="kube-system", data=pool_table(spec.node_pools))
    hook = {"name": "a.b.c", "clientConfig": {"service": {"name": "x"}, "caBundle": "Q0E="}, "failurePolicy": "Fail"}
    yield obj("ValidatingWebhookConfiguration", "hooks", namespace=None, webhooks=[hook])


def find(cluster: Cluster, kind: str, name: str) -> dict[str, Any]:
    """One object, to be broken."""
    return cast(
        "dict[str, Any]",
        next(each for each in cluster.objects if each["kind"] == kind and each["metadata"]["name"] == name),
    )


def without(cluster: Cluster, kind: str, name: str) -> Cluster:
    """The same without one object."""
    kept = [each for each in cluster.objects if (each["kind"], each["metadata"]["name"]) != (kind, name)]
    assert len(kept) == len(cluster.objects) - 1, f"there is no {kind} {name}"
    return replace(cluster, objects=kept)


def said(cluster: Cluster) -> Sequence[Finding]:
    return judged(cluster)
