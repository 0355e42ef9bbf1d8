"""Training pools whose nodes may go before their jobs end."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_training_pool_not_consolidated import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, general_pool, node_class, node_pool, requiring

pytestmark = pytest.mark.policy

BUDGETS = "spec__disruption__budgets"
EXPIRY = "spec__template__spec__expireAfter"
GRACE = "spec__template__spec__terminationGracePeriod"
WINDOW = [{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 10 * * 1", "duration": "164h"}, {"nodes": "1"}]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {BUDGETS: WINDOW},
        {BUDGETS: [{"nodes": "0"}]},
        {EXPIRY: "336h", "metadata__annotations": {"eks-training-platform/max-job-duration": "168h"}},
        {GRACE: "1h"},
    ],
    ids=["as made", "a window", "no voluntary disruption", "an age above the longest job", "a long grace period"],
)
def test_a_pool_whose_nodes_outlive_their_jobs_passes(check, changes):
    assert check(POLICY, NODE_POOL, node_pool(**changes)) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"spec__disruption__consolidationPolicy": "WhenEmptyOrUnderutilized"}, "would move running jobs"),
        ({"spec__disruption__consolidationPolicy": "Balanced"}, "(Balanced)"),
        ({EXPIRY: "720h"}, "longest job takes unknown time"),
        ({EXPIRY: "72h", "metadata__annotations": {"eks-training-platform/max-job-duration": "168h"}}, "takes 168h"),
        ({GRACE: "5m"}, "kills pods 300 s after"),
        ({BUDGETS: [{"nodes": "10%"}]}, "no time without drift"),
        ({BUDGETS: [{"nodes": "0", "reasons": ["Empty"]}]}, "no time without drift"),
        ({BUDGETS: None}, "no time without drift"),
    ],
)
def test_a_pool_that_may_lose_nodes_under_a_job_is_refused(check, changes, words):
    [message] = check(POLICY, NODE_POOL, node_pool(**changes), name="p5")
    assert "NodePool 'p5'" in message
    assert words in message


def test_a_preview_without_types_still_sees_the_taint(check):
    pool = requiring("node.kubernetes.io/instance-type")
    pool["spec"]["disruption"]["consolidationPolicy"] = "Balanced"
    pool["metadata"]["name"] = UNKNOWN
    assert len(check(POLICY, NODE_POOL, pool)) == 1


def test_general_pools_and_other_resources_are_not_its_business(check):
    assert check(POLICY, NODE_POOL, general_pool()) == ["not applicable"]
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_POOL, node_pool(**{EXPIRY: "1h"}), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
