"""`./scripts/secrets`: values of the right shape, kept where the environment says, and shown nowhere."""

import base64
import json
import os
import re
from datetime import UTC, datetime, timedelta

import boto3
import pytest
import yaml
from moto import mock_aws

from components.catalog.secrets import SECRETS, SLURM_DATABASE_PASSWORD, SLURM_JWT_KEY, SLURM_KEY, THROW_AWAY
from scripts import secret_keys, secret_stores
from scripts.sandboxing import project
from scripts.secret_keys import main, new_value
from scripts.secret_stores import ENVIRONMENT_KEY, MADE_ON, PROJECT

pytestmark = pytest.mark.scripts

KEYS = ["slurmKey", "slurmJwtKey", "slurmDatabasePassword"]
SLURM = {"slurm": {"accounting": {"database": {}}}}
# Writes the stack's file as `pulumi config set` does, a value as its ciphertext, and keeps what it was given.
PULUMI = """\
#!/usr/bin/env python3
import json, pathlib, sys
value = sys.stdin.read()
*_, stack, kind, key = sys.argv
with open("calls", "a") as calls:
    calls.write(json.dumps({"arguments": sys.argv[1:], "value": value}) + "\\n")
if pathlib.Path("broken").exists():
    sys.exit(f"error: no stack named {stack!r} found; you gave {value}")
path = pathlib.Path("stacks") / f"Pulumi.{stack}.yaml"
content = json.loads(path.read_text())
content["config"][key] = {"secure": "v1:ciphertext"} if kind == "--secret" else value
path.write_text(json.dumps(content))
"""


