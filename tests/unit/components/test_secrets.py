"""Keys and passwords: from where they come, and that no value stands where it can be read."""

import json

import pulumi
import pytest
from google.protobuf import json_format
from pulumi.runtime import rpc

from components.catalog.chart_values import unknown_keys
from components.catalog.secrets import (
    GRAFANA_PASSWORD,
    SECRETS,
    SLURM_DATABASE_PASSWORD,
    SLURM_JWT_KEY,
    SLURM_KEY,
    THROW_AWAY,
    needed_secrets,
    rotation,
)
from components.platform.external_secrets import ExternalSecrets, ExternalSecretsArgs, read_policy
from components.platform.external_secrets_values import external_secrets_values
from components.platform.secrets import (
    ROTATION,
    Delivery,
    PlatformSecrets,
    PlatformSecretsArgs,
    read_made_on,
    read_secrets,
)
from stacks.problems import EnvironmentProblems
from tests.support import PROJECT

pytestmark = pytest.mark.unit

REGION = "us-west-2"
KINDS = (SLURM_KEY, SLURM_JWT_KEY, SLURM_DATABASE_PASSWORD)
ARNS = {
    kind.config_key: f"arn:aws:secretsmanager:us-west-2:111122223333:secret:x/{kind.config_key}-AbCdEf"
    for kind in SECRETS
}
VALUES = {kind.config_key: f"the-value-of-{kind.config_key}" for kind in SECRETS}
MOMENT = "2026-11-29T21:00:00Z"
KMS = "arn:aws:kms:us-west-2:111122223333:key/12345678-1234-1234-1234-123456789012"


def deliveries(*kinds):
    return [
        Delivery(
            kind=kind,
            name=f"secret-{kind.config_key.lower()}",
            namespace="slurm",
            namespace_key="slurm",
            plain={"admin-user": "admin"} if kind is GRAFANA_PASSWORD else {},
        )
        for kind in kinds
    ]


def operator():
    return ExternalSecrets(
        "external-secrets",
        ExternalSecretsArgs(
            cluster="training-test",
            region=REGION,
            arns=sorted(ARNS.values()),
            kms_key_arn=None,
            charts=None,
            images=None,
        ),
    )


def secrets(backend, *kinds, **changes):
    args = {
        "backend": backend,
        "deliveries": deliveries(*kinds),
        "values": {key: pulumi.Output.secret(value) for key, value in VALUES.items()},
        "arns": ARNS,
        "operator": operator() if backend == "secretsManager" else None,
        "region": REGION,
        "made_on": {SLURM_KEY.config_key: MOMENT},
        **changes,
    }
    return PlatformSecrets("secrets", PlatformSecretsArgs(**args))


@pytest.fixture(scope="module")
def from_configuration(build):
    return build(lambda: secrets("stackConfig", *SECRETS))


@pytest.fixture(scope="module")
def from_secrets_manager(build):
    return build(lambda: secrets("secretsManager", *SECRETS))


def without_secrets(value):
    """Inputs as someone without the key reads them: the insides of secrets left out."""
    if isinstance(value, dict):
        if value.get(rpc._special_sig_key) == rpc._special_secret_sig:
            return "[secret]"
        return {key: without_secrets(item) for key, item in value.items()}
    return [without_secrets(item) for item in value] if isinstance(value, list) else value


def everything_said(recorder):
    requests = [json_format.MessageToDict(registration.request) for registration in recorder.registrations]
    return json.dumps([without_secrets(request) for request in requests]) + json.dumps(recorder.outputs)


# stackConfig


@pytest.mark.parametrize("kind", SECRETS, ids=lambda kind: kind.config_key)
def test_each_value_goes_into_its_secret_and_is_secret_on_the_way(from_configuration, kind):
    inputs = from_configuration.named(f"secrets-{kind.config_key}").inputs
    assert inputs["type"] == "Opaque"
    assert inputs["metadata"]["name"] == f"secret-{kind.config_key.lower()}"
    assert VALUES[kind.config_key] in json.dumps(inputs), "the value does arrive"
    assert without_secrets(inputs)["stringData"] == "[secret]"


