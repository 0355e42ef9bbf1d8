"""No tag and no RAID0 switches EFA on."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_tags_enable_nothing import POLICY
from policies.storage import SUBNET
from tests.policy.pool_samples import BUCKET, NODE_CLASS, node_class

pytestmark = pytest.mark.policy


@pytest.mark.parametrize(
    "tags",
    [
        None,
        {},
        {"kubernetes.io/role/internal-elb": "1"},
        {"efa": "false"},
        {"team": "efa"},
        {"efa": UNKNOWN},
        UNKNOWN,
        [],
    ],
    ids=str,
)
def test_a_subnet_that_pretends_nothing_passes_also_in_a_preview(check, tags):
    assert check(POLICY, SUBNET, {"tags": tags}) == []


@pytest.mark.parametrize(
    "tag", [("efa", "true"), ("EFA", True), ("example.com/efa-enabled", "1"), ("enable-efa", "on")]
)
def test_a_tag_that_pretends_is_named_and_never_refused(check, tag):
    [message] = check(POLICY, SUBNET, {"tags": dict([tag])}, name="private-b")
    assert f"Subnet 'private-b' has the tag {tag[0]}: that attaches no EFA interface" in message
    assert "onRequest, or remove it" in message


def test_raid0_for_scratch_passes(check):
    assert check(POLICY, NODE_CLASS, node_class(instanceStorePolicy="RAID0")) == []
    assert check(POLICY, NODE_CLASS, node_class(instanceStorePolicy="RAID0", networkInterfaces=None)) == []


def test_a_label_beside_raid0_is_named(check):
    told = node_class(instanceStorePolicy="RAID0", networkInterfaces=None)
    told["metadata"]["labels"]["eks-training-platform/efa"] = "true"
    [message] = check(POLICY, NODE_CLASS, told, name="p5")
    assert "EC2NodeClass 'p5' has the label eks-training-platform/efa and RAID0 for its local disks" in message


def test_the_same_label_beside_interfaces_passes(check):
    told = node_class()
    told["metadata"]["labels"]["eks-training-platform/efa"] = "true"
    assert check(POLICY, NODE_CLASS, told) == []


def test_subnets_found_by_such_a_tag_are_named(check):
    [message] = check(POLICY, NODE_CLASS, node_class(subnetSelectorTerms=[{"tags": {"efa": "true"}}]))
    assert "finds subnets by the tag efa" in message


def test_other_resources_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"tags": {"efa": "true"}}) == ["not applicable"]


def test_the_engine_gets_a_warning(analyzer):
    found = analyzer.analyze(SUBNET, {"tags": {"efa": "true"}}, "private-b").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.ADVISORY
