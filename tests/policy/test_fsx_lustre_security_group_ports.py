"""Lustre's ports are open both ways."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_lustre_security_group_ports import POLICY
from tests.policy.planned import Planned
from tests.policy.storage_samples import EFA, changed, group, lustre, rule

pytestmark = pytest.mark.policy

PORTS = ((988, 988), (1018, 1023))
SYSTEM = lustre(securityGroupIds=["files"])
GROUPS = [group("files"), group("nodes"), group("efa")]
RULES = [
    rule(kind, "files", peer, ports=p) for kind in ("Ingress", "Egress") for peer in ("files", "nodes") for p in PORTS
]
EFA_SYSTEM = lustre(EFA, securityGroupIds=["files"])
EFA_RULES = [
    rule(kind, owner, peer, protocol="-1")
    for kind in ("Ingress", "Egress")
    for owner, peer in (("files", "files"), ("files", "efa"), ("efa", "files"))
]


def legacy(direction, **props):
    given = {"securityGroupId": UNKNOWN, "type": direction, "protocol": "tcp", "fromPort": 0, "toPort": 65535, **props}
    return Planned(
        type="aws:ec2/securityGroupRule:SecurityGroupRule",
        name=f"legacy-{direction}-{sorted(props)}",
        props=given,
        sources={"securityGroupId": ["files"]},
    )


def without(name):
    return [r for r in RULES + EFA_RULES if r.name != name]


def test_a_group_with_all_rules_passes(check_stack):
    assert check_stack(POLICY, [SYSTEM, *GROUPS, *RULES]) == []


def test_one_with_efa_and_its_rules_by_group_passes(check_stack):
    assert check_stack(POLICY, [EFA_SYSTEM, *GROUPS, *RULES, *EFA_RULES]) == []


def test_everything_from_the_vpc_by_address_passes_for_lustre_alone(check_stack):
    rules = [legacy(way, cidrBlocks=["10.0.0.0/16"]) for way in ("ingress", "egress")]
    assert check_stack(POLICY, [SYSTEM, *GROUPS, *rules]) == []


def test_rules_inside_the_group_pass_as_well(check_stack):
    block = {"protocol": "tcp", "fromPort": "988", "toPort": "1023", "self": "true", "securityGroups": [UNKNOWN]}
    files = changed(GROUPS[0], ingress=[block], egress=[{**block, "fromPort": 988, "toPort": 1023, "self": True}])
    assert check_stack(POLICY, [SYSTEM, files]) == []


def test_ports_as_text_pass(check_stack):
    texts = [changed(r, fromPort=str(r.props["fromPort"]), toPort=str(r.props["toPort"])) for r in RULES]
    assert check_stack(POLICY, [SYSTEM, *GROUPS, *texts]) == []


@pytest.mark.parametrize("missing", RULES, ids=lambda r: r.name)
def test_each_missing_rule_is_refused_with_its_direction_port_and_peer(check_stack, missing):
    [message] = check_stack(POLICY, [SYSTEM, *GROUPS, *(r for r in RULES if r is not missing)])
    assert "'data' ('files')" in message
    assert ("ingress" if "Ingress" in missing.name else "egress") in message
    assert ("its own members" if "-files-tcp" in missing.name else "clients") in message
    assert ("TCP 988 " if "988" in missing.name else "TCP 1018-1023") in message
    assert "LustreSecurityGroup, or add" in message


@pytest.mark.parametrize("missing", [r for r in EFA_RULES if r.name.startswith("files")], ids=lambda r: r.name)
def test_each_missing_rule_for_efa_is_refused(check_stack, missing):
    [message] = check_stack(POLICY, [EFA_SYSTEM, *GROUPS, *without(missing.name)])
    assert "all protocols" in message
    assert "which EFA needs" in message


@pytest.mark.parametrize("missing", [r for r in EFA_RULES if r.name.startswith("efa")], ids=lambda r: r.name)
def test_efa_that_the_clients_own_group_does_not_let_through_is_refused(check_stack, missing):
    [message] = check_stack(POLICY, [EFA_SYSTEM, *GROUPS, *without(missing.name)])
    assert "clients' group 'efa'" in message


def test_addresses_do_not_count_for_efa_and_are_refused(check_stack):
    rules = [legacy(way, cidrBlocks=["10.0.0.0/16"], protocol="-1") for way in ("ingress", "egress")]
    [message] = check_stack(POLICY, [EFA_SYSTEM, *GROUPS, *RULES, *rules])
    assert "which EFA needs" in message


def test_ports_that_end_too_early_are_refused(check_stack):
    short = [changed(r, toPort=1022) if r.props["fromPort"] == 1018 else r for r in RULES]
    [message] = check_stack(POLICY, [SYSTEM, *GROUPS, *short])
    assert "1018-1023" in message


def test_udp_is_refused(check_stack):
    [message] = check_stack(POLICY, [SYSTEM, *GROUPS, *(changed(r, ipProtocol="udp") for r in RULES)])
    assert "TCP 988" in message


def test_no_group_at_all_is_refused_since_the_default_group_is_closed(check_stack):
    bare = dataclasses.replace(changed(SYSTEM, securityGroupIds=None), sources={})
    [message] = check_stack(POLICY, [bare])
    assert "the VPC's default group" in message


def test_in_a_preview_groups_of_another_stack_are_not_judged(check_stack):
    other = dataclasses.replace(changed(SYSTEM, securityGroupIds=["sg-1"]), sources={})
    assert check_stack(POLICY, [other]) == []
    assert check_stack(POLICY, [changed(other, securityGroupIds=UNKNOWN)]) == []


def test_a_stack_without_lustre_is_not_its_business(check_stack):
    assert check_stack(POLICY, [*GROUPS, *RULES]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_file_system(analyzer):
    found = [d for d in analyzer.analyze_stack([SYSTEM, *GROUPS]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, SYSTEM.urn)]
