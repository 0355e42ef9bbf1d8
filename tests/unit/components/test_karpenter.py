"""Karpenter's identity, queue and release, as the engine would see them."""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.capacity import Karpenter, KarpenterArgs, PlacementGroups, PlacementGroupsArgs
from components.capacity.karpenter_queue import EVENTS
from components.capacity.karpenter_values import karpenter_values
from components.catalog.chart_values import UnknownKey, unknown_keys
from components.catalog.pins import KARPENTER
from components.identity import RoleRules
from stacks.karpenter import Karpenter as Settings

pytestmark = pytest.mark.unit

RELEASE = "kubernetes:helm.sh/v3:Release"


def args(**changes: Any) -> KarpenterArgs:
    given: dict[str, Any] = {
        "settings": Settings(),
        "cluster_name": "training-test",
        "cluster": "training-test",
        "cluster_arn": "arn:aws:eks:us-west-2:111122223333:cluster/training-test",
        "region": "us-west-2",
        "partition": "aws",
        "static_capacity": False,
        "charts": None,
        "images": None,
    }
    return KarpenterArgs(**{**given, **changes})


def program(given: KarpenterArgs):
    def run():
        Karpenter("karpenter", given, opts=pulumi.ResourceOptions(providers=[k8s.Provider("k8s", kubeconfig="{}")]))

    return run


@pytest.fixture(scope="module")
def karpenter(build):
    return build(program(args()))


def values(settings: Settings | None = None, **changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "cluster_name": "training-test",
        "region": "us-west-2",
        "queue_name": "queue",
        "static_capacity": False,
        "images": None,
    }
    return karpenter_values(settings or Settings(), **{**given, **changes})


# The release


def test_every_value_is_one_that_the_chart_reads():
    assert unknown_keys("karpenter", values(images="registry.example.com/m")) == []


def test_a_misspelt_value_would_be_noticed():
    assert unknown_keys("karpenter", {"settings": {"clustername": "x"}}) == [
        UnknownKey(path="settings.clustername", nearest="settings.clusterName")
    ]


def test_the_image_is_that_of_the_pin_and_not_of_the_lagging_chart():
    image = values()["controller"]["image"]
    assert image == {"repository": "public.ecr.aws/karpenter/controller", "tag": "1.15.2", "digest": ""}


def test_the_image_comes_from_the_mirror_when_there_is_one():
    image = values(images="registry.example.com/m")["controller"]["image"]
    assert image["repository"] == "registry.example.com/m/karpenter/controller"


def test_the_controller_runs_on_system_nodes():
    assert values()["nodeSelector"] == {"eks-training-platform/role": "system"}


def test_the_controller_needs_no_metadata_of_its_instance_to_know_its_region():
    assert {"name": "AWS_REGION", "value": "us-west-2"} in values()["controller"]["env"]


def test_memory_is_requested_in_full_so_that_the_controller_is_not_the_first_to_go():
    resources = values(Settings(memory_mi_b=2048, cpu_millis=500))["controller"]["resources"]
    assert resources == {"requests": {"cpu": "500m", "memory": "2048Mi"}, "limits": {"memory": "2048Mi"}}


@pytest.mark.parametrize("fixed_pools", [True, False])
def test_the_alpha_gate_for_fixed_pools_is_on_exactly_where_one_is(fixed_pools):
    gates = values(static_capacity=fixed_pools)["settings"]["featureGates"]
    assert gates == {"reservedCapacity": True, "staticCapacity": fixed_pools, "nodeRepair": False}


def test_repair_is_asked_for_by_name():
    assert values(Settings(node_repair=True))["settings"]["featureGates"]["nodeRepair"] is True


def test_the_release_is_pinned_named_and_rolls_back(karpenter):
    release = karpenter.only(RELEASE).inputs
    assert (release["name"], release["namespace"]) == ("karpenter", "kube-system")
    assert release["chart"] == "oci://public.ecr.aws/karpenter/karpenter"
    assert release["version"] == KARPENTER.version == "1.15.2"
    assert release["atomic"] is True
    assert release["skipCrds"] is True
    assert release["timeout"] == 600
    assert karpenter.only(RELEASE).request.deleteBeforeReplace is True


def test_the_release_waits_for_its_identity_and_the_identity_for_its_rights(karpenter):
    assert "karpenter-controller-identity" in karpenter.only(RELEASE).depends_on
    rights = {f"karpenter-controller-{policy}-attached" for policy in policies_of(karpenter)}
    assert rights <= set(karpenter.named("karpenter-controller-identity").depends_on)
    assert len(rights) == 6


