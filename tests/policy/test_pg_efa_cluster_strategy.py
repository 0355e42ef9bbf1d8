"""EFA pools use cluster placement groups."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.pg_efa_cluster_strategy import GROUP, POLICY
from tests.policy.efa_samples import klass, pool
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

OURS = {"sources": ("group",), "placementGroupSelector": {"name": UNKNOWN}}


def group(strategy, **more):
    return Planned(type=GROUP, name="group", props={"strategy": strategy, **more})


@pytest.mark.parametrize("strategy", ["cluster", UNKNOWN, None])
def test_a_cluster_group_passes_and_one_that_a_preview_does_not_know(check_stack, strategy):
    assert check_stack(POLICY, [group(strategy), klass(**OURS), pool()]) == []


@pytest.mark.parametrize("strategy", ["spread", "partition"])
def test_a_group_that_keeps_nodes_apart_is_named_and_never_refused(check_stack, strategy):
    [message] = check_stack(POLICY, [group(strategy), klass(**OURS), pool()])
    assert f"EC2NodeClass 'p5' has EFA and uses placement group 'group' of strategy {strategy}" in message
    assert "cluster, or leave the placement group out" in message


def test_a_group_is_found_by_its_name_too(check_stack):
    named = klass(placementGroupSelector={"name": "apart"})
    assert len(check_stack(POLICY, [group("spread", name="apart"), named])) == 1
    assert check_stack(POLICY, [group("spread", name="other"), named]) == []


def test_a_pool_that_gets_efa_on_request_is_judged_too(check_stack):
    on_request = klass(**OURS, networkInterfaces=None)
    assert len(check_stack(POLICY, [group("spread"), on_request, pool()])) == 1


def test_without_efa_or_groups_it_is_not_its_business(check_stack):
    off = pool("p5", **{"eks-training-platform/efa": "false"})
    assert check_stack(POLICY, [group("spread"), klass(**OURS, networkInterfaces=None), off]) == ["not applicable"]
    assert check_stack(POLICY, [klass(), pool()]) == ["not applicable"]


def test_the_engine_gets_a_warning_on_the_class(analyzer):
    bad = klass(**OURS)
    found = [d for d in analyzer.analyze_stack([group("spread"), bad]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.ADVISORY, bad.urn)]
