"""The EFA security group names itself, in and out."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_ARRAY_VALUE
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.ec2_securitygroup_efa_self_referencing import POLICY
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
LEGACY = "aws:ec2/securityGroupRule:SecurityGroupRule"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
TAG = "eks-training-platform/efa"

GROUP = Planned(
    type="aws:ec2/securityGroup:SecurityGroup",
    name="efa-sg",
    # As in a preview: the id is unknown, and so are the blocks that AWS may fill in.
    props={"id": UNKNOWN, "ingress": UNKNOWN_ARRAY_VALUE, "egress": UNKNOWN_ARRAY_VALUE, "tags": {TAG: "true"}},
)
OTHER = dataclasses.replace(GROUP, name="other-sg", props={"id": UNKNOWN, "tags": {"Name": "other"}})
ITSELF = {"securityGroupId": ["efa-sg"], "referencedSecurityGroupId": ["efa-sg"]}
EVERYTHING = {"ipProtocol": "-1", "securityGroupId": UNKNOWN, "referencedSecurityGroupId": UNKNOWN}
IN = Planned(type=INGRESS, name="in", props=EVERYTHING, sources=ITSELF)
OUT = Planned(type=EGRESS, name="out", props=EVERYTHING, sources=ITSELF)
NODES = Planned(
    type=NODE_CLASS,
    name="p5",
    props={"spec": {"networkInterfaces": [{"interfaceType": "interface"}, {"interfaceType": "efa-only"}]}},
    sources={"spec": ["efa-sg"]},
)


def legacy(direction, **changes):
    props = {"type": direction, "protocol": "-1", "self": True, "securityGroupId": UNKNOWN, **changes}
    return Planned(type=LEGACY, name=direction, props=props, sources={"securityGroupId": ["efa-sg"]})


def test_a_group_that_names_itself_both_ways_passes(check_stack):
    assert check_stack(POLICY, [GROUP, IN, OUT, NODES]) == []


def test_the_older_rule_resource_passes_too(check_stack):
    assert check_stack(POLICY, [GROUP, legacy("ingress"), legacy("egress")]) == []


def test_the_older_rule_resource_may_name_the_group_by_id(check_stack):
    by_id = [
        dataclasses.replace(
            legacy(direction, self=False),
            sources={"securityGroupId": ["efa-sg"], "sourceSecurityGroupId": ["efa-sg"]},
        )
        for direction in ("ingress", "egress")
    ]
    assert check_stack(POLICY, [GROUP, *by_id]) == []


def test_blocks_inside_the_group_pass_too(check_stack):
    block = [{"protocol": "-1", "self": True, "fromPort": 0, "toPort": 0}]
    inline = dataclasses.replace(GROUP, props={**GROUP.props, "ingress": block, "egress": block})
    assert check_stack(POLICY, [inline]) == []


@pytest.mark.parametrize(("kept", "missing"), [(OUT, "ingress"), (IN, "egress")], ids=["no way in", "no way out"])
def test_a_missing_direction_is_refused_with_the_group_and_two_ways_out(check_stack, kept, missing):
    [message] = check_stack(POLICY, [GROUP, kept])
    assert "'efa-sg'" in message
    assert f"no {missing} rule" in message
    assert "referencedSecurityGroupId" in message
    assert "take the tag" in message


@pytest.mark.parametrize(
    "rule",
    [
        dataclasses.replace(
            OUT, sources={"securityGroupId": ["efa-sg"]}, props={**EVERYTHING, "cidrIpv4": "0.0.0.0/0"}
        ),
        dataclasses.replace(OUT, props={**EVERYTHING, "ipProtocol": "tcp"}),
        dataclasses.replace(OUT, sources={**ITSELF, "referencedSecurityGroupId": ["other-sg"]}),
        dataclasses.replace(OUT, sources={**ITSELF, "securityGroupId": ["other-sg"]}),
        dataclasses.replace(OUT, type=INGRESS),
        legacy("egress", self=False),
        legacy("egress", protocol="tcp"),
        dataclasses.replace(legacy("ingress"), name="again"),
    ],
    ids=[
        "by address",
        "TCP only",
        "naming another group",
        "of another group",
        "the other direction",
        "older, not itself",
        "older, TCP only",
        "older, the other direction",
    ],
)
def test_a_rule_that_does_not_let_efa_out_does_not_count(check_stack, rule):
    [message] = check_stack(POLICY, [GROUP, OTHER, IN, rule])
    assert "no egress rule" in message


def test_nodes_with_efa_and_no_tagged_group_are_refused(check_stack):
    [message] = check_stack(POLICY, [OTHER, dataclasses.replace(NODES, sources={"spec": ["other-sg"]})])
    assert "EC2NodeClass 'p5'" in message
    assert "securityGroupSelectorTerms" in message
    assert "efa: off" in message


def test_nodes_that_do_not_carry_the_efa_group_of_the_stack_are_refused(check_stack):
    [message] = check_stack(POLICY, [GROUP, OTHER, IN, OUT, dataclasses.replace(NODES, sources={"spec": ["other-sg"]})])
    assert "EC2NodeClass 'p5'" in message


def test_a_node_class_whose_cluster_does_not_exist_yet_does_not_hide_the_groups_rules(check_stack):
    """The first preview of a stack shows Kubernetes objects without properties."""
    unseen = dataclasses.replace(NODES, props={})
    assert check_stack(POLICY, [GROUP, IN, OUT, unseen]) == []
    assert len(check_stack(POLICY, [GROUP, unseen])) == 2


def test_a_stack_without_efa_is_not_its_business(check_stack):
    interfaces = [{"interfaceType": "interface"}]
    plain = dataclasses.replace(NODES, props={"spec": {"networkInterfaces": interfaces}}, sources={})
    assert check_stack(POLICY, [OTHER, plain]) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation_on_the_group_in_a_preview(analyzer):
    [diagnostic] = [d for d in analyzer.analyze_stack([GROUP, IN]).diagnostics if d.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
    assert diagnostic.urn == GROUP.urn


def test_the_engine_gets_no_violation_for_a_good_stack(analyzer):
    response = analyzer.analyze_stack([GROUP, OTHER, IN, OUT, NODES])
    assert list(response.diagnostics) == []
    assert POLICY.name not in [entry.policy_name for entry in response.not_applicable]


def test_the_engine_learns_that_the_rule_does_not_apply(analyzer):
    assert POLICY.name in [entry.policy_name for entry in analyzer.analyze_stack([OTHER]).not_applicable]