def test_no_value_of_the_configuration_stands_in_the_open(from_configuration):
    said = everything_said(from_configuration)
    assert "[secret]" in said
    assert [key for key, value in VALUES.items() if value in said] == []


def test_the_search_for_values_finds_one_that_stands_in_the_open(build):
    careless = build(lambda: secrets("stackConfig", SLURM_KEY, made_on={"slurmKey": VALUES["slurmKey"]}))
    assert VALUES["slurmKey"] in everything_said(careless)


def test_what_is_no_secret_comes_along_in_the_same_secret(from_configuration):
    assert '"admin-user": "admin"' in json.dumps(from_configuration.named("secrets-grafanaPassword").inputs)


def test_the_moment_of_making_is_an_annotation(from_configuration):
    made, unknown = (from_configuration.named(f"secrets-{key}").inputs for key in ("slurmKey", "slurmJwtKey"))
    assert made["metadata"]["annotations"] == {ROTATION: f"slurmKey={MOMENT}"}
    assert unknown["metadata"]["annotations"] == {ROTATION: "slurmJwtKey=unknown"}


# secretsManager


def test_pulumi_holds_arns_and_no_value(from_secrets_manager):
    said = everything_said(from_secrets_manager)
    assert [key for key, arn in ARNS.items() if arn not in said] == []
    assert [key for key, value in VALUES.items() if value in said] == []
    assert from_secrets_manager.of_type("kubernetes:core/v1:Secret") == []


def test_the_operator_writes_the_secret_under_the_fixed_name_and_only_when_told_so(from_secrets_manager):
    found = from_secrets_manager.named("secrets-slurmKey")
    assert (found.inputs["apiVersion"], found.inputs["kind"]) == ("external-secrets.io/v1", "ExternalSecret")
    assert found.inputs["spec"] == {
        "refreshPolicy": "OnChange",
        "secretStoreRef": {"kind": "SecretStore", "name": "aws-secrets-manager"},
        "target": {"name": "secret-slurmkey", "creationPolicy": "Owner", "deletionPolicy": "Retain"},
        "data": [{"secretKey": "slurm.key", "remoteRef": {"key": ARNS["slurmKey"]}}],
    }
    assert "secrets-store-slurm" in found.depends_on


def test_one_store_serves_a_namespace_and_asks_as_the_operator(from_secrets_manager):
    [store] = [r for r in from_secrets_manager.registrations if r.inputs.get("kind") == "SecretStore"]
    assert store.inputs["spec"] == {"provider": {"aws": {"service": "SecretsManager", "region": REGION}}}
    assert "external-secrets-release" in store.depends_on


def test_without_the_operator_nobody_would_read_them(build):
    with pytest.raises(ValueError, match="needs the operator ExternalSecrets"):
        build(lambda: secrets("secretsManager", SLURM_KEY, operator=None))


def test_the_operator_reads_these_secrets_and_no_other(from_secrets_manager):
    [statement] = json.loads(from_secrets_manager.named("external-secrets-read").inputs["policy"])["Statement"]
    assert statement["Action"] == ["secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue"]
    assert statement["Resource"] == sorted(ARNS.values())


def test_a_customer_key_is_used_through_secrets_manager_only():
    decrypt = json.loads(read_policy([ARNS["slurmKey"]], region=REGION, kms_key_arn=KMS))["Statement"][1]
    assert decrypt["Resource"] == [KMS]
    assert decrypt["Condition"] == {"StringEquals": {"kms:ViaService": "secretsmanager.us-west-2.amazonaws.com"}}


def test_the_operator_starts_after_its_identity(from_secrets_manager):
    release = from_secrets_manager.named("external-secrets-release")
    assert {"external-secrets-identity", "external-secrets-namespace"} <= set(release.depends_on)


def test_every_value_of_the_chart_is_one_that_it_has():
    assert unknown_keys("external-secrets", external_secrets_values("registry.example.com/mirror")) == []


