"""Node classes whose image may change by itself."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_nodeclass_ami_pinned import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, node_class, node_pool

pytestmark = pytest.mark.policy


@pytest.mark.parametrize(
    "terms", [[{"alias": "al2023@v20261023"}], [{"id": "ami-0123456789"}, {"id": "ami-1"}]], ids=["a release", "ids"]
)
def test_a_pinned_image_passes(check, terms):
    assert check(POLICY, NODE_CLASS, node_class(amiSelectorTerms=terms)) == []


@pytest.mark.parametrize(
    ("terms", "seen"),
    [
        ([{"alias": "al2023@latest"}], "the alias al2023@latest"),
        ([{"name": "my-image-*", "owner": "self"}], "name and owner"),
        ([{"tags": {"team": "ml"}}], "tags"),
        ([{"ssmParameter": "/my/image"}], "ssmParameter"),
        ([], "selects no image"),
        (None, "selects no image"),
    ],
)
def test_an_image_that_may_change_is_refused(check, terms, seen):
    [message] = check(POLICY, NODE_CLASS, node_class(amiSelectorTerms=terms), name="p5")
    assert "EC2NodeClass 'p5'" in message
    assert seen in message


def test_a_preview_that_does_not_know_the_id_knows_that_it_is_one(check):
    assert check(POLICY, NODE_CLASS, node_class(amiSelectorTerms=[{"id": UNKNOWN}])) == []


def test_other_resources_are_not_its_business(check):
    assert check(POLICY, NODE_POOL, node_pool()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_CLASS, node_class(amiSelectorTerms=[{"alias": "al2023@latest"}]), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
