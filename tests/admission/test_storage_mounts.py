"""Pods that mount Lustre, EFS and S3 before the real scheduler: where their volumes let them run, and nowhere else.

The volumes and claims are those that `components.storage.volumes` registers, applied to a real API server and bound by
its real controllers. Nothing is mounted: nodes are simulated.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pulumi_kubernetes as k8s
import pytest
from pulumi import ResourceOptions

from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER, S3_DRIVER
from components.storage.volumes import StaticVolume, StaticVolumeArgs
from tests.admission.support import Sandbox, eventually

pytestmark = pytest.mark.admission

NAMESPACE = "mounts"
HERE, THERE = "us-west-2b", "us-west-2a"
LUSTRE = StaticVolumeArgs(
    driver=LUSTRE_DRIVER,
    handle="fs-0123456789abcdef0",
    attributes={"dnsname": "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com", "mountname": "fsxabcde"},
    capacity_gib=4800,
    namespaces=[NAMESPACE],
    claim="lustre-data",
    mount_options=["flock"],
    zone=HERE,
)
EFS = StaticVolumeArgs(
    driver=EFS_DRIVER,
    handle="fs-0123456789abcdef1::fsap-0123456789abcdef0",
    attributes={},
    capacity_gib=1,
    namespaces=[NAMESPACE],
    claim="efs-home-shared",
    mount_options=["tls"],
)
S3 = StaticVolumeArgs(
    driver=S3_DRIVER,
    handle="s3-datasets",
    attributes={"bucketName": "datasets"},
    capacity_gib=1,
    namespaces=[NAMESPACE],
    claim="s3-datasets",
    mount_options=["read-only"],
    read_only=True,
)
ALL = [volume.claim for volume in (LUSTRE, EFS, S3)]
CONFLICT = "didn't match PersistentVolume's node affinity"


def pool(name: str, zone: str) -> list[dict[str, Any]]:
    """A pool of one zone and its node class; its nodes start with no taint that keeps the test's pods off."""
    spec = {
        "role": "nodes",
        "amiSelectorTerms": [{"alias": "al2023@v20261023"}],
        "subnetSelectorTerms": [{"id": "subnet-1"}],
        "securityGroupSelectorTerms": [{"id": "sg-1"}],
    }
    requirements = [
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]},
    ]
    template = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name},
        "expireAfter": "Never",
        "requirements": requirements,
    }
    return [
        {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": name}, "spec": spec},
        {
            "apiVersion": "karpenter.sh/v1",
            "kind": "NodePool",
            "metadata": {"name": name},
            "spec": {"template": {"spec": template}},
        },
    ]


@pytest.fixture(scope="module")
def mounts(sandbox: Sandbox, build: Callable[..., Any]) -> Iterator[Sandbox]:
    """The cluster with a pool in each of two zones and the three volumes, bound to their claims."""

    def program() -> None:
        provider = k8s.Provider("k8s", kubeconfig="{}")
        for volume in (LUSTRE, EFS, S3):
            StaticVolume(volume.claim, volume, opts=ResourceOptions(providers=[provider]))

    made = build(program)
    kinds = ("kubernetes:core/v1:PersistentVolume", "kubernetes:core/v1:PersistentVolumeClaim")
    objects = [json.loads(json.dumps(dict(each.inputs))) for kind in kinds for each in made.of_type(kind)]
    assert len(objects) == 6
    pools = [*pool("here", HERE), *pool("there", THERE)]
    sandbox.kubectl("create", "namespace", NAMESPACE)
    sandbox.apply(*objects, *pools)
    for claim in ALL:
        sandbox.kubectl(
            "wait", "-n", NAMESPACE, f"pvc/{claim}", "--for=jsonpath={.status.phase}=Bound", "--timeout=60s"
        )
    selector = "karpenter.sh/nodepool in (here,there)"
    eventually(lambda: len(sandbox.get("nodes", "-l", selector)["items"]) == 4, "nodes")
    yield sandbox
    for kind, name in (
        ("nodepool", "here"),
        ("nodepool", "there"),
        ("ec2nodeclass", "here"),
        ("ec2nodeclass", "there"),
    ):
        sandbox.kubectl("delete", kind, name, "--timeout=60s")
    eventually(lambda: not sandbox.get("nodes", "-l", selector)["items"], "the pools' nodes are gone")
    for kind in ("pods", "pvc"):
        sandbox.kubectl("delete", kind, "--all", "-n", NAMESPACE, "--timeout=60s")
    sandbox.kubectl("delete", "pv", *[f"{claim}.{NAMESPACE}" for claim in ALL], "--timeout=60s")
    sandbox.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def pod(name: str, claims: list[str], **spec: Any) -> dict[str, Any]:
    volumes = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    mounted = [{"name": claim, "mountPath": f"/mnt/{claim}"} for claim in claims]
    container = {"name": "main", "image": "nowhere.invalid/image:1", "volumeMounts": mounted}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"containers": [container], "volumes": volumes, **spec},
    }


