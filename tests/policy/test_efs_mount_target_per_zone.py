"""EFS is reachable in every zone."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efs_mount_target_per_zone import POLICY
from tests.policy.planned import Planned
from tests.policy.pool_samples import put, requiring
from tests.policy.storage_samples import subnet

pytestmark = pytest.mark.policy

SYSTEM = Planned(type="aws:efs/fileSystem:FileSystem", name="home", props={"encrypted": True})
SUBNETS = [
    subnet("private-a", "us-west-2a"),
    subnet("private-b", "us-west-2b"),
    subnet("public-c", "us-west-2c", private=False),
]


def target(place, name=None):
    return Planned(
        type="aws:efs/mountTarget:MountTarget",
        name=name or f"target-{place}",
        props={"fileSystemId": UNKNOWN, "subnetId": UNKNOWN},
        sources={"fileSystemId": ["home"], "subnetId": [place]},
    )


def pool(*zones):
    props = requiring("topology.kubernetes.io/zone", *zones)
    props = put(props, "spec.template.metadata.labels", {"eks-training-platform/pool": "p5"})
    return Planned(type="kubernetes:karpenter.sh/v1:NodePool", name="p5", props=props)


TARGETS = [target("private-a"), target("private-b")]


def test_one_in_each_zone_of_nodes_passes(check_stack):
    assert check_stack(POLICY, [SYSTEM, *SUBNETS, *TARGETS, pool("us-west-2b")]) == []


def test_a_zone_without_one_is_refused_with_its_name_and_ways_out(check_stack):
    [message] = check_stack(POLICY, [SYSTEM, *SUBNETS, TARGETS[0]])
    assert "'home' has no mount target in us-west-2b" in message
    assert "or use EfsFileSystem" in message


def test_the_zone_of_a_pool_without_one_is_refused_even_if_its_subnet_is_not_ours(check_stack):
    [message] = check_stack(POLICY, [SYSTEM, *SUBNETS, *TARGETS, pool("us-west-2d")])
    assert "us-west-2d" in message


def test_two_in_a_zone_are_refused(check_stack):
    twin = subnet("private-b2", "us-west-2b")
    [message] = check_stack(POLICY, [SYSTEM, *SUBNETS, twin, *TARGETS, target("private-b2")])
    assert "2 mount targets in us-west-2b; AWS allows one" in message
    assert "Keep one" in message


def test_none_at_all_is_refused(check_stack):
    [message] = check_stack(POLICY, [SYSTEM, *SUBNETS])
    assert "has no mount target: nothing can mount it" in message


def test_targets_of_another_file_system_do_not_count_and_it_is_refused(check_stack):
    other = dataclasses.replace(SYSTEM, name="other")
    [message] = check_stack(POLICY, [SYSTEM, other, *SUBNETS, *TARGETS])
    assert "'other'" in message


def test_in_a_preview_subnets_of_another_stack_have_no_zone_and_are_not_judged(check_stack):
    elsewhere = dataclasses.replace(target("x"), sources={"fileSystemId": ["home"]})
    assert check_stack(POLICY, [SYSTEM, elsewhere, pool("us-west-2a")]) == []


def test_in_a_first_preview_pools_without_properties_do_not_matter(check_stack):
    bare = Planned(type="kubernetes:karpenter.sh/v1:NodePool", name="p5", props={})
    assert check_stack(POLICY, [SYSTEM, *SUBNETS, *TARGETS, bare]) == []


def test_a_stack_without_efs_is_not_its_business(check_stack):
    assert check_stack(POLICY, SUBNETS) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_file_system(analyzer):
    response = analyzer.analyze_stack([SYSTEM, *SUBNETS, TARGETS[0]])
    found = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, SYSTEM.urn)]
