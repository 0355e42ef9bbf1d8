"""EFS takes TLS only."""

import dataclasses
import json

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efs_file_system_tls import POLICY
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

SYSTEM = Planned(type="aws:efs/fileSystem:FileSystem", name="home", props={"encrypted": True})


def policy(effect="Deny", value="false", principal="*"):
    statement = {
        "Effect": effect,
        "Principal": principal,
        "Action": "*",
        "Condition": {"Bool": {"aws:SecureTransport": value}},
    }
    return json.dumps({"Statement": [statement]})


def attached(text, to="home"):
    props = {"fileSystemId": UNKNOWN, "policy": text}
    return Planned(
        type="aws:efs/fileSystemPolicy:FileSystemPolicy", name="tls", props=props, sources={"fileSystemId": [to]}
    )


@pytest.mark.parametrize(
    "text", [policy(), policy(value=False), policy(principal={"AWS": "*"})], ids=["usual", "a boolean", "by account"]
)
def test_one_that_denies_plain_mounts_passes(check_stack, text):
    assert check_stack(POLICY, [SYSTEM, attached(text)]) == []


@pytest.mark.parametrize(
    "text",
    [policy(effect="Allow"), policy(value="true"), policy(principal={"AWS": "arn:aws:iam::1:root"}), "{}"],
    ids=["an allow", "the other way round", "of one account", "empty"],
)
def test_one_that_does_not_is_refused_with_two_ways_out(check_stack, text):
    [message] = check_stack(POLICY, [SYSTEM, attached(text)])
    assert "'home' takes mounts without TLS" in message
    assert "aws:SecureTransport, or use the component EfsFileSystem" in message


def test_the_policy_of_another_file_system_does_not_count_and_it_is_refused(check_stack):
    other = dataclasses.replace(SYSTEM, name="other")
    [message] = check_stack(POLICY, [SYSTEM, other, attached(policy())])
    assert "'other'" in message


def test_in_a_preview_a_policy_that_is_not_known_yet_is_left_to_the_update(check_stack):
    assert check_stack(POLICY, [SYSTEM, attached(UNKNOWN)]) == []


def test_a_stack_without_any_is_not_its_business(check_stack):
    assert check_stack(POLICY, [dataclasses.replace(attached(policy()), sources={})]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_file_system(analyzer):
    found = [d for d in analyzer.analyze_stack([SYSTEM]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, SYSTEM.urn)]
