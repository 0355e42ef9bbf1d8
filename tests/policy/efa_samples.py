"""A stack with one EFA pool, and what may stand in it."""

from collections.abc import Callable, Mapping
from typing import Any

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from tests.policy.planned import Planned
from tests.policy.pool_samples import NODE_CLASS, NODE_POOL, node_class, requiring
from tests.policy.workload_samples import MPI_JOB, mpi_job

ZONE = "topology.kubernetes.io/zone"
CLUSTER = Planned(type="aws:eks/cluster:Cluster", name="training", props={"name": "training"})


def pool(name: str = "p5", change: Callable[[dict[str, Any]], Any] = lambda made: None, **labels: str) -> Planned:
    """A NodePool as the component makes it, in us-west-2b."""
    made = requiring(ZONE, "us-west-2b")
    made["metadata"]["name"] = name
    made["spec"]["template"]["metadata"]["labels"] |= {"eks-training-platform/pool": name, **labels}
    made["spec"]["template"]["spec"]["nodeClassRef"]["name"] = name
    change(made)
    return Planned(type=NODE_POOL, name=name, props=made)


def require(key: str, *values: str) -> Callable[[dict[str, Any]], None]:
    """A change of a pool: other values of one requirement; without values it is gone."""

    def change(made: dict[str, Any]) -> None:
        spec = made["spec"]["template"]["spec"]
        kept = [each for each in spec["requirements"] if each["key"] != key]
        spec["requirements"] = kept + ([{"key": key, "operator": "In", "values": list(values)}] if values else [])

    return change


def klass(name: str = "p5", sources: tuple[str, ...] = (), **spec: object) -> Planned:
    """The EC2NodeClass of the pool; `sources`: resources that its spec comes from."""
    made = node_class(**spec)
    made["metadata"]["name"] = name
    return Planned(type=NODE_CLASS, name=name, props=made, sources={"spec": list(sources)})


def subnet(zone: str) -> Planned:
    return Planned(
        type="aws:ec2/subnet:Subnet", name=f"private-{zone[-1]}", props={"id": UNKNOWN, "availabilityZone": zone}
    )


def job(**worker: object) -> Planned:
    """An MPIJob of two workers on pool p5."""
    return Planned(type=MPI_JOB, name="train", props=mpi_job(**worker))


def on(planned: Planned, pod: Mapping[str, Any]) -> Planned:
    """The job with other fields in the pods of its workers; None takes one out."""
    spec = planned.props["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]
    spec.update(pod)
    for key in [key for key, value in pod.items() if value is None]:
        del spec[key]
    return planned


def by_affinity(key: str, operator: str, *values: str) -> dict[str, Any]:
    """Fields of a pod that chooses its nodes by affinity alone."""
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"nodeSelector": None, "affinity": {"nodeAffinity": required}}


def plugin(*keys: str, chart: str = "aws-efa-k8s-device-plugin", **more: object) -> Planned:
    """The release of the EFA device plugin, which tolerates these taints."""
    values = {"tolerations": [{"key": key, "operator": "Exists"} for key in keys], **more}
    return Planned(type="kubernetes:helm.sh/v3:Release", name="efa-plugin", props={"chart": chart, "values": values})
