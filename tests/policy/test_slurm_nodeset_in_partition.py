"""NodeSets as objects of their own and their partition."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_nodeset_in_partition import POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_samples import CONTROLLER, NODE_SET, RELEASE, controller, node_set, release

pytestmark = pytest.mark.policy

ALL = "PartitionName=all Nodes=ALL Default=YES"
NONE = [Planned(type=NODE_SET, name="gpu", props=node_set("spec.partition.enabled", False))]


def cluster(**values):
    return Planned(type=RELEASE, name="slurm", props=release("slurm", values=values))


def slurmctld(lines):
    return Planned(type=CONTROLLER, name="slurm", props=controller("spec.extraConf", lines))


@pytest.mark.parametrize(
    "home",
    [
        cluster(controller={"extraConf": ALL}),
        cluster(partitions={"all": {"enabled": True}}),
        cluster(nodesets={"cpu": {"partition": {"enabled": True}}}),
        slurmctld(ALL),
    ],
)
def test_a_partition_of_the_controller_passes(check_stack, home):
    assert check_stack(POLICY, [home, *NONE]) == []


def test_a_partition_of_its_own_passes_for_all(check_stack):
    own = Planned(type=NODE_SET, name="cpu", props=node_set())
    assert check_stack(POLICY, [cluster(), own, *NONE]) == []


@pytest.mark.parametrize("home", [cluster(partitions={"all": {"enabled": False}}), slurmctld("KillWait=120")])
@pytest.mark.parametrize("partition", [None, False, {}, {"enabled": False}, {"enabled": "false"}, []])
def test_nodesets_without_any_are_refused_with_two_ways_out(check_stack, home, partition):
    bare = Planned(type=NODE_SET, name="gpu", props=node_set("spec.partition", partition))
    [message] = check_stack(POLICY, [home, bare])
    assert "NodeSet 'gpu' is in no partition" in message
    assert "spec.partition.enabled: true, or write a line PartitionName=all" in message


def test_an_old_version_of_the_api_is_refused_alike(check_stack):
    old = Planned(type=NODE_SET.replace("v1beta1", "v1alpha1"), name="gpu", props=node_set("spec.partition", None))
    assert len(check_stack(POLICY, [cluster(), old])) == 1


@pytest.mark.parametrize(
    "home",
    [
        Planned(type=RELEASE, name="slurm", props=release("slurm", values=UNKNOWN_OBJECT_VALUE)),
        cluster(controller={"extraConf": UNKNOWN}),
        slurmctld(UNKNOWN),
    ],
)
def test_lines_that_a_preview_does_not_know_pass(check_stack, home):
    assert check_stack(POLICY, [home, *NONE]) == []


def test_a_nodeset_that_a_preview_does_not_know_passes(check_stack):
    for path in ("spec", "spec.partition", "spec.partition.enabled"):
        unknown = Planned(type=NODE_SET, name="cpu", props=node_set(path, UNKNOWN))
        assert check_stack(POLICY, [cluster(), unknown, *NONE]) == []


def test_without_a_controller_or_in_a_first_preview_it_is_not_its_business(check_stack):
    assert check_stack(POLICY, NONE) == ["not applicable"]
    assert check_stack(POLICY, [cluster()]) == ["not applicable"]
    bare = [Planned(type=RELEASE, name="slurm", props={}), Planned(type=NODE_SET, name="gpu", props={})]
    assert check_stack(POLICY, bare) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_nodeset(analyzer):
    found = [d for d in analyzer.analyze_stack([cluster(), *NONE]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, NONE[0].urn)]
