"""Secrets that stand in the open."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.sec_secrets_not_plaintext import POLICY
from policies.sec_plaintext import KEY, NO_SECRET, VARIABLE
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, MPI_JOB, RELEASE, mpi_job, slurm_values
from tests.support import ROOT

pytestmark = pytest.mark.policy

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
NAMES = ["DB_PASSWORD", "password", "HF_TOKEN", "SLURM_JWT", "CLIENT_SECRET", "WANDB_API_KEY", "MYSQL_PWD"]


def settings(**data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": data}


def release(**values):
    return {"name": "grafana", "values": values}


@pytest.mark.parametrize("name", [*NAMES, "AWS_SECRET_ACCESS_KEY"])
def test_a_secret_as_a_variable_is_refused_with_ways_out_and_not_repeated(check, name):
    [message] = check(POLICY, MPI_JOB, mpi_job(env={name: "hunter2"}))
    assert f"MPIJob 'train' has the variable {name} as plain text" in message
    assert ", or mount the Secret" in message
    assert "hunter2" not in message


def test_a_reference_passes(check):
    reference = {"secretKeyRef": {"name": "db", "key": "password"}}
    assert check(POLICY, MPI_JOB, mpi_job(env={"DB_PASSWORD": reference})) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DB_PASSWORD_FILE", "hunter2"),
        ("HF_TOKEN", "/var/run/secrets/hf/token"),
        ("DB_PASSWORD", ""),
        ("DB_PASSWORD", "$(FROM_A_SECRET)"),
        ("EOS_TOKEN", "</s>"),
        ("MAX_NEW_TOKEN", "128"),
        ("ALLOW_EMPTY_PASSWORD", "yes"),
        ("MASTER_SECRET_ARN", "arn:aws:secretsmanager:us-west-2:111122223333:secret:x"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("NCCL_DEBUG", "INFO"),
    ],
)
def test_what_only_looks_like_a_secret_passes(check, name, value):
    assert check(POLICY, MPI_JOB, mpi_job(env={name: value})) == []


@pytest.mark.parametrize("value", ["hunter2", 1234, 12.5])
def test_a_number_is_a_password_too_and_refused(check, value):
    assert len(check(POLICY, MPI_JOB, mpi_job(env={"DB_PASSWORD": value}))) == 1


def test_variables_anywhere_in_the_values_of_a_release_are_refused(check):
    assert len(check(POLICY, RELEASE, slurm_values(env={"DB_PASSWORD": "hunter2"}))) == 1
    extra = [{"name": "DB_PASSWORD", "value": "hunter2"}]
    assert len(check(POLICY, RELEASE, release(controller={"slurmctld": {"env": extra}}))) == 1
    assert len(check(POLICY, RELEASE, release(env={"GF_ADMIN_TOKEN": "hunter2"}))) == 1


@pytest.mark.parametrize("key", ["adminPassword", "password", "apiKey"])
def test_a_secret_in_the_values_of_a_release_is_refused(check, key):
    [message] = check(POLICY, RELEASE, release(grafana={key: "hunter2"}))
    assert f"Release 'grafana' has a secret as plain text at grafana.{key}" in message
    assert "hunter2" not in message


def test_names_of_secrets_in_the_values_of_a_release_pass(check):
    admin = {"existingSecret": "grafana-admin", "passwordKey": "admin-password", "secretKey": "x"}
    assert check(POLICY, RELEASE, release(admin=admin, passwordKeyRef={"name": "db", "key": "password"})) == []


@pytest.mark.parametrize("key", ["jwt.key", "slurm.key", "db.password", "id_ed25519", "api-token", "secret_key"])
def test_a_key_of_a_config_map_is_refused(check, key):
    [message] = check(POLICY, CONFIG_MAP, settings(**{key: "hunter2"}))
    assert f"ConfigMap 'settings' holds a secret under the key {key}" in message


@pytest.mark.parametrize(
    "content",
    [
        "-----BEGIN RSA PRIVATE KEY-----\nx",
        "StorageType=x\nStoragePass=hunter2\n",
        "[domain/x]\nldap_default_authtok = x",
    ],
)
def test_a_file_with_a_secret_in_it_is_refused(check, content):
    assert len(check(POLICY, CONFIG_MAP, settings(file=content))) == 1


def test_plain_settings_pass(check):
    plain = settings(**{"db-secret": "slurm-accounting", "ca.crt": "-----BEGIN CERTIFICATE-----", "max_tokens": "4096"})
    assert check(POLICY, CONFIG_MAP, plain) == []


def test_a_secret_passes(check):
    assert check(POLICY, "kubernetes:core/v1:Secret", {"stringData": {"jwt.key": "x"}}) == ["not applicable"]


def test_a_preview_that_does_not_know_the_value_goes_by_the_name(check):
    assert len(check(POLICY, MPI_JOB, mpi_job(env={"DB_PASSWORD": UNKNOWN}))) == 1
    assert len(check(POLICY, CONFIG_MAP, settings(**{"jwt.key": UNKNOWN}))) == 1
    assert check(POLICY, CONFIG_MAP, {"metadata": {"name": "settings"}, "data": UNKNOWN}) == []
    assert check(POLICY, INDEXED_JOB, {"metadata": {"name": "x"}, "spec": {"template": UNKNOWN}}) == []


def test_what_has_no_variables_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, mpi_job(env={"DB_PASSWORD": "hunter2"}), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY


def test_a_pulumi_secret_that_the_engine_gets_is_text_like_any_other(analyzer):
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "hunter2"}
    job = mpi_job(env={"DB_PASSWORD": "x"})
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["env"] = [{"name": "DB_PASSWORD", "value": secret}]
    found = analyzer.analyze(MPI_JOB, job, "train").diagnostics
    assert [each.policyName for each in found if each.policyName == POLICY.name]
    assert all("hunter2" not in each.message for each in found)


@pytest.mark.parametrize(
    ("policy", "patterns"),
    [("workloads-sec", (VARIABLE, NO_SECRET)), ("sec-configmaps", (KEY,))],
    ids=lambda found: str(found)[:14],
)
def test_the_api_server_goes_by_the_same_words(policy, patterns):
    text = (ROOT / "policies" / "admission" / "rules" / f"{policy}.yaml").read_text(encoding="utf-8")
    assert [found.pattern for found in patterns if found.pattern not in text] == []
