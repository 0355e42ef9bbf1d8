"""What a reader of a preview must not miss, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from scripts.reporting.changes import Change
from scripts.reporting.dangers_of_networks import opens
from scripts.reporting.differences import differences, touches

CLUSTER = "aws:eks/cluster:Cluster"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PLACEMENT_GROUP = "aws:ec2/placementGroup:PlacementGroup"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool"
VOLUME = "kubernetes:core/v1:PersistentVolume"
RELEASE = "kubernetes:helm.sh/v3:Release"
SECRETS = ("kubernetes:core/v1:Secret", "ExternalSecret")

STATEFUL = {
    "aws:s3/bucket:Bucket": "the bucket with every object and version in it",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "the file system; what no data repository has exported is lost",
    "aws:efs/fileSystem:FileSystem": "the file system with every home folder on it",
    "aws:rds/instance:Instance": "the database: Slurm's accounting since the beginning",
    "aws:kms/key:Key": "the key; what it encrypts can never be read again",
    "kubernetes:core/v1:Namespace": "the namespace with everything in it: workloads, claims, Secrets",
    VOLUME: "the volume; its files too, unless it has the reclaim policy Retain",
    "kubernetes:core/v1:PersistentVolumeClaim": "the claim; its pods stop, and its files go with a policy Delete",
    "kubernetes:apps/v1:StatefulSet": "the pods that hold state; their claims stay",
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": "the definition, and every object of its kind",
}

BACK = "Do it in a maintenance window, or take what is there over into the environment first."


class Kind(IntEnum):
    """In the order of a report."""

    DATA = 1
    CLUSTER = 2
    SLURM_KEYS = 3
    NETWORK = 4
    NODES = 5
    PLACEMENT = 6

    @property
    def words(self) -> str:
        return WORDS[self]


WORDS = {
    Kind.DATA: "loses something stateful",
    Kind.CLUSTER: "changes the control plane",
    Kind.SLURM_KEYS: "changes Slurm keys",
    Kind.NETWORK: "opens the network",
    Kind.NODES: "rolls nodes",
    Kind.PLACEMENT: "changes placement groups",
}


@dataclass(frozen=True, kw_only=True)
class Danger:
    """One sentence about one change."""

    kind: Kind
    change: Change
    says: str
    way_out: str

    @property
    def because(self) -> list[str]:
        """The values that bring it about, as the engine names them."""
        lines = [each.line for each in differences(self.change)]
        forced = [line for line in lines if any(line.startswith(path) for path in self.change.forces)]
        if not lines and self.change.op == "replace":
            return ["it is replaced together with what it uses"]
        return (forced or lines)[:3]


def dangers(changes: Sequence[Change]) -> list[Danger]:
    """Of every change, worst first."""
    found = [danger for change in changes for rule in RULES for danger in rule(change)]
    return sorted(found, key=lambda each: (each.kind, each.change.op != "delete", each.change.type, each.change.name))


def dangers_of_drift(changes: Sequence[Change]) -> list[Danger]:
    """Of what has happened past Pulumi: what it opened, and what it takes to put it back with the next update."""
    opened = [danger for change in changes for danger in _network(change)]
    undone = [replace(each, old=each.new, new=each.old) for each in changes if each.op == "update"]
    back = [replace(danger, says=f"putting it back: {danger.says}", way_out=BACK) for danger in dangers(undone)]
    return [*opened, *back]


def _stateful(change: Change) -> Iterator[Danger]:
    lost = STATEFUL.get(change.type)
    if change.type == VOLUME and change.old.get("spec", {}).get("persistentVolumeReclaimPolicy") == "Retain":
        lost = "the volume; its files stay (reclaim policy Retain)"
    if change.type == RELEASE and change.name.endswith(("-crds", "-crd")):
        lost = "definitions, and every object of their kinds"
    if lost is None or not change.goes:
        return
    if change.retained and change.op == "delete":
        says = f"Pulumi forgets it, and it stays where it is: not lost, and nobody's: {lost}"
    elif change.protected:
        says = f"{_goes(change)} {lost}. It is protected, so that the update stops there"
    else:
        says = f"{_goes(change)} {lost}"
    back = f"take {' and '.join(change.forces)} back" if change.forces else "take back what replaces it"
    back = back if change.op == "replace" else "put it back into the environment"
    way_out = f"Copy what is needed and stop what uses it first, or {back}."
    yield Danger(kind=Kind.DATA, change=change, says=says, way_out=way_out)


def _cluster(change: Change) -> Iterator[Danger]:
    if change.type != CLUSTER:
        return
    if change.goes:
        yield Danger(
            kind=Kind.CLUSTER,
            change=change,
            says=f"{_goes(change)} the cluster: every node, workload and object in it",
            way_out="Drain it first (./scripts/drain), or take the change back and make a second environment.",
        )
    elif change.op == "update" and touches(change, "version"):
        yield Danger(
            kind=Kind.CLUSTER,
            change=change,
            says="moves the control plane to another Kubernetes version, which no update takes back",
            way_out="Follow docs/runbooks/upgrade.md, or wait for a maintenance window.",
        )


def _slurm_keys(change: Change) -> Iterator[Danger]:
    is_secret = change.type.startswith(SECRETS[0]) or change.type.endswith(f":{SECRETS[1]}")
    name = str((change.new or change.old).get("metadata", {}).get("name", ""))
    if is_secret and change.op != "create" and "slurm" in f"{change.name} {name}".lower():
        yield Danger(
            kind=Kind.SLURM_KEYS,
            change=change,
            says="other keys than the running daemons have: nodes and clients are refused until all of them restart",
            way_out="Let jobs end first and follow docs/secrets.md, or keep the keys.",
        )


def _network(change: Change) -> Iterator[Danger]:
    for says, way_out in opens(change):
        yield Danger(kind=Kind.NETWORK, change=change, says=says, way_out=way_out)


def _nodes(change: Change) -> Iterator[Danger]:
    kind, says = change.type, ""
    if kind in (NODE_CLASS, NODE_POOL, NODE_GROUP) and change.goes:
        says = f"{_goes(change)} {'the node class' if kind == NODE_CLASS else 'the pool'}: its nodes end"
    elif change.op == "update" and kind == NODE_CLASS and touches(change, "spec"):
        says = "nodes of the class drift: Karpenter replaces each, paced by the disruption budgets"
    elif change.op == "update" and kind == NODE_POOL and touches(change, "spec.template"):
        says = "nodes of the pool drift: Karpenter replaces each, paced by the disruption budgets"
    elif change.op == "update" and kind == NODE_POOL and touches(change, "spec.replicas"):
        says = "another number of static nodes: with a smaller one, nodes end"
    elif (
        change.op == "update" and kind == NODE_GROUP and touches(change, "launchTemplate", "version", "releaseVersion")
    ):
        says = "system nodes are replaced one after the other"
    elif kind == LAUNCH_TEMPLATE and change.op in ("update", "replace"):
        says = "a new version of the launch template: the nodes that start from it are replaced"
    if says:
        yield Danger(
            kind=Kind.NODES,
            change=change,
            says=says,
            way_out="Let jobs reach a checkpoint or wait for the maintenance window, or take the change back.",
        )


def _placement(change: Change) -> Iterator[Danger]:
    of_group = change.type == PLACEMENT_GROUP and change.op != "create"
    of_class = change.type == NODE_CLASS and change.op == "update" and touches(change, "spec.placementGroupSelector")
    if of_group or of_class:
        yield Danger(
            kind=Kind.PLACEMENT,
            change=change,
            says="new nodes start in another placement group than those that run, or in none: a job over both is slow",
            way_out="Let the pool run empty first, or keep the group; a reservation made in a group needs that group.",
        )


RULES: Sequence[Callable[[Change], Iterator[Danger]]] = (_stateful, _cluster, _slurm_keys, _network, _nodes, _placement)


def _goes(change: Change) -> str:
    return "deletes" if change.op == "delete" else "deletes and makes anew"
