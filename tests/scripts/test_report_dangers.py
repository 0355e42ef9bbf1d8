"""Dangers: one change each, and what is said of it."""

import pytest

from scripts.reporting.changes import Change
from scripts.reporting.dangers import Kind, dangers, dangers_of_drift

pytestmark = pytest.mark.scripts

BUCKET = "aws:s3/bucket:Bucket"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
CLUSTER = "aws:eks/cluster:Cluster"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:ec2/placementGroup:PlacementGroup"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105
SERVICE = "kubernetes:core/v1:Service"
RELEASE = "kubernetes:helm.sh/v3:Release"
VOLUME = "kubernetes:core/v1:PersistentVolume"


def change(op, kind, old=None, new=None, name="x", **more):
    return Change(**{"op": op, "urn": f"urn:pulumi:dev::p::{kind}::{name}", "old": old or {}, "new": new or {}, **more})


def only(given):
    [found] = dangers([given])
    return found


@pytest.mark.parametrize(
    "kind",
    [
        BUCKET,
        LUSTRE,
        "aws:efs/fileSystem:FileSystem",
        "aws:rds/instance:Instance",
        "aws:kms/key:Key",
        "kubernetes:core/v1:Namespace",
        "kubernetes:core/v1:PersistentVolumeClaim",
        VOLUME,
    ],
)
@pytest.mark.parametrize("op", ["replace", "delete"])
def test_the_end_of_something_stateful_is_a_danger(op, kind):
    found = only(change(op, kind))
    assert found.kind is Kind.DATA
    assert found.says.startswith("deletes")


@pytest.mark.parametrize("op", ["create", "update"])
def test_a_bucket_that_is_made_or_changed_in_place_is_none(op):
    assert dangers([change(op, BUCKET, {"tags": {}}, {"tags": {"a": "b"}})]) == []


def test_what_is_protected_says_that_the_update_stops():
    assert "the update stops there" in only(change("replace", BUCKET, protected=True)).says


def test_what_is_kept_on_delete_is_said_to_stay():
    assert "it stays where it is" in only(change("delete", BUCKET, retained=True)).says


def test_a_volume_that_is_retained_keeps_its_files():
    old = {"spec": {"persistentVolumeReclaimPolicy": "Retain"}}
    assert "its files stay" in only(change("delete", VOLUME, old)).says


def test_definitions_take_their_objects_with_them():
    assert "every object of their kinds" in only(change("delete", RELEASE, name="kueue-crds")).says
    assert dangers([change("delete", RELEASE, name="kueue-release")]) == []


def test_the_value_that_replaces_is_shown_before_others():
    old, new = {"kind": "A", "a": 1}, {"kind": "B", "a": 2}
    found = only(change("replace", LUSTRE, old, new, forces=("kind",)))
    assert found.because == ['kind: "A" -> "B"']
    assert found.way_out.endswith("or take kind back.")


def test_another_cluster_and_another_version_are_told_apart():
    assert "every node, workload and object" in only(change("replace", CLUSTER)).says
    found = only(change("update", CLUSTER, {"version": "1.34"}, {"version": "1.35"}))
    assert (found.kind, found.because) == (Kind.CLUSTER, ['version: "1.34" -> "1.35"'])


def test_a_changed_slurm_key_is_told_without_the_key():
    found = only(change("update", SECRET, {"data": {"k": "old"}}, {"data": {"k": "new"}}, name="secrets-slurmKey"))
    assert found.kind is Kind.SLURM_KEYS
    assert found.because == ["data.k: (secret) -> (secret)"]
    assert dangers([change("update", SECRET, {}, {"type": "x"}, name="grafana-admin")]) == []
    assert dangers([change("create", SECRET, name="secrets-slurmKey")]) == []


@pytest.mark.parametrize("block", ["0.0.0.0/0", "::/0"])
def test_a_rule_that_lets_the_world_in_says_on_which_port(block):
    key = "cidrIpv6" if ":" in block else "cidrIpv4"
    found = only(change("create", INGRESS, new={key: block, "fromPort": 22, "toPort": 22}))
    assert found.says == f"a security group rule lets port 22 in from {block}"
    assert "out to" in only(change("create", EGRESS, new={key: block})).says


