"""Pools of accelerated nodes: the objects as dictionaries, then the components as the engine would see them."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.capacity import (
    GeneralNodePool,
    GeneralNodePoolArgs,
    KarpenterCrds,
    KarpenterCrdsArgs,
    KarpenterNodeRole,
    KarpenterNodeRoleArgs,
    TrainingNodePool,
    TrainingNodePoolArgs,
)
from components.capacity.node_class import node_class_labels, node_class_spec
from components.capacity.node_pool import annotations, general_pool_spec, node_pool_spec
from components.catalog.instance_types import INSTANCE_TYPES
from stacks.general_pools import GeneralPool
from stacks.node_pools import NodePool
from tests.support import ROOT

pytestmark = pytest.mark.unit


def pool(**changes: Any) -> NodePool:
    given = {
        "name": "p5",
        "instanceType": "p5.48xlarge",
        "zone": "us-west-2b",
        "nodes": {"max": 8},
        "efa": "static",
        "placementGroup": "create",
    }
    return NodePool.model_validate({**given, **changes})


def class_of(of: NodePool, **changes: Any) -> dict[str, Any]:
    given = {
        "role": "node-role",
        "subnet_id": "subnet-b",
        "security_group_ids": ["sg-cluster", "sg-efa"],
        "placement_group": "p5-group" if of.creates_placement_group else None,
        "ami_release": "v20261023",
        "tags": {"owner": "ml"},
    }
    return node_class_spec(of, **{**given, **changes})


def required(spec: dict[str, Any]) -> dict[str, list[str]]:
    entries = spec["template"]["spec"]["requirements"]
    assert {entry["operator"] for entry in entries} == {"In"}
    return {entry["key"]: entry["values"] for entry in entries}


# The node class


def test_nodes_land_in_the_one_subnet_of_their_zone():
    assert class_of(pool())["subnetSelectorTerms"] == [{"id": "subnet-b"}]


def test_nodes_carry_the_clusters_group_and_the_efa_group():
    assert class_of(pool())["securityGroupSelectorTerms"] == [{"id": "sg-cluster"}, {"id": "sg-efa"}]


def test_static_efa_lists_the_interfaces_of_the_catalog():
    interfaces = class_of(pool())["networkInterfaces"]
    assert interfaces[0] == {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    assert sum(i["interfaceType"] == "efa-only" for i in interfaces) == 32


@pytest.mark.parametrize("efa", ["onRequest", "off"])
def test_without_static_efa_karpenter_chooses_the_interfaces(efa):
    assert "networkInterfaces" not in class_of(pool(efa=efa))


@pytest.mark.parametrize(
    ("choice", "selector"),
    [
        ("create", {"name": "p5-group"}),
        ({"id": "pg-0123456789abcdef0"}, {"id": "pg-0123456789abcdef0"}),
        ("none", None),
    ],
    ids=["ours", "another's", "none"],
)
def test_the_placement_group_is_the_one_that_was_chosen(choice, selector):
    assert class_of(pool(placementGroup=choice)).get("placementGroupSelector") == selector


def test_the_image_is_pinned():
    assert class_of(pool())["amiSelectorTerms"] == [{"alias": "al2023@v20261023"}]


def test_the_root_volume_is_encrypted_and_holds_a_cuda_image():
    [disk] = class_of(pool())["blockDeviceMappings"]
    assert disk["rootVolume"] is True
    assert disk["ebs"]["encrypted"] is True
    assert disk["ebs"]["volumeType"] == "gp3"
    assert int(disk["ebs"]["volumeSize"].removesuffix("Gi")) >= 200


def test_local_disks_are_used_where_there_are_any():
    assert class_of(pool())["instanceStorePolicy"] == "RAID0"
    assert "instanceStorePolicy" not in class_of(pool(instanceType="inf2.xlarge", efa=None, placementGroup=None))


def test_pods_cannot_reach_the_instances_metadata():
    metadata = class_of(pool())["metadataOptions"]
    assert metadata["httpTokens"] == "required"
    assert metadata["httpPutResponseHopLimit"] == 1


def test_nodes_have_no_public_address():
    assert class_of(pool())["associatePublicIPAddress"] is False


def test_nodes_carry_the_tags_of_the_environment():
    assert class_of(pool())["tags"] == {"owner": "ml"}


# The pool


def test_a_pool_is_one_type_in_one_zone():
    assert required(node_pool_spec(pool())) == {
        "node.kubernetes.io/instance-type": ["p5.48xlarge"],
        "topology.kubernetes.io/zone": ["us-west-2b"],
        "karpenter.sh/capacity-type": ["on-demand"],
        "kubernetes.io/arch": ["amd64"],
    }


def test_spot_is_asked_for_by_karpenters_word():
    spot = pool(efa="off", capacity={"kind": "spot"})
    assert required(node_pool_spec(spot))["karpenter.sh/capacity-type"] == ["spot"]


@pytest.mark.parametrize(
    ("instance_type", "limits"),
    [("p5.48xlarge", {"nvidia.com/gpu": "64"}), ("trn1.32xlarge", {"aws.amazon.com/neuron": "128"})],
)
def test_a_dynamic_pool_is_limited_by_accelerators(instance_type, limits):
    spec = node_pool_spec(pool(instanceType=instance_type))
    assert spec["limits"] == limits
    assert "replicas" not in spec


def test_a_fixed_pool_has_one_node_to_spare_for_drift():
    spec = node_pool_spec(pool(nodes={"fixed": 4}))
    assert spec["replicas"] == 4
    assert spec["limits"] == {"nodes": "5"}


def test_a_paused_pool_keeps_its_kind():
    assert node_pool_spec(pool(nodes={"fixed": 0}))["replicas"] == 0


def test_no_job_is_disturbed_by_consolidation_drift_or_age():
    spec = node_pool_spec(pool())
    assert spec["disruption"]["consolidationPolicy"] == "WhenEmpty"
    assert spec["disruption"]["consolidateAfter"] == "30m"
    for reason in ("Drifted", "Underutilized"):
        assert {"nodes": "0", "reasons": [reason]} in spec["disruption"]["budgets"]
    assert spec["template"]["spec"]["expireAfter"] == "Never"
    assert "terminationGracePeriod" not in spec["template"]["spec"]


@pytest.mark.parametrize(
    ("instance_type", "taint"), [("p5.48xlarge", "nvidia.com/gpu"), ("trn1.32xlarge", "aws.amazon.com/neuron")]
)
def test_other_pods_stay_off_by_a_taint_that_the_device_plugin_tolerates(instance_type, taint):
    taints = node_pool_spec(pool(instanceType=instance_type))["template"]["spec"]["taints"]
    assert taints == [{"key": taint, "value": "true", "effect": "NoSchedule"}]


def test_nodes_say_their_pool_and_whether_they_have_efa():
    labels = node_pool_spec(pool())["template"]["metadata"]["labels"]
    assert labels == {
        "eks-training-platform/pool": "p5",
        "eks-training-platform/efa": "true",
        "eks-training-platform/accelerator": "h100",
        "eks-training-platform/capacity": "on-demand",
        "nvidia.com/gpu.present": "true",
    }
    off = node_pool_spec(pool(efa="off"))["template"]["metadata"]["labels"]
    assert off["eks-training-platform/efa"] == "false"


def test_a_neuron_node_does_not_claim_gpus():
    labels = node_pool_spec(pool(instanceType="trn1.32xlarge"))["template"]["metadata"]["labels"]
    assert "nvidia.com/gpu.present" not in labels


EBS_TAINT = {"key": "ebs.csi.aws.com/agent-not-ready", "effect": "NoExecute"}


def test_nodes_take_no_pods_before_their_csi_drivers_can_mount():
    started = node_pool_spec(pool(), ["fsx.csi.aws.com", "s3.csi.aws.com"])["template"]["spec"]["startupTaints"]
    assert started == [
        EBS_TAINT,
        {"key": "fsx.csi.aws.com/agent-not-ready", "effect": "NoExecute"},
        {"key": "s3.csi.aws.com/agent-not-ready", "effect": "NoExecute"},
    ]


def test_nodes_wait_for_no_driver_that_is_not_installed():
    assert node_pool_spec(pool())["template"]["spec"]["startupTaints"] == [EBS_TAINT]
    assert general_pool_spec(general(), ["us-west-2a"])["template"]["spec"]["startupTaints"] == [EBS_TAINT]


def test_nodes_of_a_general_pool_wait_for_the_drivers_too():
    started = general_pool_spec(general(), ["us-west-2a"], ["efs.csi.aws.com"])["template"]["spec"]["startupTaints"]
    assert started == [EBS_TAINT, {"key": "efs.csi.aws.com/agent-not-ready", "effect": "NoExecute"}]


WINDOW = {"schedule": "0 6 * * 1", "duration": "4h", "nodes": 2}


def test_in_the_maintenance_window_drift_is_allowed_and_outside_it_is_not():
    budgets = node_pool_spec(pool(maintenanceWindow=WINDOW))["disruption"]["budgets"]
    assert [budget for budget in budgets if budget["reasons"] == ["Drifted"]] == [
        {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 10 * * 1", "duration": "164h"},
        {"nodes": "2", "reasons": ["Drifted"]},
    ]


@pytest.mark.parametrize(
    ("kind", "capacity_type", "reservation_type", "label"),
    [
        ("onDemand", "on-demand", None, "on-demand"),
        ("spot", "spot", None, "spot"),
        ("odcr", "reserved", "default", "odcr"),
        ("capacityBlock", "reserved", "capacity-block", "capacity-block"),
    ],
)
def test_how_nodes_are_bought_is_required_and_labelled(kind, capacity_type, reservation_type, label):
    ids = ["cr-0123456789abcdef0"] if reservation_type else []
    of = pool(efa="off", placementGroup="none", capacity={"kind": kind, "reservationIds": ids})
    needed = required(node_pool_spec(of))
    assert needed["karpenter.sh/capacity-type"] == [capacity_type]
    assert needed.get("karpenter.k8s.aws/capacity-reservation-type") == ([reservation_type] if ids else None)
    assert node_pool_spec(of)["template"]["metadata"]["labels"]["eks-training-platform/capacity"] == label
    assert class_of(of).get("capacityReservationSelectorTerms") == ([{"id": name} for name in ids] if ids else None)


def test_accepted_interruptions_are_written_on_the_nodes():
    spot = pool(capacity={"kind": "spot", "acceptInterruption": True})
    labels = node_pool_spec(spot)["template"]["metadata"]["labels"]
    assert labels["eks-training-platform/interruption"] == "accepted"
    assert "eks-training-platform/interruption" not in node_pool_spec(pool())["template"]["metadata"]["labels"]


def test_what_a_pool_adds_reaches_its_nodes_and_never_replaces_what_is_ours():
    of = pool(
        kubelet={"topologyManagerPolicy": "restricted"},
        labels={"example.com/team": "research"},
        taints=[{"key": "example.com/team", "value": "research"}, {"key": "example.com/x", "effect": "NoExecute"}],
        rootVolume={"sizeGiB": 500, "iops": 4000, "throughputMiBps": 1000},
        maxJobDuration="168h",
        expireAfter="336h",
        terminationGracePeriod="1h",
        checkpointTime="20m",
        consolidateAfter="1h",
    )
    template = node_pool_spec(of)["template"]
    assert template["metadata"]["labels"]["example.com/team"] == "research"
    assert [taint["key"] for taint in template["spec"]["taints"]] == [
        "nvidia.com/gpu",
        "example.com/team",
        "example.com/x",
    ]
    assert "value" not in template["spec"]["taints"][2]
    assert template["spec"]["expireAfter"] == "336h"
    assert template["spec"]["terminationGracePeriod"] == "1h"
    assert node_pool_spec(of)["disruption"]["consolidateAfter"] == "1h"
    assert class_of(of)["kubelet"] == {"topologyManagerPolicy": "restricted"}
    disk = class_of(of)["blockDeviceMappings"][0]["ebs"]
    assert (disk["volumeSize"], disk["iops"], disk["throughput"]) == ("500Gi", 4000, 1000)
    assert annotations(of) == {"eks-training-platform/max-job-duration": "168h"}
    assert "kubelet" not in class_of(pool())


def test_a_node_class_says_what_its_interfaces_and_reservations_are_for():
    assert node_class_labels(pool()) == {
        "eks-training-platform/pool": "p5",
        "eks-training-platform/instance-type": "p5.48xlarge",
        "eks-training-platform/capacity": "on-demand",
    }


# General pools


def general(**changes: Any) -> GeneralPool:
    return GeneralPool.model_validate({"name": "general", "limits": {"cpu": 256, "memoryGiB": 1024}, **changes})


def test_a_general_pool_packs_pods_within_its_limits():
    spec = general_pool_spec(general(), ["us-west-2a", "us-west-2b"])
    assert spec["limits"] == {"cpu": "256", "memory": "1024Gi"}
    assert spec["disruption"]["consolidationPolicy"] == "WhenEmptyOrUnderutilized"
    assert spec["disruption"]["budgets"] == [{"nodes": "10%"}]
    assert spec["template"]["spec"]["expireAfter"] == "720h"
    assert "taints" not in spec["template"]["spec"]


def test_a_general_pool_chooses_among_sizes_and_zones_and_no_metal():
    requirements = general_pool_spec(general(minVcpus=8, maxVcpus=32), ["us-west-2a"])["template"]["spec"][
        "requirements"
    ]
    found = {(each["key"].rpartition("/")[2], each["operator"]): each["values"] for each in requirements}
    assert found[("instance-family", "In")] == ["m7i", "c7i", "r7i"]
    assert (found[("instance-cpu", "Gte")], found[("instance-cpu", "Lte")]) == (["8"], ["32"])
    assert found[("zone", "In")] == ["us-west-2a"]
    assert found[("capacity-type", "In")] == ["on-demand"]
    assert found[("instance-hypervisor", "In")] == ["nitro"]


@pytest.mark.parametrize(
    ("capacity", "kinds"), [("spot", ["spot"]), ("spotOrOnDemand", ["spot", "on-demand"])], ids=["spot", "both"]
)
def test_a_general_pool_may_use_spot(capacity, kinds):
    requirements = general_pool_spec(general(capacity=capacity), ["a"])["template"]["spec"]["requirements"]
    assert next(r["values"] for r in requirements if r["key"] == "karpenter.sh/capacity-type") == kinds


def test_the_worst_case_of_a_general_pool_is_the_type_with_most_pods_under_its_limit():
    facts, count = general(limits={"cpu": 64, "memoryGiB": 256}).worst_case
    # 4 nodes of 16 CPUs have 4 x 234 pods; 16 nodes of 4 CPUs would have 16 x 58.
    assert (facts.vcpu, count) == (16, 4)
    assert facts.pods_default == 234


# Both, for every type: only fields that the schema of Karpenter 1.15.2 has


def paths(value: Any, at: str) -> Iterator[str]:
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, f"{at}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{at}[]")


def schema_of(kind: str) -> tuple[list[re.Pattern[str]], set[str]]:
    """Patterns of the schema's paths, and the paths that it requires."""
    text = (ROOT / "tests" / "unit" / "data" / f"{kind}-fields.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    known = [re.compile(re.escape(line.rstrip("!")).replace(r"\{\}", r"\..+")) for line in lines]
    return known, {line.rstrip("!") for line in lines if line.endswith("!")}


def pools_of_every_type() -> list[NodePool]:
    found = []
    for facts in INSTANCE_TYPES.values():
        if facts.is_accelerated:
            efa = "static" if facts.efa_layout_is_sourced else "onRequest" if facts.has_efa else "off"
            found.append(pool(name="pool", instanceType=facts.name, efa=efa))
    return [*found, pool(name="fixed", nodes={"fixed": 2})]


@pytest.mark.parametrize("of", pools_of_every_type(), ids=lambda of: f"{of.name}-{of.instance_type}")
@pytest.mark.parametrize("kind", ["ec2nodeclass", "nodepool"])
def test_every_field_is_one_that_karpenter_has(kind, of):
    known, needed = schema_of(kind)
    spec = class_of(of, lustre_efa_client=True) if kind == "ec2nodeclass" else node_pool_spec(of)
    given = set(paths(spec, "spec"))
    assert [path for path in given if not any(pattern.fullmatch(path) for pattern in known)] == []
    parents = {path for path in needed if path.rpartition(".")[0] in given}
    assert parents - given == set()


# The components


def program(of: NodePool, **changes: Any):
    def run():
        provider = k8s.Provider("k8s", kubeconfig="{}")
        TrainingNodePool(
            "pool-p5",
            TrainingNodePoolArgs(
                pool=of,
                role_name="node-role",
                subnet_id="subnet-b",
                security_group_ids=["sg-cluster", "sg-efa"],
                placement_group="p5-group" if of.creates_placement_group else None,
                ami_release="v20261023",
                tags={"owner": "ml"},
                **changes,
            ),
            opts=pulumi.ResourceOptions(providers=[provider]),
        )

    return run


@pytest.fixture(scope="module")
def dynamic(build):
    return build(program(pool()))


NODE_CLASS, NODE_POOL = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "kubernetes:karpenter.sh/v1:NodePool"


def test_pool_and_node_class_are_named_after_the_pool(dynamic):
    assert dynamic.only(NODE_CLASS).inputs["metadata"]["name"] == "p5"
    spec = dynamic.only(NODE_POOL).inputs
    assert spec["metadata"]["name"] == "p5"
    assert spec["spec"]["template"]["spec"]["nodeClassRef"]["name"] == "p5"


def test_the_pool_is_drained_before_its_node_class_goes(dynamic):
    assert dynamic.only(NODE_POOL).depends_on == ["pool-p5-nodeclass"]


@pytest.mark.parametrize("kind", [NODE_CLASS, NODE_POOL], ids=["node class", "pool"])
def test_draining_may_take_an_hour(dynamic, kind):
    assert dynamic.only(kind).request.customTimeouts.delete == "60m"


def test_deleting_a_pool_waits_for_its_nodes(dynamic):
    annotations = dynamic.only(NODE_POOL).inputs["metadata"]["annotations"]
    assert annotations["pulumi.com/deletionPropagationPolicy"] == "foreground"


def test_a_pool_component_passes_on_what_its_nodes_wait_for_and_how_they_mount_lustre(build, dynamic):
    given = build(program(pool(), drivers=["fsx.csi.aws.com"], lustre_efa_client=True))
    template = given.only(NODE_POOL).inputs["spec"]["template"]["spec"]
    assert [taint["key"] for taint in template["startupTaints"]] == [
        "ebs.csi.aws.com/agent-not-ready",
        "fsx.csi.aws.com/agent-not-ready",
    ]
    assert given.only(NODE_CLASS).inputs["spec"]["userData"].startswith("MIME-Version: 1.0\n")
    assert "userData" not in dynamic.only(NODE_CLASS).inputs["spec"]


def test_only_a_change_of_kind_gives_the_pool_another_name_and_so_replaces_it(build, dynamic):
    def name(recorder):
        return recorder.only(NODE_POOL).inputs["metadata"]["name"]

    larger = build(program(pool(nodes={"max": 9})))
    fixed, scaled = (build(program(pool(nodes={"fixed": count}))) for count in (2, 3))
    assert name(dynamic) == name(larger) == "p5"
    assert name(fixed) == name(scaled) == "p5-fixed"
    assert fixed.only(NODE_CLASS).inputs["metadata"]["name"] == "p5"
    assert dynamic.only(NODE_POOL).request.deleteBeforeReplace is True


def test_nodes_of_karpenter_may_join_and_have_no_more_rights_than_they_need(build):
    recorder = build(
        lambda: KarpenterNodeRole("node", KarpenterNodeRoleArgs(cluster_name="training-test", partition="aws"))
    )
    entry = recorder.only("aws:eks/accessEntry:AccessEntry")
    assert entry.inputs["type"] == "EC2_LINUX"
    assert entry.input_depends_on("principalArn") == ["node"]
    trust = json.loads(recorder.only("aws:iam/role:Role").inputs["assumeRolePolicy"])
    assert trust["Statement"][0]["Principal"] == {"Service": "ec2.amazonaws.com"}
    attached = {a.inputs["policyArn"] for a in recorder.of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment")}
    assert attached == {
        f"arn:aws:iam::aws:policy/{name}"
        for name in ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")
    }


def test_definitions_stay_in_the_cluster_when_they_leave_the_stack(build):
    recorder = build(lambda: KarpenterCrds("crds", KarpenterCrdsArgs(charts="/srv/charts")))
    chart = recorder.only("kubernetes:helm.sh/v4:Chart")
    assert chart.request.retainOnDelete is True
    assert chart.inputs["chart"] == "/srv/charts/karpenter-crd"
    assert chart.inputs["version"] == "1.15.2"
    assert chart.inputs["name"] == "karpenter-crd"


def test_a_general_pool_lands_in_the_subnets_of_its_zones_without_the_efa_group(build):
    def run():
        provider = k8s.Provider("k8s", kubeconfig="{}")
        GeneralNodePool(
            "pool-general",
            GeneralNodePoolArgs(
                pool=general(),
                role_name="node-role",
                subnet_ids={"us-west-2a": "subnet-a", "us-west-2b": "subnet-b"},
                security_group_ids=["sg-cluster"],
                ami_release="v20261023",
                tags={"owner": "ml"},
                drivers=["efs.csi.aws.com"],
            ),
            opts=pulumi.ResourceOptions(providers=[provider]),
        )

    recorder = build(run)
    spec = recorder.only(NODE_CLASS).inputs["spec"]
    assert spec["subnetSelectorTerms"] == [{"id": "subnet-a"}, {"id": "subnet-b"}]
    assert spec["securityGroupSelectorTerms"] == [{"id": "sg-cluster"}]
    assert recorder.only(NODE_POOL).depends_on == ["pool-general-nodeclass"]
    assert recorder.only(NODE_POOL).inputs["metadata"]["name"] == "general"
    started = recorder.only(NODE_POOL).inputs["spec"]["template"]["spec"]["startupTaints"]
    assert started[-1]["key"] == "efs.csi.aws.com/agent-not-ready"
