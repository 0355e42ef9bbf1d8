"""Karpenter pools with EFA: one subnet, one zone, one type."""

import copy

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_efa_pool_single_az import POLICY

pytestmark = pytest.mark.policy

NODE_CLASS, NODE_POOL = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "kubernetes:karpenter.sh/v1:NodePool"


def node_class(*terms, efa=True):
    interfaces = [{"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}]
    if efa:
        interfaces.append({"networkCardIndex": 0, "deviceIndex": 1, "interfaceType": "efa-only"})
    spec = {"role": UNKNOWN, "subnetSelectorTerms": list(terms), "networkInterfaces": interfaces}
    return {"metadata": {"name": "p5"}, "spec": spec}


def node_pool(*, zones=("us-west-2b",), types=("p5.48xlarge",), label="true", operator="In"):
    requirements = []
    if types is not None:
        requirements.append({"key": "node.kubernetes.io/instance-type", "operator": "In", "values": list(types)})
    if zones is not None:
        requirements.append({"key": "topology.kubernetes.io/zone", "operator": operator, "values": list(zones)})
    labels = {"eks-training-platform/efa": label} if label else {}
    template = {"metadata": {"labels": labels}, "spec": {"requirements": requirements}}
    return {"metadata": {"name": "p5"}, "spec": {"template": template}}


def own(response):
    """What this rule found; the samples here are too small for other rules of the pack."""
    return [diagnostic for diagnostic in response.diagnostics if diagnostic.policyName == POLICY.name]


def test_a_node_class_with_one_subnet_passes(check):
    assert check(POLICY, NODE_CLASS, node_class({"id": "subnet-1"})) == []


def test_a_subnet_that_is_not_known_yet_is_still_judged(check):
    assert check(POLICY, NODE_CLASS, node_class({"id": UNKNOWN})) == []
    [message] = check(POLICY, NODE_CLASS, node_class({"id": UNKNOWN}, {"id": UNKNOWN}), name="p5")
    assert "2 subnet selector term(s)" in message


def test_two_subnets_are_refused_with_the_node_class_and_two_ways_out(check):
    [message] = check(POLICY, NODE_CLASS, node_class({"id": "subnet-1"}, {"id": "subnet-2"}), name="p5")
    assert "EC2NodeClass 'p5'" in message
    assert "2 subnet selector term(s)" in message
    assert "by id" in message
    assert "efa: off" in message


def test_subnets_by_tags_are_refused_since_tags_may_match_several_zones(check):
    [message] = check(POLICY, NODE_CLASS, node_class({"tags": {"karpenter.sh/discovery": "c"}}))
    assert "by tags" in message


def test_no_subnet_at_all_is_refused(check):
    [message] = check(POLICY, NODE_CLASS, node_class())
    assert "0 subnet selector term(s)" in message


def test_a_node_class_without_efa_may_use_several_subnets(check):
    assert check(POLICY, NODE_CLASS, node_class({"id": "a"}, {"id": "b"}, efa=False)) == ["not applicable"]
    assert check(POLICY, NODE_CLASS, {"spec": {"subnetSelectorTerms": [{"id": "a"}, {"id": "b"}]}}) == [
        "not applicable"
    ]


def test_a_pool_in_one_zone_passes(check):
    assert check(POLICY, NODE_POOL, node_pool()) == []


@pytest.mark.parametrize(
    ("pool", "seen"),
    [
        (node_pool(zones=("us-west-2a", "us-west-2b")), "2 zones"),
        (node_pool(zones=None), "any zone"),
        (node_pool(operator="NotIn"), "any zone"),
        (node_pool(zones=()), "0 zones"),
        (node_pool(types=("p5.48xlarge", "p5en.48xlarge")), "2 instance types"),
        (node_pool(types=None), "any instance type"),
    ],
    ids=["two zones", "no zone", "zones excluded", "an empty list", "two types", "no type"],
)
def test_a_pool_that_allows_more_than_one_place_or_type_is_refused(check, pool, seen):
    [message] = check(POLICY, NODE_POOL, pool, name="p5")
    assert "NodePool 'p5'" in message
    assert seen in message
    assert "exactly one" in message
    assert '"false"' in message


def test_zone_and_type_are_both_reported(check):
    assert len(check(POLICY, NODE_POOL, node_pool(zones=None, types=None))) == 2


def test_an_unknown_zone_is_one_zone(check):
    assert check(POLICY, NODE_POOL, node_pool(zones=(UNKNOWN,))) == []


def test_a_pool_without_the_label_is_judged_by_its_types(check):
    assert check(POLICY, NODE_POOL, node_pool(zones=None, label=None)) != []
    assert check(POLICY, NODE_POOL, node_pool(zones=None, label=None, types=("g5.xlarge",))) == ["not applicable"]


def test_a_pool_that_says_it_never_uses_efa_may_span_zones(check):
    assert check(POLICY, NODE_POOL, node_pool(zones=None, label="false")) == ["not applicable"]


def test_other_resources_are_not_its_business(check):
    assert check(POLICY, "aws:s3/bucket:Bucket", {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    [diagnostic] = own(analyzer.analyze(NODE_POOL, node_pool(zones=("us-west-2a", "us-west-2b")), "p5"))
    assert diagnostic.enforcementLevel == proto.MANDATORY
    assert "2 zones" in diagnostic.message


def test_the_engine_gets_a_violation_in_a_preview_that_knows_no_id(analyzer):
    [diagnostic] = own(analyzer.analyze(NODE_CLASS, node_class({"id": UNKNOWN}, {"id": UNKNOWN}), "p5"))
    assert diagnostic.enforcementLevel == proto.MANDATORY


def test_the_engine_gets_no_violation_for_a_good_pool_and_learns_what_does_not_apply(analyzer):
    assert own(analyzer.analyze(NODE_POOL, node_pool(), "p5")) == []
    bucket = analyzer.analyze("aws:s3/bucket:Bucket", {"bucket": "b"})
    assert POLICY.name in [entry.policy_name for entry in bucket.not_applicable]


def test_a_rule_does_not_change_what_it_judges(check):
    pool = node_pool(zones=("us-west-2a", "us-west-2b"))
    before = copy.deepcopy(pool)
    check(POLICY, NODE_POOL, pool)
    assert pool == before
