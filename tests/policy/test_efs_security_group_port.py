"""NFS reaches EFS."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efs_security_group_port import POLICY
from tests.policy.planned import Planned
from tests.policy.storage_samples import changed, group, rule

pytestmark = pytest.mark.policy

GROUPS = [group("efs"), group("nodes")]
TARGET = Planned(
    type="aws:efs/mountTarget:MountTarget",
    name="target-a",
    props={"subnetId": UNKNOWN, "securityGroups": [UNKNOWN]},
    sources={"securityGroups": ["efs"]},
)
RULE = rule("Ingress", "efs", "nodes", ports=(2049, 2049))


@pytest.mark.parametrize(
    "opening",
    [RULE, changed(RULE, fromPort="2049", toPort="2049"), rule("Ingress", "efs", "nodes", protocol="-1")],
    ids=["the port", "as text", "everything"],
)
def test_a_group_that_lets_nodes_in_passes(check_stack, opening):
    assert check_stack(POLICY, [TARGET, *GROUPS, opening]) == []


@pytest.mark.parametrize(
    "rules",
    [
        [],
        [rule("Egress", "efs", "nodes", ports=(2049, 2049))],
        [rule("Ingress", "efs", "efs", ports=(2049, 2049))],
        [rule("Ingress", "nodes", "efs", ports=(2049, 2049))],
        [rule("Ingress", "efs", "nodes", ports=(111, 2048))],
        [changed(RULE, ipProtocol="udp")],
    ],
    ids=["no rule", "the way out", "itself alone", "the other group", "other ports", "UDP"],
)
def test_one_that_does_not_is_refused_with_the_port_and_ways_out(check_stack, rules):
    [message] = check_stack(POLICY, [TARGET, *GROUPS, *rules])
    assert "'target-a' ('efs') lets no node in on TCP 2049" in message
    assert "or use the component EfsFileSystem" in message


def test_no_group_is_refused_since_the_default_group_is_closed(check_stack):
    bare = dataclasses.replace(changed(TARGET, securityGroups=None), sources={})
    [message] = check_stack(POLICY, [bare])
    assert "the VPC's default group" in message


@pytest.mark.parametrize("groups", [["sg-1"], [UNKNOWN], UNKNOWN], ids=["an id", "unknown", "all unknown"])
def test_in_a_preview_groups_of_another_stack_are_not_judged(check_stack, groups):
    assert check_stack(POLICY, [dataclasses.replace(changed(TARGET, securityGroups=groups), sources={})]) == []


def test_a_stack_without_mount_targets_is_not_its_business(check_stack):
    assert check_stack(POLICY, GROUPS) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_mount_target(analyzer):
    found = [d for d in analyzer.analyze_stack([TARGET, *GROUPS]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, TARGET.urn)]
