"""No security group is open to the world."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.ec2_securitygroup_no_world_ingress import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
GOOD = {"cidrIpv4": "10.0.0.0/16", "ipProtocol": "tcp"}


LEGACY = "aws:ec2/securityGroupRule:SecurityGroupRule"
GROUP = "aws:ec2/securityGroup:SecurityGroup"


@pytest.mark.parametrize(
    ("type_", "props"),
    [
        (LEGACY, {"type": "ingress", "cidrBlocks": ["10.0.0.0/8", "0.0.0.0/0"]}),
        (LEGACY, {"type": "ingress", "ipv6CidrBlocks": ["::/0"]}),
        (GROUP, {"ingress": [{"cidrBlocks": ["10.0.0.0/8"]}, {"cidrBlocks": ["0.0.0.0/0"]}]}),
    ],
    ids=["the older rule", "the older rule, IPv6", "a block inside the group"],
)
def test_however_the_rule_is_written_it_is_refused(check, type_, props):
    assert len(check(POLICY, type_, props)) == 1


def test_what_goes_out_is_not_its_business(check):
    assert check(POLICY, LEGACY, {"type": "egress", "cidrBlocks": ["0.0.0.0/0"]}) == ["not applicable"]


def test_a_block_that_a_preview_does_not_know_passes_until_the_update(check):
    assert check(POLICY, TYPE, {"cidrIpv4": UNKNOWN}) == []


@pytest.mark.parametrize(
    "props",
    [GOOD, {"referencedSecurityGroupId": "sg-1"}],
    ids=["usual", "a group"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [
        ({"cidrIpv4": "0.0.0.0/0"}, ["0.0.0.0/0", "./scripts/tunnel"]),
        ({"cidrIpv6": "::/0"}, ["::/0"]),
        ({"cidrIpv4": "64.0.0.0/2"}, ["64.0.0.0/2"]),
    ],
    ids=["IPv4", "IPv6", "a quarter"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert len(check(POLICY, TYPE, {"securityGroupId": UNKNOWN, "cidrIpv4": "0.0.0.0/0"})) == 1


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [d for d in analyzer.analyze(TYPE, {"cidrIpv4": "0.0.0.0/0"}).diagnostics if d.policyName == POLICY.name]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
