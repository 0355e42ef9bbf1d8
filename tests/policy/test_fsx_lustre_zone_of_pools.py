"""Lustre is where its pools are."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_lustre_zone_of_pools import POLICY
from tests.policy.planned import Planned
from tests.policy.pool_samples import put, requiring
from tests.policy.storage_samples import SSD, changed, lustre, subnet

pytestmark = pytest.mark.policy

ZONE = "topology.kubernetes.io/zone"
SYSTEM = lustre(subnetIds=["private-b"])
SUBNETS = [subnet("private-a", "us-west-2a"), subnet("private-b", "us-west-2b")]


def pool(label, *zones):
    props = put(requiring(ZONE, *zones), "spec.template.metadata.labels", {"eks-training-platform/pool": label})
    return Planned(type="kubernetes:karpenter.sh/v1:NodePool", name=f"pool-{label}", props=props)


def test_one_in_the_zone_of_its_subnet_and_pools_passes(check_stack):
    assert check_stack(POLICY, [SYSTEM, *SUBNETS, pool("p5", "us-west-2b"), pool("g5", "us-west-2a")]) == []


@pytest.mark.parametrize(
    ("zones", "seen"),
    [(["us-west-2a"], "in us-west-2a"), (["us-west-2a", "us-west-2b"], "us-west-2a and us-west-2b"), ([], "any zone")],
    ids=["another zone", "two zones", "no zone"],
)
def test_a_pool_elsewhere_is_refused_with_both_zones_and_ways_out(check_stack, zones, seen):
    [message] = check_stack(POLICY, [SYSTEM, *SUBNETS, pool("p5", *zones)])
    assert "'data' is in us-west-2b and pool 'p5'" in message
    assert seen in message
    assert "crossZone: true" in message


@pytest.mark.parametrize("value", ["true", True], ids=repr)
def test_a_pool_elsewhere_passes_where_someone_accepted_it(check_stack, value):
    accepted = changed(SYSTEM, tags={**SSD["tags"], "eks-training-platform/cross-zone": value})
    assert check_stack(POLICY, [accepted, *SUBNETS, pool("p5", "us-west-2a")]) == []
    assert len(check_stack(POLICY, [accepted, subnet("private-b", "us-west-2a")])) == 1


def test_a_subnet_in_another_zone_is_refused(check_stack):
    wrong = [subnet("private-b", "us-west-2c")]
    [message] = check_stack(POLICY, [SYSTEM, *wrong])
    assert "tagged us-west-2b, but its subnet 'private-b' is in us-west-2c" in message
    assert "correct the tag" in message


def test_without_its_zone_tag_it_is_refused(check_stack):
    [message] = check_stack(POLICY, [changed(SYSTEM, tags={"Name": "data"}), *SUBNETS])
    assert "eks-training-platform/zone" in message


def test_existing_subnets_are_judged_by_tags_alone_and_a_pool_elsewhere_is_refused(check_stack):
    existing = lustre()
    assert check_stack(POLICY, [existing, pool("p5", "us-west-2b")]) == []
    assert len(check_stack(POLICY, [existing, pool("p5", "us-west-2a")])) == 1


def test_one_without_pools_passes(check_stack):
    only_zone = {"eks-training-platform/zone": "us-west-2b"}
    assert check_stack(POLICY, [changed(SYSTEM, tags=only_zone), *SUBNETS, pool("p5", "us-west-2a")]) == []


def test_in_a_first_preview_pools_without_properties_do_not_matter(check_stack):
    bare = Planned(type="kubernetes:karpenter.sh/v1:NodePool", name="p5", props={})
    assert check_stack(POLICY, [SYSTEM, subnet("private-b", UNKNOWN), bare]) == []


def test_in_a_preview_a_subnet_whose_id_is_unknown_is_still_compared(check_stack):
    assert SSD["subnetIds"] == UNKNOWN
    assert len(check_stack(POLICY, [SYSTEM, subnet("private-b", "us-west-2a")])) == 1


def test_a_stack_without_lustre_is_not_its_business(check_stack):
    assert check_stack(POLICY, [*SUBNETS, pool("p5", "us-west-2b")]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_file_system(analyzer):
    response = analyzer.analyze_stack([SYSTEM, *SUBNETS, pool("p5", "us-west-2a")])
    found = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, SYSTEM.urn)]
