"""Interface lists that do not fit the instance type."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.instance_types import INSTANCE_TYPES
from policies.rules.karpenter_efa_interfaces_match_type import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, interfaces, node_class, node_pool, put

pytestmark = pytest.mark.policy

TYPES = [t.name for t in INSTANCE_TYPES.values() if t.efa_layout]
ORDINARY = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}


def efa(card, device=1):
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": "efa-only"}


@pytest.mark.parametrize("name", TYPES)
def test_the_layout_of_the_catalog_passes(check, name):
    assert check(POLICY, NODE_CLASS, node_class(name)) == []


def test_a_class_without_the_label_passes_with_a_layout_of_the_catalog(check):
    bare = put(node_class("trn1.32xlarge"), "metadata.labels", None)
    assert check(POLICY, NODE_CLASS, bare) == []


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("p5.48xlarge", interfaces("p5.48xlarge")[1:], "no ordinary interface at (0, 0)"),
        ("p5.48xlarge", interfaces("p5.48xlarge")[:-1], "has 31 EFA interfaces; p5.48xlarge has 32"),
        ("p5.48xlarge", [ORDINARY], "has 0 EFA interfaces"),
        ("p4d.24xlarge", interfaces("p5.48xlarge"), "p4d.24xlarge has 4"),
        ("g5.xlarge", [ORDINARY, efa(0)], "g5.xlarge has 0"),
        ("p6-b300.48xlarge", [ORDINARY, efa(0), *(efa(card, 0) for card in range(1, 16))], "network card 0"),
    ],
)
def test_a_list_that_does_not_fit_is_refused(check, name, given, words):
    messages = check(POLICY, NODE_CLASS, node_class(name, networkInterfaces=given), name="p5")
    assert [message for message in messages if words in message] != []
    assert all("EC2NodeClass 'p5'" in message for message in messages)


def test_a_public_address_on_several_interfaces_is_refused(check):
    [message] = check(POLICY, NODE_CLASS, node_class(associatePublicIPAddress=True))
    assert "public address" in message


def test_a_layout_of_no_type_is_refused_where_no_type_is_named(check):
    bare = put(node_class(networkInterfaces=[ORDINARY, efa(7)]), "metadata.labels", None)
    [message] = check(POLICY, NODE_CLASS, bare)
    assert "no type in the catalog" in message


def test_a_preview_that_knows_no_id_still_knows_the_interfaces(check):
    wrong = node_class(networkInterfaces=[ORDINARY], subnetSelectorTerms=[{"id": UNKNOWN}])
    assert len(check(POLICY, NODE_CLASS, wrong)) == 1


def test_classes_without_a_list_and_other_resources_are_not_its_business(check):
    assert check(POLICY, NODE_CLASS, node_class(networkInterfaces=None)) == ["not applicable"]
    assert check(POLICY, NODE_POOL, node_pool()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_CLASS, node_class(networkInterfaces=[ORDINARY]), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
