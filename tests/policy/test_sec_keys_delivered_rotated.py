"""Keys come from outside, and new ones arrive."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.sec_keys_delivered_rotated import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job

pytestmark = pytest.mark.policy

SECRET, EXTERNAL = "kubernetes:core/v1:Secret", "kubernetes:external-secrets.io/v1:ExternalSecret"
DATABASE = "aws:rds/instance:Instance"
ROTATION = {"eks-training-platform/rotation": "slurmKey=2026-11-29T10:00:00Z"}
CHART = "oci://ghcr.io/slinkyproject/charts/slurm"


def secret(data=None, annotations=None, namespace="slurm", **more):
    metadata = {"name": "keys", "namespace": namespace, "annotations": annotations}
    return {"metadata": metadata, "stringData": data or {"slurm.key": UNKNOWN}, **more}


def external(annotations=None, **spec):
    data = [{"secretKey": "jwt.key", "remoteRef": {"key": UNKNOWN}}]
    return {"metadata": {"name": "keys", "annotations": annotations}, "spec": {"data": data, **spec}}


def release(chart=CHART, **changes):
    keys = {key: {"create": False, "secretRef": {"name": key}} for key in ("slurmKey", "jwtKey")}
    return {"name": "cluster", "chart": chart, "values": {**keys, **changes}}


def test_a_secret_that_is_rotated_passes(check):
    assert check(POLICY, SECRET, secret(annotations=ROTATION)) == []


@pytest.mark.parametrize("data", [{"slurm.key": "x"}, {"jwt.key": "x"}, {"password": "x"}])
def test_a_key_without_a_moment_of_making_is_refused_with_ways_out(check, data):
    [message] = check(POLICY, SECRET, secret(data))
    assert "Secret 'keys' holds a key and says no moment of making" in message
    assert ", or use PlatformSecrets" in message


def test_an_immutable_secret_is_refused(check):
    [message] = check(POLICY, SECRET, secret(annotations=ROTATION, immutable=True))
    assert "is immutable" in message


def test_another_secret_passes(check):
    assert check(POLICY, SECRET, secret({"sssd.conf": "x"})) == []
    assert check(POLICY, SECRET, secret({"password": "x"}, namespace="team-a")) == []


@pytest.mark.parametrize("spec", [{}, {"refreshInterval": "1h"}, {"refreshPolicy": "Periodic"}])
def test_an_external_secret_that_is_read_by_the_clock_passes(check, spec):
    assert check(POLICY, EXTERNAL, external(**spec)) == []


def test_an_external_secret_that_is_read_when_its_annotation_changes_passes(check):
    assert check(POLICY, EXTERNAL, external(ROTATION, refreshPolicy="OnChange")) == []


@pytest.mark.parametrize(
    "spec", [{"refreshPolicy": "CreatedOnce"}, {"refreshPolicy": "OnChange"}, {"refreshInterval": "0"}]
)
def test_an_external_secret_that_is_read_once_is_refused(check, spec):
    [message] = check(POLICY, EXTERNAL, external(**spec))
    assert "ExternalSecret 'keys' holds a key and is read once" in message


@pytest.mark.parametrize("chart", [CHART, "slurm", "./charts/slurm-1.2.3.tgz"])
def test_a_release_with_secrets_of_ours_passes(check, chart):
    assert check(POLICY, RELEASE, release(chart)) == []


@pytest.mark.parametrize("key", ["slurmKey", "jwtKey"])
@pytest.mark.parametrize("said", [None, {}, {"create": True}, {"create": "true"}, "hunter2"], ids=repr)
def test_a_release_whose_chart_makes_keys_is_refused_with_ways_out(check, key, said):
    [message] = check(POLICY, RELEASE, release(**{key: said}))
    assert f"Release 'cluster' lets the chart make or hold {key}" in message
    assert ", or bring it by External Secrets" in message
    assert "hunter2" not in message


def test_a_release_of_another_chart_and_an_external_controller_pass(check):
    assert check(POLICY, RELEASE, {"name": "operator", "chart": "slurm-operator", "values": {}}) == []
    assert check(POLICY, RELEASE, release(jwtKey=None, controller={"external": True})) == []


def test_a_database_whose_password_rds_keeps_passes(check):
    assert check(POLICY, DATABASE, {"manageMasterUserPassword": True}) == []
    assert check(POLICY, "aws:rds/cluster:Cluster", {"manageMasterUserPassword": "true", "password": None}) == []


@pytest.mark.parametrize("password", ["hunter2", UNKNOWN], ids=["known", "not-yet"])
def test_a_database_with_a_password_of_pulumi_is_refused(check, password):
    [message] = check(POLICY, DATABASE, {"password": password}, name="accounting")
    assert "Database 'accounting' has its master password from Pulumi" in message
    assert ", or restore" in message
    assert "hunter2" not in message


def test_a_preview_that_does_not_know_passes(check):
    assert check(POLICY, SECRET, secret(annotations=UNKNOWN)) == []
    assert check(POLICY, SECRET, {"metadata": {"name": "keys"}, "stringData": UNKNOWN}) == []
    assert check(POLICY, RELEASE, release(slurmKey=UNKNOWN, jwtKey={"create": UNKNOWN})) == []
    assert check(POLICY, EXTERNAL, external(refreshPolicy=UNKNOWN)) == []


def test_what_holds_no_key_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(SECRET, secret(), "keys").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
