"""Node sets of a release and their partition."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_partition_must_be_enabled import POLICY
from tests.policy.slurm_samples import NODE_SET, RELEASE, VALUES, node_set, release, slurm

pytestmark = pytest.mark.policy

OFF = {key: value for key, value in VALUES.items() if key != "partitions"}


def values(**changes):
    return release("slurm", values={**OFF, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"partitions": {"all": {"enabled": True}}},
        {"partitions": {"all": {"enabled": "true"}}},
        {"partitions": {"gpu": {"enabled": True, "nodesets": ["gpu"]}}},
        {"nodesetDefaults": {"partition": {"enabled": True}}},
        {"nodesets": {"gpu": {"partition": {"enabled": True}}}},
        {"controller": {"extraConf": "KillWait=120\nPartitionName=all Nodes=ALL"}},
        {"controller": {"extraConf": "partitionname = all nodes=ALL"}},
        {"controller": {"extraConfMap": {"PartitionName": "all Nodes=ALL"}}},
    ],
)
def test_a_partition_in_any_of_its_places_passes(check, changes):
    assert check(POLICY, RELEASE, values(**changes)) == []


@pytest.mark.parametrize(
    "partitions",
    [None, {}, {"all": {}}, {"all": {"enabled": False}}, {"all": {"enabled": "false"}}, {"all": None}, {"all": []}, []],
)
def test_node_sets_without_a_partition_are_refused_with_two_ways_out(check, partitions):
    [message] = check(POLICY, RELEASE, values(partitions=partitions))
    assert "Release 'slurm' makes the node sets gpu and no partition that is on" in message
    assert "Slurm refuses every job" in message
    assert "partitions.all.enabled: true, or partition.enabled: true" in message


def test_a_comment_and_a_default_line_are_no_partition_and_are_refused(check):
    lines = {"extraConf": "# PartitionName=all Nodes=ALL\nKillWait=120"}
    assert len(check(POLICY, RELEASE, values(controller=lines))) == 1


@pytest.mark.parametrize("sets", [None, {}, {"gpu": {"enabled": False}}, []])
def test_a_release_that_makes_no_node_set_passes(check, sets):
    assert check(POLICY, RELEASE, values(nodesets=sets)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"partitions": UNKNOWN},
        {"partitions": {"all": {"enabled": UNKNOWN}}},
        {"nodesets": UNKNOWN},
        {"nodesets": {"gpu": {"partition": {"enabled": UNKNOWN}}}},
        {"controller": {"extraConf": UNKNOWN}},
    ],
)
def test_a_partition_that_a_preview_does_not_know_passes(check, changes):
    assert check(POLICY, RELEASE, values(**changes)) == []
    assert check(POLICY, RELEASE, release("slurm", values=UNKNOWN_OBJECT_VALUE)) == []


def test_other_releases_and_objects_are_not_its_business(check):
    assert check(POLICY, NODE_SET, node_set()) == ["not applicable"]
    assert check(POLICY, RELEASE, {"chart": "volcano", "values": OFF}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    response = analyzer.analyze(RELEASE, slurm("partitions", None))
    [found] = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
