"""`./scripts/bootstrap-account`: what comes before Pulumi, printed, and made in moto's CloudFormation."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
import yaml
from cfnlint.api import ManualArgs, lint
from moto import mock_aws
from typer.testing import CliRunner, Result

from scripts.bootstrap import ROOT
from scripts.bootstrapping.__main__ import app
from scripts.bootstrapping.template import GITHUB

REGION = "us-west-2"
ACCOUNT = "123456789012"


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    for path in (ROOT / "stacks").glob("Pulumi.*.yaml"):
        text = path.read_text(encoding="utf-8")
        file = yaml.safe_load(text)
        file["config"].pop("aws:profile", None)
        if "aws:allowedAccountIds" in file["config"]:
            file["config"]["aws:allowedAccountIds"] = [ACCOUNT]
        (tmp_path / path.name).write_text(yaml.safe_dump(file), encoding="utf-8")
    return tmp_path


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    with mock_aws():
        yield


def run(stacks: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--stacks", str(stacks)])


def printed(stacks: Path, *arguments: str) -> dict[str, Any]:
    done = run(stacks, *arguments)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def statements(template: dict[str, Any], role: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = template["Resources"][role]["Properties"]["Policies"][0]["PolicyDocument"][
        "Statement"
    ]
    return found


def trusted(template: dict[str, Any], role: str) -> list[str]:
    document = template["Resources"][role]["Properties"]["AssumeRolePolicyDocument"]
    found: list[str] = document["Statement"][0]["Condition"]["StringEquals"][f"{GITHUB}:sub"]
    return found


@pytest.mark.usefixtures("account")
def test_without_apply_nothing_is_made_and_the_way_to_make_it_is_said(stacks: Path) -> None:
    done = run(stacks, "dev")

    assert json.loads(done.stdout)["Resources"]["StateBucket"]
    assert "Nothing was made" in done.stderr
    assert "aws cloudformation deploy --region us-west-2 --stack-name training-dev-account" in done.stderr
    assert boto3.client("cloudformation", region_name=REGION).describe_stacks()["Stacks"] == []


@pytest.mark.usefixtures("account")
def test_apply_makes_a_bucket_and_a_key_and_says_how_to_log_in(stacks: Path) -> None:
    done = run(stacks, "dev", "--apply")

    assert done.exit_code == 0, done.output
    bucket = f"training-dev-state-{ACCOUNT}-{REGION}"
    boto3.client("s3", region_name=REGION).head_bucket(Bucket=bucket)
    assert f"pulumi login 's3://{bucket}?region={REGION}'" in done.stderr
    assert f"--secrets-provider 'awskms://alias/training-dev-pulumi?region={REGION}'" in done.stderr
    aliases = [each["AliasName"] for each in boto3.client("kms", region_name=REGION).list_aliases()["Aliases"]]
    assert "alias/training-dev-pulumi" in aliases


@pytest.mark.usefixtures("account")
def test_applied_again_it_stays_one_stack(stacks: Path) -> None:
    first = json.loads(run(stacks, "dev", "--apply").stdout)
    again = run(stacks, "dev", "--apply")

    assert (again.exit_code, json.loads(again.stdout)) == (0, first), again.output
    assert len(boto3.client("cloudformation", region_name=REGION).describe_stacks()["Stacks"]) == 1


@pytest.mark.usefixtures("account")
def test_apply_with_a_repository_makes_the_roles_and_names_the_variables(stacks: Path) -> None:
    done = run(stacks, "dev", "--apply", "--repository", "example/platform")

    assert done.exit_code == 0, done.output
    assert f"AWS_UP_ROLE=arn:aws:iam::{ACCOUNT}:role/" in done.stderr


@pytest.mark.parametrize("environment", ["dev", "staging", "prod"])
@pytest.mark.parametrize("more", [(), ("--repository", "example/platform")], ids=["without CI", "with CI"])
def test_cloudformations_own_schemas_find_nothing_wrong_with_the_template(
    stacks: Path, environment: str, more: tuple[str, ...]
) -> None:
    """moto knows neither bucket policies nor OIDC providers; cfn-lint holds the schema of every type."""
    text = run(stacks, environment, *more).stdout

    assert [str(found) for found in lint(text, config=ManualArgs(regions=[REGION]))] == []
    assert lint(text.replace("EnableKeyRotation", "EnableKeyRotations"), config=ManualArgs(regions=[REGION])) != []


@pytest.mark.usefixtures("account")
def test_credentials_of_another_account_are_refused_before_anything_is_made(stacks: Path) -> None:
    path = stacks / "Pulumi.dev.yaml"
    file = yaml.safe_load(path.read_text(encoding="utf-8"))
    file["config"]["aws:allowedAccountIds"] = ["999999999999"]
    path.write_text(yaml.safe_dump(file), encoding="utf-8")

    done = run(stacks, "dev", "--apply")

    assert done.exit_code == 2
    assert f"These credentials are of account {ACCOUNT}; aws:allowedAccountIds has 999999999999" in done.stderr
    assert boto3.client("cloudformation", region_name=REGION).describe_stacks()["Stacks"] == []


def test_the_bucket_keeps_versions_is_closed_and_outlives_its_stack_with_its_key(stacks: Path) -> None:
    made = printed(stacks, "dev")["Resources"]

    bucket = made["StateBucket"]["Properties"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert {made[name]["DeletionPolicy"] for name in ("StateBucket", "StateKey")} == {"Retain"}


def test_without_a_repository_there_is_no_role_for_anyone(stacks: Path) -> None:
    assert {each["Type"] for each in printed(stacks, "dev")["Resources"].values()} == {
        "AWS::KMS::Key",
        "AWS::KMS::Alias",
        "AWS::S3::Bucket",
        "AWS::S3::BucketPolicy",
    }


@pytest.mark.parametrize("environment", ["dev", "staging", "prod"])
def test_only_a_run_in_the_github_environment_of_that_name_may_change_it(stacks: Path, environment: str) -> None:
    made = printed(stacks, environment, "--repository", "example/platform")

    assert trusted(made, "UpRole") == [f"repo:example/platform:environment:{environment}"]
    assert not [subject for role in ("UpRole", "PreviewRole") for subject in trusted(made, role) if "*" in subject]


@pytest.mark.parametrize("environment", ["dev", "staging", "prod"])
def test_the_role_of_previews_writes_nothing_but_locks_of_the_state(stacks: Path, environment: str) -> None:
    made = printed(stacks, environment, "--repository", "example/platform")

    reads = ("Describe", "Get", "List", "Simulate")
    for statement in statements(made, "PreviewRole"):
        changes = [action for action in statement["Action"] if not action.split(":")[1].startswith(reads)]
        if changes and changes[0].startswith("s3:"):
            assert statement["Resource"] == {"Fn::Sub": "${StateBucket.Arn}/.pulumi/locks/*"}
        elif changes:
            assert statement["Resource"] == {"Fn::GetAtt": ["StateKey", "Arn"]}
    asked = {action for statement in statements(made, "PreviewRole") for action in statement["Action"]}
    assert not asked & {"secretsmanager:GetSecretValue", "*"}


def test_the_role_that_changes_cannot_take_its_own_state_away(stacks: Path) -> None:
    denied = [
        each for each in statements(printed(stacks, "dev", "--repository", "a/b"), "UpRole") if each["Effect"] == "Deny"
    ]

    assert {"s3:DeleteBucket", "s3:DeleteObjectVersion", "kms:ScheduleKeyDeletion"} <= set(denied[0]["Action"])


def test_roles_can_be_made_only_with_the_boundary_that_the_environment_asks_for(stacks: Path) -> None:
    made = printed(stacks, "prod", "--repository", "example/platform")
    makes = next(each for each in statements(made, "UpRole") if each.get("Sid") == "MakeRoles")

    assert list(makes["Condition"]["StringEquals"]) == ["iam:PermissionsBoundary"]
    assert made["Resources"]["UpRole"]["Properties"]["PermissionsBoundary"]


def test_an_account_that_holds_githubs_issuer_already_is_not_given_a_second(stacks: Path) -> None:
    made = printed(stacks, "dev", "--repository", "example/platform", "--no-issuer")["Resources"]

    assert "GitHub" not in made
    assert "DependsOn" not in made["UpRole"]


def test_quotas_are_asked_for_with_what_takes_them(stacks: Path) -> None:
    said = run(stacks, "dev").stderr

    assert "--quota-code L-417A185B" in said
    assert "Running On-Demand P instances" in said


@pytest.mark.parametrize("name", ["platform", "a/b/c", "a b/c", "a/*"])
def test_a_repository_that_is_none_is_refused(stacks: Path, name: str) -> None:
    done = run(stacks, "dev", "--repository", name)

    assert (done.exit_code, done.stdout) == (2, "")
    assert f"--repository is {name!r}: write owner/name" in done.stderr


def test_an_environment_that_there_is_not_is_refused_with_those_there_are(stacks: Path) -> None:
    shutil.copy(stacks / "Pulumi.dev.yaml", stacks / "Pulumi.lab.yaml")
    done = run(stacks, "nope")

    assert done.exit_code == 2
    assert "There is no environment 'nope'. Name one of: dev, lab, prod" in done.stderr
