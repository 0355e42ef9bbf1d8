"""One edit for every field of the environment, and what the field says that the edit does."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.fields import FieldInfo

from stacks.environment import Environment
from stacks.model import Section, is_list, sections_in
from tests.engine.edit import Edit, edited
from tests.engine.platform_edits import device_plugins, jupyterhub, kueue, monitoring, schedulers, slurm, teams
from tests.engine.platform_edits import secrets as platform_secrets
from tests.engine.storage_edits import buckets as storage_buckets
from tests.engine.storage_edits import efs as storage_efs
from tests.engine.storage_edits import lustre as storage_lustre
from tests.engine.storage_edits import namespaces as storage_namespaces
from tests.support import stack_files


def stack_environment(name: str) -> dict[str, Any]:
    """The environment of a stack file."""
    return dict(next(stack for stack in stack_files() if stack.name == name).environment)


P5 = {
    "name": "p5",
    "instanceType": "p5.48xlarge",
    "zone": "us-west-2b",
    "nodes": {"max": 2},
    "efa": "static",
    "placementGroup": "create",
    "maxJobDuration": "72h",
    "terminationGracePeriod": "1h",
    "checkpointTime": "20m",
    "maintenanceWindow": {"schedule": "0 6 * * 1", "duration": "4h"},
    "taints": [{"key": "example.com/team", "value": "research"}],
}
RESERVED = {
    "name": "reserved",
    "instanceType": "p5.48xlarge",
    "zone": "us-west-2c",
    "nodes": {"fixed": 1},
    "efa": "static",
    "placementGroup": {"id": "pg-0123456789abcdef0"},
    "capacity": {"kind": "odcr", "reservationIds": ["cr-0123456789abcdef0"]},
}
SPOT = {
    "name": "spot",
    "instanceType": "trn1.2xlarge",
    "zone": "us-west-2a",
    "nodes": {"max": 1},
    "efa": "off",
    "placementGroup": "none",
    "capacity": {"kind": "spot"},
}
GENERAL = {
    "name": "general",
    "limits": {"cpu": 64, "memoryGiB": 256},
    "maintenanceWindow": {"schedule": "0 6 * * 1", "duration": "4h"},
    "taints": [{"key": "example.com/team", "value": "research"}],
}

OURS: Mapping[str, Any] = edited(
    stack_environment("sandbox"),
    {
        "nodePools": [P5, RESERVED, SPOT],
        "generalPools": [GENERAL],
        "namespaces": storage_namespaces.SAMPLE,
        "storage": {**storage_buckets.SAMPLE, **storage_lustre.SAMPLE, "efs": storage_efs.SAMPLE},
        "platform": {
            **device_plugins.SAMPLE,
            **slurm.SAMPLE,
            **schedulers.SAMPLE,
            **kueue.SAMPLE,
            **jupyterhub.SAMPLE,
            **monitoring.SAMPLE,
        },
        "secrets": platform_secrets.SAMPLE,
        "teams": teams.SAMPLE,
        # Room for whatever the edits add.
        "systemNodes.instanceType": "m7i.8xlarge",
        "network.natGateways": "single",
        "network.natZone": "us-west-2a",
        "network.flowLogs": {"retentionDays": 30, "traffic": "all"},
        "cluster.encryption.kmsKey": "create",
    },
)
"""The sandbox's environment with something in every list, in a VPC of ours."""

THEIRS: Mapping[str, Any] = edited(
    {key: value for key, value in OURS.items() if key != "network"},
    {
        "platform.slurm.accounting": slurm.EXISTING,
        "secrets": platform_secrets.IN_AWS,
        "network.zones": OURS["network"]["zones"],
        "network.existing": {
            "vpcId": "vpc-0123456789abcdef0",
            "cidr": "10.99.0.0/16",
            "privateSubnets": {
                zone: f"subnet-0123456789abcdef{number}" for number, zone in enumerate(OURS["network"]["zones"])
            },
        },
    },
)
"""The same in a VPC of another team, with Slurm's records in a database of theirs and keys in AWS Secrets Manager."""


def _edit(path: str, value: object, **others: object) -> Edit:
    return Edit(values={path: value, **{key.replace("__", "."): other for key, other in others.items()}}, base=OURS)


_ROLE = "arn:aws:iam::111122223333:role"
_POOL, _GENERAL = "nodePools.0", "generalPools.0"


