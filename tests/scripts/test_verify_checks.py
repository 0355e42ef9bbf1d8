"""What `./scripts/verify` says of a cluster in which one thing is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from components.catalog.karpenter import INSTANCE_TYPE, PLACEMENT_GROUP, ZONE
from scripts.draining.slurm import Slurm
from scripts.findings import Level
from scripts.reaching import ToolError
from scripts.verifying.cluster import Cluster
from stacks.environment import Environment
from tests.scripts.fake_cluster import obj
from tests.scripts.working_cluster import FakeSlurm, environment, find, node, raw, said, without, working

Broken = Callable[[Cluster], Cluster | None]


@pytest.fixture(scope="module")
def spec() -> Environment:
    return environment()


@pytest.fixture
def cluster(spec: Environment) -> Cluster:
    return working(spec)


def change(kind: str, name: str, path: str, value: object) -> Broken:
    """Sets one value; `None` takes it away."""

    def broken(cluster: Cluster) -> None:
        at: Any = find(cluster, kind, name)
        parents: list[str]
        last: Any
        *parents, last = path.split("|")
        for key in parents:
            at = at[int(key)] if isinstance(at, list) else at.setdefault(key, {})
        last = int(last) if isinstance(at, list) else last
        if value is None:
            del at[last]
        else:
            at[last] = value

    return broken


def lacks(kind: str, name: str) -> Broken:
    return lambda cluster: without(cluster, kind, name)


def release(chart_name: str, **values: str) -> Broken:
    return lambda cluster: replace(
        cluster, releases=[{**each, **values} if each["name"] == chart_name else each for each in cluster.releases]
    )


def extra(item: dict[str, Any]) -> Broken:
    return lambda cluster: replace(cluster, objects=[*cluster.objects, item])


def test_a_cluster_in_which_all_works_has_no_finding(cluster: Cluster) -> None:
    assert said(cluster) == []


PENDING = obj("PersistentVolumeClaim", "new", spec={"storageClassName": "late"}, status={"phase": "Pending"})
USER = obj("Pod", "reader", spec={"volumes": [{"persistentVolumeClaim": {"claimName": "data"}}]}, status={})
EFA = "vpc.amazonaws.com/efa"

FAULTS: list[tuple[Broken, Level, str, str]] = [
    (change("Node", "p5-0", "status|conditions|0|status", "Unknown"), Level.ERROR, "Node/p5-0", "takes no pods"),
    (
        change("Node", "p5-0", "status|conditions", [{"type": t, "status": "True"} for t in ("Ready", "DiskPressure")]),
        Level.WARNING,
        "DiskPressure",
        "The kubelet reports it",
    ),
    (change("Node", "p5-0", "spec|unschedulable", True), Level.WARNING, "cordoned", "kubectl uncordon p5-0"),
    (
        change("Node", "p5-0", "spec|taints", [{"key": "fsx.csi.aws.com/agent-not-ready", "effect": "NoExecute"}]),
        Level.ERROR,
        "fsx.csi.aws.com/agent-not-ready",
        "has not lifted its startup taint",
    ),
    (change("Node", "system-0", "metadata|labels", {}), Level.ERROR, "none with", "No system node is there"),
    (lacks("NodePool", "trn1"), Level.ERROR, "NodePool/trn1 = missing", "pulumi up"),
    (lacks("NodePool", "general"), Level.ERROR, "NodePool/general = missing", "pulumi up"),
    (
        change(
            "EC2NodeClass",
            "p5",
            "status|conditions",
            [
                {"type": "Ready", "status": "False"},
                {"type": "PlacementGroupReady", "status": "False", "reason": "PlacementGroupNotFound"},
            ],
        ),
        Level.ERROR,
        "EC2NodeClass/p5 = Ready=False",
        "PlacementGroupReady: PlacementGroupNotFound",
    ),
    (change("NodePool", "p5", "status", {}), Level.UNKNOWN, "NodePool/p5", "Karpenter has not looked at it"),
    (
        change(
            "NodeClaim",
            "p5-x",
            "status|conditions|1",
            {"type": "Registered", "status": "False", "reason": "NodeNotFound"},
        ),
        Level.ERROR,
        "not Registered",
        "is no node yet (NodeNotFound)",
    ),
    (
        change("Node", "p5-0", f"metadata|labels|{INSTANCE_TYPE}", "p5.4xlarge"),
        Level.ERROR,
        "p5.4xlarge",
        "p5.48xlarge only",
    ),
    (change("Node", "p5-0", f"status|capacity|{EFA}", None), Level.ERROR, f"0 of 32 {EFA}", "train over TCP"),
    (change("Node", "trn1-0", f"status|capacity|{EFA}", "7"), Level.ERROR, f"7 of 8 {EFA}", "replace the node"),
    (
        change("Node", "p5-0", "status|capacity|nvidia.com/gpu", None),
        Level.ERROR,
        "0 of 8 nvidia.com/gpu",
        "no pod gets one",
    ),
    (change("Node", "p5-0", "status|capacity|nvidia.com/gpu", "16"), Level.ERROR, "16 of 8", "shared or sliced"),
    (
        change("Node", "p5-0", "status|allocatable|nvidia.com/gpu", "7"),
        Level.ERROR,
        "7 of 8 nvidia.com/gpu allocatable",
        "reports the rest as broken",
    ),
    (
        change("Node", "trn1-0", "status|capacity|aws.amazon.com/neuron", "32"),
        Level.ERROR,
        "32 of 16 aws.amazon.com/neuron",
        "shared or sliced",
    ),
    (
        change("Node", "p5-0", f"metadata|labels|{ZONE}", "us-west-2a"),
        Level.ERROR,
        "us-west-2a",
        "does not leave a zone",
    ),
    (
        change("Node", "p5-0", f"metadata|labels|{PLACEMENT_GROUP}", None),
        Level.ERROR,
        "no karpenter",
        "in no placement group",
    ),
    (
        lacks("DaemonSet", "aws-efa-k8s-device-plugin"),
        Level.ERROR,
        "aws-efa-k8s-device-plugin = missing",
        "pools p5, trn1",
    ),
    (
        lacks("Pod", "aws-efa-k8s-device-plugin-trn1-0"),
        Level.ERROR,
        "Node/trn1-0 = no Ready pod of DaemonSet/kube-system/aws-efa-k8s-device-plugin",
        "aws.amazon.com/neuron:NoSchedule",
    ),
    (
        change("Pod", "neuron-helm-chart-trn1-0", "status", {}),
        Level.ERROR,
        "Node/trn1-0 = no Ready pod",
        "neuron-helm-chart",
    ),
    (lacks("Pod", "nvidia-device-plugin-p5-0"), Level.ERROR, "Node/p5-0 = no Ready pod", "nvidia.com/gpu"),
    (release("volcano", chart="volcano-1.14.0"), Level.ERROR, "volcano-system/volcano = 1.14.0", "The pin is 1.15.2"),
    (release("karpenter", status="pending-upgrade"), Level.ERROR, "pending-upgrade", "./scripts/unstick"),
    (release("karpenter", name="other"), Level.ERROR, "Release/kube-system/karpenter = missing", "pulumi up"),
    (lacks("Deployment", "mpi-operator"), Level.ERROR, "mpi-operator = missing", "has this part"),
    (
        change(
            "Deployment", "mpi-operator", "spec|template|spec|containers", [{"image": "mpioperator/mpi-operator:0.8"}]
        ),
        Level.ERROR,
        "mpi-operator:0.8",
        "The pin is 0.8.2",
    ),
    (change("Deployment", "mpi-operator", "status", {}), Level.ERROR, "0 of 1 pods ready", "not up"),
    (
        change("CustomResourceDefinition", "mpijobs.kubeflow.org", "status", {}),
        Level.ERROR,
        "not Established",
        "does not serve its kind",
    ),
    (change("APIService", "v1.metrics.k8s.io", "status", {}), Level.ERROR, "not Available", "deletion hangs"),
    (extra(PENDING), Level.NOTE, "PersistentVolumeClaim/team/new = Pending", "waits for its first pod"),
    (
        change("StorageClass", "late", "volumeBindingMode", "Immediate"),
        Level.ERROR,
        "PersistentVolumeClaim/team/data = Pending",
        "do not start",
    ),
    (
        change("PersistentVolumeClaim", "data", "status|phase", "Lost"),
        Level.ERROR,
        "PersistentVolumeClaim/team/data = Lost",
        "bring the volume back",
    ),
    (change("PersistentVolume", "pv-1", "status|phase", "Failed"), Level.ERROR, "Failed", "could not be deleted"),
    (lacks("ValidatingAdmissionPolicy", "workloads-efa"), Level.ERROR, "workloads-efa = missing", "refuses nothing"),
    (lacks("ValidatingAdmissionPolicyBinding", "workloads-mpi"), Level.ERROR, "workloads-mpi = missing", "should deny"),
    (
        change("ValidatingAdmissionPolicyBinding", "workloads-mpi", "spec|validationActions", ["Audit"]),
        Level.ERROR,
        "Audit",
        "should deny",
    ),
    (
        change(
            "ValidatingAdmissionPolicy",
            "workloads-mpi",
            "status",
            {"typeChecking": {"expressionWarnings": [{"fieldRef": "spec.validations[0]", "warning": "no such key"}]}},
        ),
        Level.WARNING,
        "spec.validations[0]",
        "no such key",
    ),
    (
        change("ConfigMap", "training-pools", "data|p5.efa", "16"),
        Level.ERROR,
        "p5.efa",
        "does not say what the environment",
    ),
    (lacks("ConfigMap", "training-pools"), Level.ERROR, "training-pools = missing", "pulumi up"),
    (
        change("ValidatingWebhookConfiguration", "hooks", "webhooks|0|clientConfig|caBundle", None),
        Level.ERROR,
        "a.b.c has no caBundle",
        "does not trust the webhook",
    ),
]


@pytest.mark.parametrize(("broken", "level", "seen", "reason"), FAULTS, ids=[fault[2] for fault in FAULTS])
def test_one_broken_thing_is_named_with_a_way_out(
    cluster: Cluster, broken: Broken, level: Level, seen: str, reason: str
) -> None:
    if "Pending" in seen and level is Level.ERROR:
        find(cluster, "PersistentVolumeClaim", "data")["status"]["phase"] = "Pending"
    findings = said(broken(cluster) or cluster)
    assert len(findings) == 1, [each.lines() for each in findings]
    assert findings[0].level is level
    text = "\n".join(findings[0].lines())
    assert seen in text
    assert reason in text
    assert findings[0].way_out


def test_a_claim_that_a_pod_mounts_waits_for_nobody(cluster: Cluster) -> None:
    find(cluster, "PersistentVolumeClaim", "data")["status"]["phase"] = "Pending"
    (finding,) = said(replace(cluster, objects=[*cluster.objects, USER]))
    assert finding.level is Level.ERROR


def test_nodes_of_one_pool_in_two_groups_are_named(cluster: Cluster) -> None:
    second = node(cluster.environment.node_pools[0], "p5-1")
    second["metadata"]["labels"][PLACEMENT_GROUP] = "pg-0b"
    pods = [
        {**each, "spec": {"nodeName": "p5-1"}} for each in cluster.of("Pod") if each["spec"].get("nodeName") == "p5-0"
    ]
    (finding,) = said(replace(cluster, objects=[*cluster.objects, second, *pods]))
    assert finding.seen == {"pg-0a": 1, "pg-0b": 1}


def test_a_node_in_another_group_than_the_file_names_is_named() -> None:
    (finding,) = said(working(with_p5(placementGroup={"id": "pg-0c"})))
    assert finding.field == "NodePool/p5"
    assert "The file names pg-0c" in finding.reason


def test_an_empty_pool_that_grows_on_demand_is_a_note_and_says_what_was_not_looked_at(cluster: Cluster) -> None:
    (finding,) = said(without(cluster, "Node", "p5-0"))
    assert finding.level is Level.NOTE
    assert "were not looked at" in finding.reason


def test_a_fixed_pool_with_too_few_nodes_is_an_error() -> None:
    (finding,) = said(working(with_p5(nodes={"fixed": 2})))
    assert finding.field == "NodePool/p5-fixed"
    assert finding.seen == "1 of 2 nodes Ready"


def test_a_pool_with_efa_on_request_may_have_nodes_without() -> None:
    cluster = working(with_p5(efa="onRequest"))
    del find(cluster, "Node", "p5-0")["status"]["capacity"][EFA]
    (finding,) = said(cluster)
    assert finding.level is Level.NOTE
    assert "do not ask for EFA" in finding.reason


def test_a_cluster_without_nodes_is_one_finding_of_that_kind(cluster: Cluster) -> None:
    nodes = [each for each in said(replace(cluster, objects=[])) if each.check == "nodes"]
    assert [each.seen for each in nodes] == ["none"]


def test_workloads_of_teams_are_nobodys_business(cluster: Cluster) -> None:
    theirs = obj("Deployment", "app", namespace="team-a", spec={"replicas": 3}, status={})
    assert said(replace(cluster, objects=[*cluster.objects, theirs])) == []


def test_the_plugin_of_the_gpu_operator_counts() -> None:
    cluster = working(environment(platform={**raw()["platform"], "nvidia": {"gpuOperator": {}}}))
    assert [each.field for each in said(cluster)] == ["DaemonSet/gpu-operator"]
    plugin = find(cluster, "DaemonSet", "nvidia-device-plugin")
    plugin["metadata"] |= {"name": "nvidia-device-plugin-daemonset", "namespace": "gpu-operator", "annotations": {}}
    pod = find(cluster, "Pod", "nvidia-device-plugin-p5-0")
    pod["metadata"]["namespace"] = "gpu-operator"
    pod["metadata"]["ownerReferences"][0]["name"] = "nvidia-device-plugin-daemonset"
    assert said(cluster) == []


@pytest.mark.parametrize(
    ("row", "level", "reason"),
    [
        ("{0}-0|down*|{1}|{0}|Not responding", Level.ERROR, "No job starts on it (Not responding)"),
        ("{0}-0|inval|{1}|{0}|gres/gpu count reported lower than configured", Level.ERROR, "reported lower"),
        ("{0}-0|drained|{1}|{0}|bad disk", Level.WARNING, "No new job starts on it (bad disk)"),
        ("{0}-0|drained|{1}|{0}|drain before destroy", Level.NOTE, "./scripts/drain --undo"),
        ("{0}-0|mixed|(null)|{0}|none", Level.ERROR, "jobs that ask for devices do not start"),
        ("{0}-0|idle|gpu:a100:4|{0}|none", Level.ERROR, "GRES gpu:a100:4"),
        ("other-0|idle|{1}|other|none", Level.ERROR, "0 of 1 nodes in sinfo"),
    ],
)
def test_one_fault_of_a_slurm_node_is_named(row: str, level: Level, reason: str) -> None:
    spec = slurm_environment()
    cluster = working(spec)
    assert said(cluster) == []
    text = row.format("p4d", "gpu:a100:8")
    findings = said(replace(cluster, slurm=cast(Slurm, FakeSlurm(text))))
    assert [each.level for each in findings] == [level]
    assert reason in "\n".join(findings[0].lines())


def with_p5(**fields: Any) -> Environment:
    """The environment with another first pool."""
    first, *rest = raw()["nodePools"]
    return environment(nodePools=[{**first, **fields}, *rest])


def slurm_environment() -> Environment:
    platform = raw("staging")["platform"]
    (node_set,) = platform["slurm"]["nodeSets"]
    slurm = {**platform["slurm"], "nodeSets": [{**node_set, "replicas": 1}]}
    return environment("staging", platform={**platform, "slurm": slurm})


def test_a_slurm_that_does_not_run_is_not_taken_for_a_good_one() -> None:
    (finding,) = said(replace(working(slurm_environment()), slurm=None))
    assert finding.level is Level.UNKNOWN
    assert "could not be asked" in finding.reason


def test_a_slurm_that_does_not_answer_leaves_the_other_checks_alone() -> None:
    class Silent(FakeSlurm):
        def tell(self, *_: str) -> str:
            raise ToolError("sinfo: error: no contact")

    cluster = replace(working(slurm_environment()), slurm=cast(Slurm, Silent("")))
    find(cluster, "PersistentVolume", "pv-1")["status"]["phase"] = "Failed"
    assert [each.check for each in said(cluster)] == ["storage", "slurm"]


STAND_IN = {"labels": {"eks-training-platform/stand-in": "true"}}


def test_in_the_sandbox_what_is_simulated_is_a_note_and_no_fault() -> None:
    cluster = replace(working(slurm_environment()), slurm=None, sandbox=True)
    del find(cluster, "ValidatingWebhookConfiguration", "hooks")["webhooks"][0]["clientConfig"]["caBundle"]
    (finding,) = said(cluster)
    assert finding.level is Level.NOTE
    assert "no pod runs in the sandbox" in finding.reason


def test_a_stand_in_for_a_chart_is_named_and_its_plugin_not_missed(cluster: Cluster) -> None:
    done = {"spec": {"replicas": 1}, "status": {"availableReplicas": 1}}
    stand_in = obj("Deployment", "neuron-helm-chart", namespace="kube-system", meta=STAND_IN, **done)
    without_plugin = without(cluster, "DaemonSet", "neuron-helm-chart")
    (finding,) = said(replace(without_plugin, objects=[*without_plugin.objects, stand_in]))
    assert finding.seen == "a stand-in"
    assert "What neuron-helm-chart installs was not looked at" in finding.reason


@pytest.mark.parametrize(
    ("tag", "fields"), [("v0.19.2", []), ("v0.18.0", ["Deployment/kueue-system/kueue-controller-manager"])]
)
def test_kueue_which_is_no_release_is_known_by_its_image(tag: str, fields: list[str]) -> None:
    queues = {"queues": [{"name": "q", "namespaces": ["team-a"], "quota": {"trn1": 1}}]}
    cluster = working(environment(platform={**raw()["platform"], "kueue": queues}))
    pod = {"containers": [{"image": f"registry.k8s.io/kueue/kueue:{tag}@sha256:0"}]}
    done = {"spec": {"replicas": 1, "template": {"spec": pod}}, "status": {"availableReplicas": 1}}
    kueue = obj("Deployment", "kueue-controller-manager", namespace="kueue-system", **done)
    assert [each.field for each in said(replace(cluster, objects=[*cluster.objects, kueue]))] == fields
