"""The oldest Kubernetes for Slinky."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_kubernetes_floor import POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_samples import NODE_SET, RELEASE, chain, node_set

pytestmark = pytest.mark.policy


def cluster(version):
    return Planned(type="aws:eks/cluster:Cluster", name="train", props={"version": version})


@pytest.mark.parametrize("version", ["1.29", "1.35", "v1.30", "2.0"])
def test_a_cluster_of_the_minimum_or_later_passes(check_stack, version):
    assert check_stack(POLICY, [cluster(version), *chain()]) == []


@pytest.mark.parametrize("version", ["1.28", "1.9", "v1.27.3", 1.28])
def test_an_older_cluster_is_refused_with_two_ways_out(check_stack, version):
    [message] = check_stack(POLICY, [cluster(version), *chain()])
    assert f"Cluster 'train' has Kubernetes {version}, and Slinky ('crds') needs 1.29 or later" in message
    assert ", or leave Slurm out" in message


def test_an_object_of_slurm_is_enough_to_be_refused(check_stack):
    assert len(check_stack(POLICY, [cluster("1.28"), Planned(type=NODE_SET, name="gpu", props=node_set())])) == 1


def test_in_a_first_preview_the_component_is_enough(check_stack):
    component = Planned(type="ekstraining:platform:SlurmCluster", name="slurm", props={})
    release = Planned(type=RELEASE, name="slurm-release", props={}, parent="slurm")
    assert len(check_stack(POLICY, [cluster("1.28"), component, release])) == 1


@pytest.mark.parametrize("version", [UNKNOWN, None, "", "latest", [], "1"])
def test_a_version_that_a_preview_does_not_know_passes(check_stack, version):
    assert check_stack(POLICY, [cluster(version), *chain()]) == []


def test_a_cluster_without_slurm_is_not_its_business(check_stack):
    assert check_stack(POLICY, [cluster("1.28"), *chain()[:1]]) == ["not applicable"]
    assert check_stack(POLICY, chain()) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_cluster(analyzer):
    old = cluster("1.28")
    found = [d for d in analyzer.analyze_stack([old, *chain()]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, old.urn)]