def test_images_come_from_the_mirror_by_an_exact_tag():
    values = external_secrets_values("registry.example.com/mirror")
    image = {"repository": "registry.example.com/mirror/external-secrets/external-secrets", "tag": "v2.9.0"}
    assert [values["image"], values["webhook"]["image"], values["certController"]["image"]] == [image] * 3


# reading the configuration


def read(config, *, encrypted=()):
    pulumi.runtime.set_all_config(
        {f"{PROJECT}:{key}": value for key, value in config.items()}, [f"{PROJECT}:{key}" for key in encrypted]
    )
    try:
        return read_secrets(pulumi.Config(PROJECT), KINDS, environment="dev")
    finally:
        pulumi.runtime.set_all_config({})


def test_encrypted_values_are_read():
    values, problems = read(VALUES, encrypted=VALUES)
    assert problems == []
    assert set(values) == {kind.config_key for kind in KINDS}


def test_all_missing_keys_are_named_at_once_with_the_command():
    values, problems = read({"slurmJwtKey": "x"}, encrypted=["slurmJwtKey"])
    assert set(values) == {"slurmJwtKey"}
    text = str(EnvironmentProblems(problems))
    assert "has 2 problems. Nothing was started." in text
    assert f"{PROJECT}:slurmKey (not set)" in text
    assert f"{PROJECT}:slurmDatabasePassword (not set)" in text
    assert "run ./scripts/secrets init dev" in text


def test_a_value_in_plain_text_is_refused_and_not_repeated():
    _, problems = read(VALUES, encrypted=[key for key in VALUES if key != "slurmKey"])
    [problem] = problems
    assert problem.path == f"{PROJECT}:slurmKey"
    assert "stands in plain text" in problem.reason
    assert VALUES["slurmKey"] not in str(EnvironmentProblems(problems))


def test_the_sandboxs_throw_away_values_may_stand_in_plain_text():
    values, problems = read({kind.config_key: f"{THROW_AWAY}-{kind.config_key}" for kind in KINDS})
    assert (len(values), problems) == (len(KINDS), [])


def test_moments_of_making_are_read_where_there_are_any():
    pulumi.runtime.set_all_config({f"{PROJECT}:slurmKeyMadeOn": MOMENT})
    try:
        assert read_made_on(pulumi.Config(PROJECT), KINDS) == {"slurmKey": MOMENT}
    finally:
        pulumi.runtime.set_all_config({})


def test_a_rotation_changes_the_text_that_pods_restart_by():
    before = rotation(KINDS, {"slurmKey": MOMENT})
    assert before == f"slurmKey={MOMENT},slurmJwtKey=unknown,slurmDatabasePassword=unknown"
    assert rotation(KINDS, {"slurmKey": "2026-12-01T09:00:00Z"}) != before


def test_what_reads_one_of_the_keys_does_not_restart_with_the_others(build):
    def texts(*kinds):
        return secrets("stackConfig", *kinds).rotation_of(SLURM_KEY, SLURM_JWT_KEY)

    found = []
    build(lambda: found.append(texts(SLURM_KEY, SLURM_JWT_KEY)))
    build(lambda: found.append(texts(*SECRETS)))
    assert set(found) == {f"slurmKey={MOMENT},slurmJwtKey=unknown"}
    build(lambda: found.append(texts(SLURM_KEY)))
    assert found[-1] == f"slurmKey={MOMENT}"


@pytest.mark.parametrize(
    ("platform", "keys"),
    [
        ({}, []),
        ({"slurm": None, "monitoring": None}, []),
        ({"slurm": {}}, ["slurmKey", "slurmJwtKey"]),
        ({"slurm": {"accounting": {"existing": {}}}}, ["slurmKey", "slurmJwtKey"]),
        ({"slurm": {"accounting": {"database": {}}}}, ["slurmKey", "slurmJwtKey", "slurmDatabasePassword"]),
        ({"monitoring": {}}, []),
        ({"monitoring": {"grafana": {"adminSecret": "grafana-admin"}}}, ["grafanaPassword"]),
    ],
)
def test_an_environment_needs_the_secrets_of_what_it_runs(platform, keys):
    assert [kind.config_key for kind in needed_secrets({"platform": platform})] == keys
