"""VPCs keep flow logs."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.ec2_vpc_flow_logs import POLICY
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

OWNER = Planned(type="aws:ec2/vpc:Vpc", name="it", props={"id": UNKNOWN})
OTHER = dataclasses.replace(OWNER, name="other")
GOOD = Planned(
    type="aws:ec2/flowLog:FlowLog",
    name="companion",
    props={"vpcId": UNKNOWN},
    sources={"vpcId": ["it"]},
)


def test_one_with_its_companion_passes(check_stack):
    assert check_stack(POLICY, [OWNER, GOOD]) == []


def test_one_without_is_refused_with_its_name_and_what_to_do(check_stack):
    [message] = check_stack(POLICY, [OWNER])
    assert "'it'" in message
    assert [word for word in ["network.flowLogs"] if word not in message] == []


def test_the_companion_of_another_does_not_count_and_it_is_refused(check_stack):
    [message] = check_stack(POLICY, [OWNER, OTHER, GOOD])
    assert "'other'" in message


def test_in_a_preview_ids_that_are_not_known_yet_do_not_matter(check_stack):
    assert (
        check_stack(POLICY, [OWNER, dataclasses.replace(GOOD, props={**GOOD.props, "logDestination": UNKNOWN})]) == []
    )


def test_a_stack_without_any_is_not_its_business(check_stack):
    assert check_stack(POLICY, [dataclasses.replace(GOOD, sources={})]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_resource_with_its_level(analyzer):
    found = [d for d in analyzer.analyze_stack([OWNER]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.ADVISORY, OWNER.urn)]