def node_of(sandbox: Sandbox, name: str) -> dict[str, Any]:
    sandbox.kubectl("wait", "-n", NAMESPACE, f"pod/{name}", "--for=condition=Ready", "--timeout=60s")
    return dict(sandbox.get("node", sandbox.get("pod", name, "-n", NAMESPACE)["spec"]["nodeName"]))


def refusal(sandbox: Sandbox, name: str) -> str:
    """What the scheduler says of a pod that it cannot place."""
    sandbox.kubectl("wait", "-n", NAMESPACE, f"pod/{name}", "--for=condition=PodScheduled=false", "--timeout=60s")
    status = sandbox.get("pod", name, "-n", NAMESPACE)["status"]
    assert status["phase"] == "Pending"
    [condition] = [each for each in status["conditions"] if each["type"] == "PodScheduled"]
    assert condition["reason"] == "Unschedulable"
    return str(condition["message"])


@pytest.mark.parametrize("claim", ALL)
def test_a_claim_binds_the_volume_that_was_made_for_it(mounts: Sandbox, claim: str) -> None:
    bound = mounts.get("pvc", claim, "-n", NAMESPACE)
    assert bound["spec"]["volumeName"] == f"{claim}.{NAMESPACE}"
    volume = mounts.get("pv", bound["spec"]["volumeName"])
    assert volume["status"]["phase"] == "Bound"
    assert volume["spec"]["claimRef"]["uid"] == bound["metadata"]["uid"]
    assert bound["status"]["accessModes"] == (["ReadOnlyMany"] if claim == S3.claim else ["ReadWriteMany"])


def test_a_pod_that_mounts_all_three_runs_in_the_zone_of_lustre(mounts: Sandbox) -> None:
    mounts.apply(pod("all", ALL))
    assert node_of(mounts, "all")["metadata"]["labels"]["topology.kubernetes.io/zone"] == HERE


def test_more_of_them_than_its_pool_holds_do_not_spill_into_another_zone(mounts: Sandbox) -> None:
    """Each of two pods fills a node of the zone; the third waits, although the other zone has room."""
    selector = {"topology.kubernetes.io/zone": HERE, "karpenter.sh/nodepool": "here"}
    whole = {"resources": {"requests": {"cpu": "150"}}}
    for number in range(3):
        filler = pod(f"big-{number}", ALL)
        filler["spec"]["containers"][0] |= whole
        mounts.apply(filler)
        if number < 2:
            labels = node_of(mounts, f"big-{number}")["metadata"]["labels"]
            assert {key: labels[key] for key in selector} == selector
    message = refusal(mounts, "big-2")
    assert CONFLICT in message
    assert "Insufficient cpu" in message


def test_a_pod_that_asks_for_another_zone_waits_and_the_scheduler_names_the_volume(mounts: Sandbox) -> None:
    mounts.apply(pod("elsewhere", ALL, nodeSelector={"topology.kubernetes.io/zone": THERE}))
    assert CONFLICT in refusal(mounts, "elsewhere")


def test_a_pod_without_lustre_runs_in_any_zone(mounts: Sandbox) -> None:
    mounts.apply(pod("anywhere", [EFS.claim, S3.claim], nodeSelector={"karpenter.sh/nodepool": "there"}))
    assert node_of(mounts, "anywhere")["metadata"]["labels"]["topology.kubernetes.io/zone"] == THERE