def test_a_narrow_rule_and_one_that_was_open_before_are_none():
    world = {"cidrIpv4": "0.0.0.0/0", "fromPort": 22, "toPort": 22}
    assert dangers([change("create", INGRESS, new={"cidrIpv4": "10.0.0.0/8"})]) == []
    assert dangers([change("update", INGRESS, world, {**world, "description": "x"})]) == []
    assert dangers([change("delete", INGRESS, world)]) == []


def endpoint(*blocks, public=True):
    return {"vpcConfig": {"endpointPublicAccess": public, "publicAccessCidrs": list(blocks)}}


def test_more_addresses_at_the_endpoint_are_named_and_fewer_are_none():
    found = only(change("update", CLUSTER, endpoint("192.0.2.0/24"), endpoint("192.0.2.0/24", "0.0.0.0/0")))
    assert found.says == "the cluster's endpoint is reached from 0.0.0.0/0"
    assert dangers([change("update", CLUSTER, endpoint("192.0.2.0/24", "0.0.0.0/0"), endpoint("192.0.2.0/24"))]) == []


def test_a_private_endpoint_that_becomes_public_without_a_list_lets_everybody_in():
    found = only(change("update", CLUSTER, endpoint(public=False), endpoint()))
    assert "0.0.0.0/0" in found.says


def test_a_load_balancer_is_noticed_in_a_service_and_in_values_of_a_chart():
    balanced = {"spec": {"type": "LoadBalancer"}}
    assert only(change("update", SERVICE, {"spec": {"type": "ClusterIP"}}, balanced)).kind is Kind.NETWORK
    assert only(change("update", RELEASE, {"values": {}}, {"values": {"login": [balanced]}})).kind is Kind.NETWORK
    assert dangers([change("update", RELEASE, {"values": balanced}, {"values": {**balanced, "a": 1}})]) == []


def test_nodes_roll_when_their_class_or_template_changes():
    rolled = [
        change("update", CLASS, {"spec": {"userData": "a"}}, {"spec": {"userData": "b"}}),
        change("update", POOL, {"spec": {"template": {"a": 1}}}, {"spec": {"template": {"a": 2}}}),
        change("update", NODE_GROUP, {"launchTemplate": {"version": "1"}}, {"launchTemplate": {"version": "2"}}),
        change("update", TEMPLATE, {"imageId": "a"}, {"imageId": "b"}),
        change("delete", POOL),
        change("replace", NODE_GROUP),
    ]
    assert [only(each).kind for each in rolled] == [Kind.NODES] * len(rolled)


def test_limits_budgets_and_labels_of_the_pool_itself_roll_none():
    for key in ("limits", "disruption", "weight"):
        assert dangers([change("update", POOL, {"spec": {key: {"a": 1}}}, {"spec": {key: {"a": 2}}})]) == []
    assert dangers([change("update", CLASS, {"metadata": {}}, {"metadata": {"labels": {"a": "b"}}})]) == []
    scaled = change("update", NODE_GROUP, {"scalingConfig": {"minSize": 2}}, {"scalingConfig": {"minSize": 3}})
    assert dangers([scaled]) == []


def test_a_placement_group_that_goes_or_is_chosen_otherwise_is_named():
    assert only(change("replace", GROUP)).kind is Kind.PLACEMENT
    old, new = ({"spec": {"placementGroupSelector": {"name": name}}} for name in "ab")
    assert [each.kind for each in dangers([change("update", CLASS, old, new)])] == [Kind.NODES, Kind.PLACEMENT]
    assert dangers([change("create", GROUP)]) == []


def test_the_worst_comes_first():
    given = [change("replace", GROUP), change("delete", POOL), change("replace", CLUSTER), change("delete", BUCKET)]
    assert [each.kind for each in dangers(given)] == [Kind.DATA, Kind.CLUSTER, Kind.NODES, Kind.PLACEMENT]


def test_drift_says_what_a_hand_opened_and_what_putting_it_back_rolls():
    opened = change("update", INGRESS, {"cidrIpv4": "10.0.0.0/8"}, {"cidrIpv4": "0.0.0.0/0"})
    edited = change("update", CLASS, {"spec": {"tags": {"a": "1"}}}, {"spec": {"tags": {"a": "2"}}})
    network, nodes = dangers_of_drift([opened, edited, change("delete", BUCKET)])
    assert network.says.startswith("a security group rule lets every port in from")
    assert nodes.says.startswith("putting it back: nodes of the class drift")
    assert nodes.because == ['spec.tags.a: "2" -> "1"']