class Place:
    """A folder with one environment, and a program `pulumi`."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "stacks" / "Pulumi.dev.yaml"

    def write(self, platform=SLURM, secrets=None, **config):
        environment = {"platform": platform, **({"secrets": secrets} if secrets else {})}
        content = {"config": {"aws:region": "us-west-2", ENVIRONMENT_KEY: environment, **config}}
        self.file.write_text(json.dumps(content))

    @property
    def config(self):
        return yaml.safe_load(self.file.read_text())["config"]

    @property
    def calls(self):
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def values(self, kind="--secret"):
        """What went to `pulumi` on standard input, by key."""
        return {call["arguments"][-1]: call["value"] for call in self.calls if kind in call["arguments"]}


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "stacks").mkdir()
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "pulumi").write_text(PULUMI)
    (binaries / "pulumi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{binaries}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(secret_keys, "stack_of", lambda name: secret_stores.stack_of(name, tmp_path / "stacks"))
    monkeypatch.setattr(secret_keys, "StackConfig", lambda stack: secret_stores.StackConfig(stack, folder=tmp_path))
    made = Place(tmp_path)
    made.write()
    return made


@pytest.fixture
def account(monkeypatch):
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        yield boto3.client("secretsmanager", region_name="us-west-2")


# values


def test_a_slurm_key_is_1024_random_bytes_in_base64():
    assert len(base64.b64decode(new_value(SLURM_KEY), validate=True)) == 1024
    assert new_value(SLURM_KEY) != new_value(SLURM_KEY)


def test_a_jwt_key_has_the_32_bytes_that_hs256_wants():
    assert len(base64.b64decode(new_value(SLURM_JWT_KEY), validate=True)) == 32


def test_a_password_is_32_letters_and_digits_which_no_configuration_file_misreads():
    value = new_value(SLURM_DATABASE_PASSWORD)
    assert (len(value), value.isalnum(), value.isascii()) == (32, True, True)


# the stack's configuration


def test_init_makes_what_is_needed_by_standard_input_and_shows_no_value(place, capsys):
    assert main(["init", "dev"]) == 0
    said = capsys.readouterr()
    values = place.values()
    assert list(values) == [f"{PROJECT}:{key}" for key in KEYS]
    shown = said.out + said.err + json.dumps([call["arguments"] for call in place.calls])
    assert "slurmKey: made" in shown
    assert [key for key, value in values.items() if value in shown or value in place.file.read_text()] == []


def test_init_notes_the_moment_in_plain_text(place):
    main(["init", "dev"])
    moments = place.values("--plaintext")
    assert list(moments) == [f"{PROJECT}:{key}MadeOn" for key in KEYS]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", moments[f"{PROJECT}:slurmKeyMadeOn"])


def test_a_second_init_changes_nothing(place, capsys):
    main(["init", "dev"])
    before = place.calls
    assert main(["init", "dev"]) == 0
    assert place.calls == before
    assert capsys.readouterr().out.count("there already, kept") == len(KEYS)


def test_an_environment_without_slurm_needs_none(place, capsys):
    place.write(platform={"volcano": {}})
    assert main(["init", "dev"]) == 0
    assert place.calls == []
    assert "needs no keys or passwords" in capsys.readouterr().out


def test_rotate_makes_new_values_and_names_what_restarts(place, capsys):
    main(["init", "dev"])
    before = place.values()
    assert main(["rotate", "dev", "slurmKey"]) == 0
    after = place.values()
    assert {key for key in before if before[key] != after[key]} == {f"{PROJECT}:slurmKey"}
    assert "takes it together: slurmctld, slurmdbd, slurmrestd, slurmd, login pods" in capsys.readouterr().out


def test_rotate_without_names_is_all_of_them(place):
    main(["init", "dev"])
    before = place.values()
    assert main(["rotate", "dev"]) == 0
    after = place.values()
    assert [key for key in before if before[key] == after[key]] == []


def test_what_was_never_made_cannot_be_rotated(place, capsys):
    assert main(["rotate", "dev", "slurmKey"]) == 2
    assert "slurmKey: never made, so nothing to rotate. Run ./scripts/secrets init dev" in capsys.readouterr().err
    assert place.calls == []


def test_a_misspelt_key_is_refused_with_those_that_there_are(place, capsys):
    assert main(["rotate", "dev", "slurmkey"]) == 2
    assert f"dev has no slurmkey. Name some of: {', '.join(KEYS)}." in capsys.readouterr().err


def test_a_refusal_of_pulumi_is_passed_on_without_the_value(place, capsys):
    (place.folder / "broken").touch()
    assert main(["init", "dev"]) == 2
    said = capsys.readouterr().err
    assert "no stack named 'dev' found; you gave [secret]" in said
    assert "pulumi stack init dev" in said
    assert place.values()[f"{PROJECT}:slurmKey"] not in said


def test_without_pulumi_the_way_to_it_is_named(place, capsys, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["init", "dev"]) == 2
    assert "pulumi is not on PATH. Install it" in capsys.readouterr().err


def test_an_unknown_environment_is_refused_with_those_that_there_are(place, capsys):
    assert main(["init", "qa"]) == 2
    assert "There is no environment 'qa'. Name one of: dev;" in capsys.readouterr().err


def test_an_unknown_backend_is_refused(place, capsys):
    place.write(secrets={"backend": "vault"})
    assert main(["init", "dev"]) == 2
    assert "secrets.backend = 'vault': write stackConfig or secretsManager." in capsys.readouterr().err


def days_ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_ages_are_shown_and_old_ones_marked(place, capsys):
    made = {f"{PROJECT}:{key}": {"secure": "v1:x"} for key in KEYS}
    moments = {f"{PROJECT}:{key}MadeOn": days_ago(10 if key == "slurmKey" else 200) for key in KEYS}
    place.write(**made, **moments)
    assert main(["show-age", "dev"]) == 1
    young, old, *_ = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"slurmKey +10 days \(\S+\)", young)
    assert re.fullmatch(r"slurmJwtKey +200 days \(\S+\), older than 180 days", old)
    assert main(["show-age", "dev", "--days", "365"]) == 0


def test_missing_and_undated_ones_are_named_too(place, capsys):
    place.write(**{f"{PROJECT}:slurmKey": {"secure": "v1:x"}})
    assert main(["show-age", "dev"]) == 1
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.endswith("of unknown age (not made by this command)")
    assert second.endswith("missing")


# AWS Secrets Manager

IN_AWS = {"backend": "secretsManager"}


def stored(account, key):
    return account.get_secret_value(SecretId=f"{PROJECT}/dev/{key}")["SecretString"]


def test_init_makes_secrets_in_aws_and_prints_the_section_to_write(place, account, capsys):
    place.write(secrets=IN_AWS)
    assert main(["init", "dev"]) == 0
    said = capsys.readouterr().out
    section = yaml.safe_load(said[said.index("secrets:\n") :])["secrets"]
    found = {key: account.describe_secret(SecretId=f"{PROJECT}/dev/{key}") for key in KEYS}
    assert section == {"backend": "secretsManager", "arns": {key: found[key]["ARN"] for key in KEYS}}
    assert [key for key in KEYS if stored(account, key) in said] == []


def test_no_value_of_aws_goes_to_pulumi_only_the_moment(place, account):
    place.write(secrets=IN_AWS)
    main(["init", "dev"])
    assert place.values() == {}
    tags = account.describe_secret(SecretId=f"{PROJECT}/dev/slurmKey")["Tags"]
    assert tags == [{"Key": MADE_ON, "Value": place.config[f"{PROJECT}:slurmKeyMadeOn"]}]


def test_rotation_in_aws_keeps_the_arn(place, account):
    place.write(secrets=IN_AWS)
    main(["init", "dev"])
    arn, before = account.describe_secret(SecretId=f"{PROJECT}/dev/slurmKey")["ARN"], stored(account, "slurmKey")
    assert main(["rotate", "dev", "slurmKey"]) == 0
    assert account.describe_secret(SecretId=arn)["ARN"] == arn
    assert stored(account, "slurmKey") != before


def test_rotation_reaches_the_secret_that_the_environment_names(place, account):
    arn = account.create_secret(Name="of-another-team", SecretString="old")["ARN"]
    place.write(secrets={**IN_AWS, "arns": {"slurmKey": arn}})
    assert main(["rotate", "dev", "slurmKey"]) == 0
    assert account.get_secret_value(SecretId=arn)["SecretString"] != "old"


def test_a_second_init_in_aws_changes_nothing_and_prints_the_section_again(place, account, capsys):
    place.write(secrets=IN_AWS)
    main(["init", "dev"])
    before = [stored(account, key) for key in KEYS]
    assert main(["init", "dev"]) == 0
    assert [stored(account, key) for key in KEYS] == before
    assert capsys.readouterr().out.count("  arns:\n    slurmKey: arn:aws:") == 2


def test_a_secret_that_is_about_to_be_deleted_is_not_written_over(place, account, capsys):
    place.write(secrets=IN_AWS)
    main(["init", "dev"])
    account.delete_secret(SecretId=f"{PROJECT}/dev/slurmKey")
    assert main(["init", "dev"]) == 2
    assert "is about to be deleted. Call it back" in capsys.readouterr().err


def test_ages_in_aws_come_from_the_tag(place, account, capsys):
    place.write(secrets=IN_AWS)
    main(["init", "dev"])
    account.tag_resource(SecretId=f"{PROJECT}/dev/slurmKey", Tags=[{"Key": MADE_ON, "Value": days_ago(400)}])
    capsys.readouterr()
    assert main(["show-age", "dev"]) == 1
    assert "400 days" in capsys.readouterr().out


# the sandbox


def sandboxed(place):
    return project.sandboxed({"config": place.config}, charts="/charts")["config"]


def test_the_sandbox_needs_no_init(place):
    config = sandboxed(place)
    assert {key: config[f"{PROJECT}:{key}"] for key in KEYS} == {key: f"{THROW_AWAY}-{key}" for key in KEYS}


def test_the_sandbox_holds_no_value_of_the_user(place):
    main(["init", "dev"])
    config = sandboxed(place)
    assert {config[f"{PROJECT}:{key}"] for key in KEYS} == {THROW_AWAY}


def test_the_sandbox_makes_none_that_the_environment_does_not_need(place):
    place.write(platform={"volcano": {}})
    assert [key for kind in SECRETS if (key := f"{PROJECT}:{kind.config_key}") in sandboxed(place)] == []
