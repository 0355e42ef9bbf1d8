"""The controller's six policies: short enough, scoped, and those of Karpenter's own template."""

import json
from typing import Any

import pytest

from components.capacity.karpenter_policies import MAX_POLICY_CHARACTERS, POLICIES, Scope, policy_documents
from tests.support import ROOT

pytestmark = pytest.mark.unit

ACCOUNT = "111122223333"
# The longest names that the environment lets through, in the partition with the longest ARNs.
LONGEST = {
    "partition": "aws-us-gov",
    "region": "us-gov-west-1",
    "cluster_name": f"training-{'s' * 20}",
    "cluster_arn": f"arn:aws-us-gov:eks:us-gov-west-1:{ACCOUNT}:cluster/training-{'s' * 20}",
    "node_role_arn": f"arn:aws-us-gov:iam::{ACCOUNT}:role/{'p' * 512}/{'r' * 64}",
    "queue_arn": f"arn:aws-us-gov:sqs:us-gov-west-1:{ACCOUNT}:{'q' * 80}",
}


def documents(**changes: str) -> dict[str, dict[str, Any]]:
    given = {
        "partition": "aws",
        "region": "us-west-2",
        "cluster_name": "training-test",
        "cluster_arn": f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/training-test",
        "node_role_arn": f"arn:aws:iam::{ACCOUNT}:role/nodes",
        "queue_arn": f"arn:aws:sqs:us-west-2:{ACCOUNT}:queue",
    }
    # As IAM reads them.
    return json.loads(json.dumps(policy_documents(Scope(**{**given, **changes}))))


def statements() -> dict[str, dict[str, Any]]:
    return {
        f"{policy}/{statement['Sid']}": statement
        for policy, document in documents().items()
        for statement in document["Statement"]
    }


EVERY = statements()


def as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def test_the_names_are_known_without_the_documents():
    assert tuple(documents()) == POLICIES


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_fits_into_what_iam_allows(policy):
    compact = json.dumps(documents(**LONGEST)[policy], separators=(",", ":"))
    assert len(compact) < MAX_POLICY_CHARACTERS


def test_all_in_one_would_not_fit_which_is_why_there_are_six():
    assert sum(len(json.dumps(d, separators=(",", ":"))) for d in documents(**LONGEST).values()) > MAX_POLICY_CHARACTERS


def upstream() -> dict[str, dict[str, Any]]:
    return json.loads((ROOT / "tests/unit/data/karpenter-policies.json").read_text(encoding="utf-8"))["statements"]


def test_there_are_exactly_the_statements_of_karpenter_s_template():
    assert set(EVERY) == set(upstream())


@pytest.mark.parametrize("statement", upstream())
def test_a_statement_says_what_karpenter_s_template_says(statement):
    ours, theirs = EVERY[statement], upstream()[statement]
    assert ours["Effect"] == theirs["Effect"]
    assert sorted(as_list(ours["Action"])) == sorted(as_list(theirs["Action"]))
    assert sorted(as_list(ours["Resource"])) == sorted(as_list(theirs["Resource"]))
    assert ours.get("Condition") == theirs.get("Condition")


def test_launches_into_reservations_and_placement_groups_are_allowed():
    resources = EVERY["NodeLifecycle/AllowScopedEC2InstanceAccessActions"]["Resource"]
    assert {"arn:aws:ec2:us-west-2:*:capacity-reservation/*", "arn:aws:ec2:us-west-2:*:placement-group/*"} <= {
        *resources
    }


@pytest.mark.parametrize("statement", EVERY)
def test_whatever_changes_something_is_bound_to_a_resource(statement):
    reading = ("Describe", "List", "Get")
    if not all(action.split(":")[1].startswith(reading) for action in EVERY[statement]["Action"]):
        assert "*" not in EVERY[statement]["Resource"]


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov"])
def test_arns_are_of_the_stack_s_partition_region_and_account(partition):
    found = documents(
        partition=partition,
        region="xx-test-1",
        cluster_arn=f"arn:{partition}:eks:xx-test-1:{ACCOUNT}:cluster/training-test",
        node_role_arn=f"arn:{partition}:iam::{ACCOUNT}:role/nodes",
        queue_arn=f"arn:{partition}:sqs:xx-test-1:{ACCOUNT}:queue",
    )
    resources = [r for document in found.values() for s in document["Statement"] for r in s["Resource"] if r != "*"]
    for arn in resources:
        _, its_partition, service, region, account, _ = arn.split(":", 5)
        assert its_partition == partition
        assert region == ("" if service == "iam" else "xx-test-1")
        assert account in {"ec2": ("*", ""), "ssm": ("",)}.get(service, (ACCOUNT,))
