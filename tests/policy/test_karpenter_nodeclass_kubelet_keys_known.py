"""Kubelet settings that would let Karpenter launch nothing."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_nodeclass_kubelet_keys_known import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, node_class, node_pool

pytestmark = pytest.mark.policy

GOOD = {
    "maxPods": 110,
    "topologyManagerPolicy": "restricted",
    "evictionHard": {"memory.available": "5%"},
    "evictionSoft": {"memory.available": "10%"},
    "evictionSoftGracePeriod": {"memory.available": "1m"},
}


def test_a_class_with_settings_of_a_kubelet_passes(check):
    assert check(POLICY, NODE_CLASS, node_class(kubelet=GOOD)) == []


@pytest.mark.parametrize(
    ("kubelet", "words"),
    [
        ({"maxPod": 110}, "Rename it to maxPods"),
        ({"zzz": 1}, "Remove it"),
        ({"registerWithTaints": []}, "NodePool's taints"),
        ({"evictionHard": {"memory.free": "5%"}}, "no eviction signal"),
        ({"evictionMinimumReclaim": {"x": "5%"}}, "no eviction signal"),
        ({"evictionSoft": {"memory.available": "5%"}}, "other keys"),
        ({"evictionSoftGracePeriod": {"memory.available": "1m"}}, "other keys"),
    ],
)
def test_a_setting_that_no_kubelet_has_is_refused(check, kubelet, words):
    [message] = check(POLICY, NODE_CLASS, node_class(kubelet=kubelet), name="p5")
    assert "EC2NodeClass 'p5'" in message
    assert words in message


def test_a_preview_that_does_not_know_a_value_still_knows_its_name(check):
    assert len(check(POLICY, NODE_CLASS, node_class(kubelet={"maxPod": UNKNOWN}))) == 1
    assert check(POLICY, NODE_CLASS, node_class(kubelet={"clusterDomain": UNKNOWN})) == []


def test_classes_without_settings_and_other_resources_are_not_its_business(check):
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]
    assert check(POLICY, NODE_POOL, node_pool()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_CLASS, node_class(kubelet={"maxPod": 1}), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