def _of_a_pool(where: str, index: str) -> dict[str, Edit]:
    """Edits that accelerated and general pools have in common."""
    values: dict[str, object] = {
        "maintenanceWindow.schedule": "0 8 * * 2",
        "maintenanceWindow.duration": "2h",
        "maintenanceWindow.nodes": 2,
        "rootVolume.sizeGiB": 300,
        "rootVolume.iops": 4000,
        "rootVolume.throughputMiBps": 200,
        "kubelet": {"topologyManagerPolicy": "best-effort"},
        "labels": {"example.com/team": "research"},
        "taints.0.key": "example.com/group",
        "taints.0.value": "other",
        "taints.0.effect": "NoExecute",
    }
    return {f"{where}.{name.replace('.0.', '[].')}": _edit(f"{index}.{name}", value) for name, value in values.items()}


EDITS: Mapping[str, Edit] = {
    "owner": _edit("owner", "other-team"),
    "tags": _edit("tags", {"costCenter": "4712"}),
    "iam.permissionsBoundaryArn": _edit(
        "iam.permissionsBoundaryArn", "arn:aws:iam::111122223333:policy/developer-boundary"
    ),
    "iam.rolePath": _edit("iam.rolePath", "/ml-platform/"),
    "lifecycle.protectData": _edit("lifecycle.protectData", True),
    "lifecycle.deletionProtection": _edit("lifecycle.deletionProtection", True),
    "admission.elsewhere": _edit("admission.elsewhere", "warn"),
    "network.cidr": _edit("network.cidr", "10.50.0.0/16"),
    "network.existing.vpcId": Edit(values={"network.existing.vpcId": "vpc-0fedcba9876543210"}, base=THEIRS),
    "network.existing.cidr": Edit(values={"network.existing.cidr": "10.98.0.0/16"}, base=THEIRS),
    "network.existing.privateSubnets": Edit(
        values={"network.existing.privateSubnets.us-west-2a": "subnet-0fedcba9876543210"}, base=THEIRS
    ),
    "network.zones": _edit("network.zones", ["us-west-2c", "us-west-2b", "us-west-2a"]),
    "network.natGateways": _edit("network.natGateways", "perZone", network__natZone=None),
    "network.natZone": _edit("network.natZone", "us-west-2b"),
    "network.endpoints": _edit("network.endpoints", "private"),
    "network.flowLogs.retentionDays": _edit("network.flowLogs.retentionDays", 90),
    "network.flowLogs.traffic": _edit("network.flowLogs.traffic", "rejected"),
    "cluster.kubernetesVersion": _edit("cluster.kubernetesVersion", "1.36"),
    "cluster.supportType": _edit("cluster.supportType", "STANDARD"),
    "cluster.endpoint.publicCidrs": _edit("cluster.endpoint.publicCidrs", ["203.0.113.0/24"]),
    # Not the tunnel: none is open here, and a stack that is up asks its API server.
    "cluster.endpoint.reachableFrom": _edit(
        "cluster.endpoint.reachableFrom", "publicCidrs", cluster__endpoint__publicCidrs=["203.0.113.0/24"]
    ),
    "cluster.serviceCidr": _edit("cluster.serviceCidr", "172.21.0.0/16"),
    "cluster.encryption.kmsKey": _edit("cluster.encryption.kmsKey", "none"),
    "cluster.logRetentionDays": _edit("cluster.logRetentionDays", 30),
    "cluster.addonVersions": _edit("cluster.addonVersions", {"coredns": "v1.2.3-eksbuild.4"}),
    "cluster.access[].principal": _edit("cluster.access.1.principal", f"{_ROLE}/other"),
    "cluster.access[].level": _edit("cluster.access.1.level", "view"),
    "cluster.access[].namespaces": _edit("cluster.access.1.namespaces", ["team-b"]),
    "cluster.access[].deployer": _edit("cluster.access.0.deployer", False),
    "systemNodes.instanceType": _edit("systemNodes.instanceType", "m7i.12xlarge"),
    "systemNodes.zone": _edit("systemNodes.zone", "us-west-2c"),
    "systemNodes.count": _edit("systemNodes.count", 4),
    "karpenter.replicas": _edit("karpenter.replicas", 3),
    "karpenter.cpuMillis": _edit("karpenter.cpuMillis", 1500),
    "karpenter.memoryMiB": _edit("karpenter.memoryMiB", 2048),
    "karpenter.nodeRepair": _edit("karpenter.nodeRepair", True),
    "amiRelease": _edit("amiRelease", "v20261101"),
    "nodePools[].name": Edit(
        values={
            f"{_POOL}.name": "large",
            "storage.lustre.0.pools": ["large"],
            "platform.slurm.nodeSets.0.pool": "large",
            "platform.jupyterhub.profiles.0.pool": "large",
            "teams.0.quota": {"large": 16},
            "teams.0.queue.guaranteedNodes": {"large": 1},
        },
        base=OURS,
    ),
    "nodePools[].instanceType": _edit(f"{_POOL}.instanceType", "p5en.48xlarge"),
    # Not the one whose nodes mount file systems of their zone.
    "nodePools[].zone": _edit("nodePools.1.zone", "us-west-2a"),
    "nodePools[].nodes.max": _edit(f"{_POOL}.nodes.max", 3),
    "nodePools[].nodes.fixed": _edit("nodePools.1.nodes.fixed", 2),
    "nodePools[].efa": _edit(f"{_POOL}.efa", "onRequest"),
    "nodePools[].placementGroup": _edit(f"{_POOL}.placementGroup", "none"),
    "nodePools[].placementGroup.id": _edit("nodePools.1.placementGroup.id", "pg-0fedcba9876543210"),
    "nodePools[].capacity.kind": _edit(f"{_POOL}.capacity", {"kind": "spot", "acceptInterruption": True}),
    "nodePools[].capacity.reservationIds": _edit("nodePools.1.capacity.reservationIds", ["cr-0fedcba9876543210"]),
    "nodePools[].capacity.acceptInterruption": _edit("nodePools.2.capacity.acceptInterruption", True),
    "nodePools[].maxJobDuration": _edit(f"{_POOL}.maxJobDuration", "24h"),
    "nodePools[].expireAfter": _edit(f"{_POOL}.expireAfter", "720h"),
    "nodePools[].consolidateAfter": _edit(f"{_POOL}.consolidateAfter", "1h"),
    "nodePools[].terminationGracePeriod": _edit(f"{_POOL}.terminationGracePeriod", "2h"),
    "nodePools[].checkpointTime": _edit(f"{_POOL}.checkpointTime", "30m"),
    **_of_a_pool("nodePools[]", _POOL),
    "generalPools[].name": Edit(
        values={f"{_GENERAL}.name": "services", "platform.jupyterhub.profiles.1.generalPool": "services"}, base=OURS
    ),
    "generalPools[].limits.cpu": _edit(f"{_GENERAL}.limits.cpu", 128),
    "generalPools[].limits.memoryGiB": _edit(f"{_GENERAL}.limits.memoryGiB", 512),
    "generalPools[].instanceFamilies": _edit(f"{_GENERAL}.instanceFamilies", ["m7i"]),
    "generalPools[].minVcpus": _edit(f"{_GENERAL}.minVcpus", 8),
    "generalPools[].maxVcpus": _edit(f"{_GENERAL}.maxVcpus", 32),
    "generalPools[].zones": _edit(f"{_GENERAL}.zones", ["us-west-2b"]),
    "generalPools[].capacity": _edit(f"{_GENERAL}.capacity", "spotOrOnDemand"),
    "generalPools[].expireAfter": _edit(f"{_GENERAL}.expireAfter", "360h"),
    "generalPools[].consolidateAfter": _edit(f"{_GENERAL}.consolidateAfter", "10m"),
    **_of_a_pool("generalPools[]", _GENERAL),
    **{
        path: Edit(values=values, base=OURS)
        for part in (
            storage_namespaces,
            storage_buckets,
            storage_lustre,
            storage_efs,
            device_plugins,
            slurm,
            schedulers,
            kueue,
            jupyterhub,
            monitoring,
            platform_secrets,
            teams,
        )
        for path, values in part.EDITS.items()
    },
    **{
        path: Edit(values=values, base=THEIRS)
        for found in (slurm.EDITS_OF_EXISTING, platform_secrets.EDITS_IN_AWS)
        for path, values in found.items()
    },
    "artifacts.charts": _edit("artifacts.charts", "/srv/charts"),
    "artifacts.images": _edit("artifacts.images", "registry.example.com/mirror"),
}
"""Path of a field as docs/configuration.md writes it -> an edit of it."""


def fields(path: str = "", section: type[Section] = Environment) -> Iterator[tuple[str, FieldInfo]]:
    """Every field that says what a change of it does: sections say `per field`."""
    for name, info in section.model_fields.items():
        inner = list(sections_in(info.annotation))
        step = f"{path}.{info.alias or name}".removeprefix(".")
        if says(info)["onChange"] != "per field":
            yield step, info
        for each in inner:
            yield from fields(step + ("[]" if is_list(info.annotation) else ""), each)


def says(info: FieldInfo) -> Mapping[str, Any]:
    """What a field's documentation holds besides its description."""
    assert isinstance(info.json_schema_extra, Mapping)
    return info.json_schema_extra


def that_replace() -> Mapping[str, Sequence[str]]:
    """Path -> what the field says it replaces."""
    return {path: says(info).get("replaces", ()) for path, info in fields() if says(info)["onChange"] == "REPLACES"}


def that_do_not() -> Sequence[str]:
    return [path for path, info in fields() if says(info)["onChange"] != "REPLACES"]