def test_the_controller_waits_for_definitions_node_role_queue_and_events(karpenter):
    before = set(karpenter.only("ekstraining:capacity:KarpenterController").depends_on)
    assert {"karpenter-crds-chart", "karpenter-node-access", "karpenter-queue-policy"} <= before
    assert {f"karpenter-queue-{event}-target" for event in EVENTS} <= before


# Identity


def policies_of(recorder: Any) -> dict[str, dict[str, Any]]:
    return {
        policy.name.rsplit("-", 1)[-1]: json.loads(policy.inputs["policy"])
        for policy in recorder.of_type("aws:iam/policy:Policy")
    }


def test_pods_of_the_controller_may_assume_its_role_and_tag_the_session(karpenter):
    role = next(r for r in karpenter.of_type("aws:iam/role:Role") if r.name == "karpenter-controller")
    trust = json.loads(role.inputs["assumeRolePolicy"])
    assert trust["Statement"][0]["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert trust["Statement"][0]["Action"] == ["sts:AssumeRole", "sts:TagSession"]


def test_the_identity_is_that_of_the_chart_s_service_account(karpenter):
    identity = karpenter.only("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    assert identity.inputs["namespace"] == "kube-system"
    assert identity.inputs["serviceAccount"] == values()["serviceAccount"]["name"] == "karpenter"
    assert identity.inputs["clusterName"] == "training-test"


def test_the_policies_name_the_very_cluster_queue_and_node_role(karpenter):
    found = policies_of(karpenter)
    assert found["EKSIntegration"]["Statement"][0]["Resource"] == [args().cluster_arn]
    assert found["Interruption"]["Statement"][0]["Resource"] == ["arn:aws:mock:::karpenter-queue"]
    assert found["IAMIntegration"]["Statement"][0]["Resource"] == ["arn:aws:mock:::karpenter-node"]


def test_both_roles_keep_to_the_rules_of_the_company(build):
    rules = RoleRules(permissions_boundary_arn="arn:aws:iam::111122223333:policy/boundary", path="/ml/")
    recorder = build(program(args(role_rules=rules)))
    roles = recorder.of_type("aws:iam/role:Role")
    assert {r.name for r in roles} == {"karpenter-controller", "karpenter-node"}
    assert {r.inputs["permissionsBoundary"] for r in roles} == {rules.permissions_boundary_arn}
    assert {r.inputs["path"] for r in [*roles, *recorder.of_type("aws:iam/policy:Policy")]} == {"/ml/"}


# The queue


def test_notices_are_kept_encrypted_and_not_for_long(karpenter):
    queue = karpenter.only("aws:sqs/queue:Queue").inputs
    assert queue["messageRetentionSeconds"] == 300
    assert queue["sqsManagedSseEnabled"] is True
    assert "name" not in queue


def test_only_aws_may_send_and_nobody_without_tls(karpenter):
    allow, deny = json.loads(karpenter.only("aws:sqs/queuePolicy:QueuePolicy").inputs["policy"])["Statement"]
    assert (allow["Effect"], allow["Action"]) == ("Allow", "sqs:SendMessage")
    assert allow["Principal"] == {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]}
    assert (deny["Sid"], deny["Effect"], deny["Principal"], deny["Action"]) == ("DenyHTTP", "Deny", "*", "sqs:*")
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert allow["Resource"] == deny["Resource"] == "arn:aws:mock:::karpenter-queue"


def test_the_five_kinds_of_notices_reach_the_queue(karpenter):
    patterns = [json.loads(r.inputs["eventPattern"]) for r in karpenter.of_type("aws:cloudwatch/eventRule:EventRule")]
    assert sorted((p["source"][0], p["detail-type"][0]) for p in patterns) == [
        ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
        ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
        ("aws.ec2", "EC2 Instance State-change Notification"),
        ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
        ("aws.health", "AWS Health Event"),
    ]
    targets = karpenter.of_type("aws:cloudwatch/eventTarget:EventTarget")
    assert len(targets) == 5
    assert {target.inputs["arn"] for target in targets} == {"arn:aws:mock:::karpenter-queue"}


# Placement groups


def test_placement_groups_are_cluster_groups_named_by_aws(build):
    recorder = build(
        lambda: PlacementGroups("placement", PlacementGroupsArgs(cluster_name="training-test", pools=["p5", "trn1"]))
    )
    groups = recorder.of_type("aws:ec2/placementGroup:PlacementGroup")
    assert {group.name for group in groups} == {"placement-p5", "placement-trn1"}
    assert all(group.inputs["strategy"] == "cluster" and "name" not in group.inputs for group in groups)
    assert {group.inputs["tags"]["Name"] for group in groups} == {"training-test-p5", "training-test-trn1"}
