"""The control plane logs everything."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.eks_cluster_control_plane_logs import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:eks/cluster:Cluster"
GOOD = {"enabledClusterLogTypes": ["api", "audit", "authenticator", "controllerManager", "scheduler"]}


@pytest.mark.parametrize(
    "props",
    [GOOD, {"enabledClusterLogTypes": ["scheduler", "controllerManager", "authenticator", "audit", "api"]}],
    ids=["usual", "another order"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [
        ({}, ["api, audit, authenticator, controllerManager, scheduler", "TrainingCluster"]),
        ({"enabledClusterLogTypes": ["api", "authenticator", "controllerManager", "scheduler"]}, ["log audit:"]),
    ],
    ids=["none", "no audit"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert len(check(POLICY, TYPE, {"roleArn": UNKNOWN, "enabledClusterLogTypes": ["api"]})) == 1


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:ec2/securityGroup:SecurityGroup", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [d for d in analyzer.analyze(TYPE, {}).diagnostics if d.policyName == POLICY.name]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
