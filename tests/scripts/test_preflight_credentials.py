"""Preflight on the account: whose it is, what it may ask and do, and what AWS has today."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from moto import mock_aws

from scripts.findings import Finding, Level
from tests.scripts import preflight_account as given
from tests.scripts.preflight_account import only

pytestmark = pytest.mark.scripts


@pytest.fixture
def account(monkeypatch) -> Iterator[given.Account]:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with mock_aws():
        yield given.Account()


@pytest.fixture
def judged(account, tmp_path):
    """Findings about an environment, notes left out."""

    def run(environment: dict[str, Any] | None = None, accounts: tuple[str, ...] = (given.ACCOUNT,)) -> list[Finding]:
        found = account.findings(given.subject_of(tmp_path, environment or given.example(), accounts=accounts))
        return [each for each in found if each.level is not Level.NOTE]

    return run


def test_another_account_than_the_file_names_is_an_error(judged):
    found = only(judged(accounts=("999988887777",)))
    assert (found.level, found.field, found.seen) == (Level.ERROR, "aws:allowedAccountIds", ["999988887777"])
    assert found.reason.startswith(f"The credentials are of account {given.ACCOUNT} (arn:aws:sts::")


def test_a_file_that_names_no_account_is_a_warning_with_the_line_to_add(judged):
    found = only(judged(accounts=()))
    assert found.level is Level.WARNING
    assert found.way_out == f'add aws:allowedAccountIds: ["{given.ACCOUNT}"] if that is the one'


def test_a_principal_of_another_account_is_an_error_with_its_field(judged):
    environment = given.example()
    environment["cluster"]["access"][1]["principal"] = "arn:aws:iam::999988887777:role/research"
    found = only(judged(environment))
    assert (found.level, found.field) == (Level.ERROR, "cluster.access[1].principal")
    assert found.reason.startswith("It is of account 999988887777, the credentials are of 123456789012")


DENIALS = [
    ("DescribeInstanceTypeOfferings", "which zones offer the types", "ec2:DescribeInstanceTypeOfferings"),
    ("DescribeInstanceTypes", "what the types are made of", "ec2:DescribeInstanceTypes"),
    ("DescribeCapacityReservations", "which reservations", "ec2:DescribeCapacityReservations"),
    ("DescribePlacementGroups", "which placement groups there are", "ec2:DescribePlacementGroups"),
    ("ListRoles", "which service-linked roles there are", "iam:ListRoles"),
    ("DescribeAddonVersions", "which versions of add-ons there are", "eks:DescribeAddonVersions"),
    ("DescribeClusterVersions", "which Kubernetes versions EKS has", "eks:DescribeClusterVersions"),
    ("GetParameters", "which node images there are", "ssm:GetParameters"),
    ("SimulatePrincipalPolicy", "whether these credentials may do", "iam:SimulatePrincipalPolicy, iam:GetRole"),
    ("DescribeCluster", "whether the cluster stands", "eks:DescribeCluster"),
]


@pytest.mark.parametrize(("call", "about", "right"), DENIALS)
def test_a_denied_call_is_a_finding_that_names_the_missing_right(account, judged, call, about, right):
    account.answers[call] = given.refused("AccessDenied", "not authorized")
    found = only(judged())
    assert found.level is Level.UNKNOWN
    assert found.reason.startswith(f"Could not ask {about}")
    assert "the right is missing (AccessDenied: not authorized)" in found.reason
    assert found.way_out == f"allow {right}"


def test_an_account_that_denies_everything_is_told_question_by_question_and_nothing_crashes(account, judged):
    for call in [*account.answers, "DescribeVpcs", "DescribeInstances", "DescribeCluster", "DescribeInstanceTypes"]:
        account.answers[call] = given.refused("UnauthorizedOperation")
    found = judged()
    assert {each.level for each in found} == {Level.UNKNOWN}
    assert {f"allow {right}" for _, _, right in DENIALS} <= {each.way_out for each in found}


def test_a_token_that_is_over_is_one_finding_and_not_one_for_each_call(account, judged):
    calls = [*account.answers, "GetCallerIdentity", "DescribeVpcs", "DescribeCluster", "DescribeInstanceTypes"]
    for call in calls:
        account.answers[call] = given.refused("ExpiredToken", "The token has expired")
    found = only([each for each in judged() if each.level is Level.ERROR])
    assert found.field == "aws:profile"
    assert found.reason == (
        "AWS takes no credentials from here (ExpiredToken: The token has expired). Nothing else was checked."
    )


def test_an_endpoint_that_is_not_reached_names_the_region_and_the_network(account, judged):
    account.answers["DescribeAddonVersions"] = given.unreachable("https://eks.us-west-2.amazonaws.com/")
    found = only(judged())
    assert (found.level, found.field, found.seen) == (Level.UNKNOWN, "aws:region", "us-west-2")
    assert "AWS' endpoint was not reached" in found.reason
    assert "https://eks.us-west-2.amazonaws.com/" in found.reason
    assert "proxy" in found.way_out


def test_an_action_that_is_denied_is_an_error_by_the_part_that_needs_it(account, judged):
    def simulated(arguments: Any) -> Any:
        return {
            "EvaluationResults": [
                {"EvalActionName": each, "EvalDecision": "explicitDeny" if each == "ec2:CreateVpc" else "allowed"}
                for each in arguments["ActionNames"]
            ]
        }

    account.answers["SimulatePrincipalPolicy"] = simulated
    found = only(judged())
    assert (found.level, found.field, found.seen) == (Level.ERROR, "network.cidr", "ec2:CreateVpc")
    assert found.reason == "A policy or permissions boundary forbids this."


def test_an_action_that_no_policy_allows_is_a_warning(account, judged):
    account.answers["SimulatePrincipalPolicy"] = {
        "EvaluationResults": [{"EvalActionName": "eks:CreateCluster", "EvalDecision": "allowed"}]
    }
    found = judged()
    assert {each.level for each in found} == {Level.WARNING}
    assert all("No policy allows this on every resource" in each.reason for each in found)


def test_a_region_that_is_not_enabled_is_an_error(account, judged):
    account.answers["DescribeRegions"] = {"Regions": [{"RegionName": "us-west-2", "OptInStatus": "not-opted-in"}]}
    found = only(judged())
    assert (found.level, found.field) == (Level.ERROR, "aws:region")
    assert found.reason == "The account has not enabled this region: every call to it fails."


def test_an_addon_version_that_eks_does_not_have_is_told_with_those_it_has(account, judged):
    account.answers["DescribeAddonVersions"] = given.addon_versions(coredns=["v9.1-eksbuild.2", "v9.0-eksbuild.1"])
    found = only(judged())
    assert (found.level, found.field) == (Level.ERROR, "cluster.addonVersions.coredns")
    assert found.reason == "EKS has no such version for Kubernetes 1.35."
    assert found.way_out == "use v9.0-eksbuild.1 (EKS' default today) or one of v9.1-eksbuild.2, v9.0-eksbuild.1"


def test_an_addon_without_a_version_is_refused_with_the_line_to_add(judged):
    environment = given.example()
    del environment["cluster"]["addonVersions"]["vpc-cni"]
    found = only(judged(environment))
    assert (found.level, found.field, found.seen) == (Level.ERROR, "cluster.addonVersions.vpc-cni", "(not set)")
    assert found.way_out.startswith(f"add vpc-cni: {given.ADDON_VERSION} (EKS' default today")


@pytest.mark.parametrize(
    ("entry", "level", "said"),
    [
        ({"versionStatus": "UNSUPPORTED"}, Level.ERROR, "EKS makes no cluster of this version."),
        ({"status": "extended-support"}, Level.WARNING, "Standard support is over; extended support costs more"),
        (
            {"versionStatus": "STANDARD_SUPPORT", "endOfStandardSupportDate": given.NOW + timedelta(days=20)},
            Level.WARNING,
            f"Standard support ends {given.NOW + timedelta(days=20):%Y-%m-%d}; extended support then costs more.",
        ),
    ],
)
def test_the_support_of_a_kubernetes_version_is_told_as_eks_says_it(account, judged, entry, level, said):
    account.answers["DescribeClusterVersions"] = {"clusterVersions": [{"clusterVersion": given.KUBERNETES, **entry}]}
    found = only(judged())
    assert (found.level, found.field, found.seen) == (level, "cluster.kubernetesVersion", given.KUBERNETES)
    assert found.reason.startswith(said)


def test_a_release_of_images_that_does_not_exist_is_told_with_the_newest(judged):
    environment = given.example()
    environment["amiRelease"] = "v20251231"
    found = judged(environment)
    assert {(each.level, each.field, each.seen) for each in found} == {(Level.ERROR, "amiRelease", "v20251231")}
    assert any("EKS has no such image for nvidia on amd64" in each.reason for each in found)
    assert {each.way_out for each in found} == {"the newest release is v20261120"}


def test_spot_nodes_without_their_service_role_are_an_error_with_the_command(account, judged):
    account.answers["ListRoles"] = given.roles("AWSServiceRoleForAmazonEKS")
    environment = given.example()
    environment["nodePools"][1].update(
        capacity={"kind": "spot", "acceptInterruption": True}, placementGroup="none", efa="off"
    )
    found = [each for each in judged(environment) if each.check == "service_roles"]
    assert (only(found).level, only(found).seen) == (Level.ERROR, "AWSServiceRoleForEC2Spot")
    assert only(found).way_out == "aws iam create-service-linked-role --aws-service-name spot.amazonaws.com"


def test_hardware_that_is_not_as_the_catalog_says_is_an_error(account, judged, monkeypatch):
    from scripts.preflighting import hardware  # noqa: PLC0415 - the module whose rows are changed

    changed = [{**row, "efa_interfaces": "31"} if row["instance_type"] == given.P5 else row for row in hardware.rows()]
    monkeypatch.setattr(hardware, "rows", lambda: changed)
    found = only(judged())
    assert (found.level, found.field, found.seen) == (Level.ERROR, "nodePools[0].instanceType", given.P5)
    assert found.reason == "EC2 says efa_interfaces 32, the catalog 31: nodes would be laid out wrongly."
