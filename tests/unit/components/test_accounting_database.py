"""The accounting database: kept, encrypted, reached from the nodes only, its master password known to RDS alone."""

import json
import os
import stat
import subprocess

import pytest

from components.catalog.secrets import ROTATION
from components.platform.accounting_database import SlurmDatabase, SlurmDatabaseArgs, storage_parameters
from components.platform.accounting_setup import (
    APPLY,
    FETCH,
    SlurmDatabaseSetup,
    SlurmDatabaseSetupArgs,
    master_policy,
)
from stacks.slurm_accounting import DatabaseSpec

pytestmark = pytest.mark.unit

INSTANCE, JOB = "aws:rds/instance:Instance", "kubernetes:batch/v1:Job"
KMS = "arn:aws:kms:us-west-2:111122223333:key/12345678-1234-1234-1234-123456789012"
MASTER_ARN = "arn:aws:mock:::secret:accounting"
"""Of the secret that RDS makes, as the recorder plays it."""


def database(**changes):
    args = {
        "spec": DatabaseSpec(),
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-a", "subnet-b"],
        "client_security_group_id": "sg-nodes",
        "protect": True,
        **changes,
    }
    return SlurmDatabase("accounting", SlurmDatabaseArgs(**args))


def with_setup(**changes):
    args = {
        "database": database(),
        "cluster": "training-test",
        "region": "us-west-2",
        "namespace": "slurm",
        "password_secret_name": "slurm-accounting",
        "rotation": "slurmDatabasePassword=2026-11-29T21:00:00Z",
        "images": None,
        **changes,
    }
    return SlurmDatabaseSetup("setup", SlurmDatabaseSetupArgs(**args))


@pytest.fixture(scope="module")
def protected(build):
    return build(database)


@pytest.fixture(scope="module")
def disposable(build):
    return build(lambda: database(protect=False, kms_key_arn=KMS, require_tls=True))


@pytest.fixture(scope="module")
def setup(build):
    return build(with_setup)


def parameters(recorder):
    found = recorder.only("aws:rds/parameterGroup:ParameterGroup").inputs
    return found["family"], {entry["name"]: entry["value"] for entry in found["parameters"]}


def test_rds_keeps_the_master_password_and_pulumi_never_has_one(protected):
    inputs = protected.only(INSTANCE).inputs
    assert inputs["manageMasterUserPassword"] is True
    assert [key for key in inputs if key.startswith("password")] == []


def test_it_is_mariadb_11_4_on_an_encrypted_disk_that_grows(protected):
    inputs = protected.only(INSTANCE).inputs
    assert (inputs["engine"], inputs["engineVersion"]) == ("mariadb", "11.4")
    assert inputs["storageEncrypted"] is True
    assert (inputs["storageType"], inputs["allocatedStorage"], inputs["maxAllocatedStorage"]) == ("gp3", 100, 400)


def test_a_protected_database_is_kept_by_rds_and_pulumi_and_leaves_a_snapshot(protected):
    found = protected.only(INSTANCE)
    assert found.request.protect is True
    assert found.inputs["deletionProtection"] is True
    assert found.inputs["skipFinalSnapshot"] is False
    assert found.inputs["finalSnapshotIdentifier"] == "accounting-subnets-final"
    assert found.inputs["deleteAutomatedBackups"] is False
    assert [r.name for r in protected.registrations if r.request.protect] == ["accounting"]


def test_a_disposable_database_goes_without_a_trace(disposable):
    found = disposable.only(INSTANCE)
    assert found.request.protect is False
    assert found.inputs["deletionProtection"] is False
    assert found.inputs["skipFinalSnapshot"] is True


def test_a_customer_key_encrypts_disk_and_master_secret(disposable):
    inputs = disposable.only(INSTANCE).inputs
    assert (inputs["kmsKeyId"], inputs["masterUserSecretKmsKeyId"]) == (KMS, KMS)


def test_nodes_reach_it_at_its_port_and_nobody_else(protected):
    [rule] = [r.inputs for r in protected.registrations if "GroupIngressRule" in r.type or "GroupEgressRule" in r.type]
    assert rule["referencedSecurityGroupId"] == "sg-nodes"
    assert (rule["ipProtocol"], rule["fromPort"], rule["toPort"]) == ("tcp", 3306, 3306)
    assert "cidrIpv4" not in rule
    assert protected.only(INSTANCE).inputs["publiclyAccessible"] is False


def test_its_parameters_are_those_that_slurmdbd_asks_for(protected):
    assert parameters(protected) == (
        "mariadb11.4",
        {
            "innodb_lock_wait_timeout": "900",
            "innodb_log_file_size": "1073741824",
            "max_allowed_packet": "268435456",
            "require_secure_transport": "0",
        },
    )


def test_tls_is_demanded_where_slurmdbd_is_told_to_speak_it(disposable):
    assert parameters(disposable)[1]["require_secure_transport"] == "1"
    assert storage_parameters("/etc/rds/ca.pem") == "StorageParameters=SSL_CA=/etc/rds/ca.pem"


def test_slurm_gets_the_address_and_the_name_of_the_secret(build):
    found = []
    build(lambda: found.append(database().for_slurm("slurm-accounting", "password")))
    assert (found[0].port, found[0].database, found[0].username) == (3306, "slurm_acct_db", "slurm")
    assert (found[0].password_secret_name, found[0].password_secret_key) == ("slurm-accounting", "password")


# the Job


def test_the_job_reads_the_one_master_secret(setup):
    [statement] = json.loads(setup.named("setup-read").inputs["policy"])["Statement"]
    assert statement["Action"] == ["secretsmanager:GetSecretValue"]
    assert statement["Resource"] == [MASTER_ARN]
    assert json.loads(master_policy(MASTER_ARN, KMS))["Statement"][1]["Resource"] == [KMS]


def test_the_job_starts_after_its_identity(setup):
    assert {"setup-identity", "setup-account"} <= set(setup.only(JOB).depends_on)


def test_a_rotation_is_another_pod_template_and_so_another_job(setup):
    template = setup.only(JOB).inputs["spec"]["template"]
    assert template["metadata"]["annotations"] == {ROTATION: "slurmDatabasePassword=2026-11-29T21:00:00Z"}


def test_its_pod_is_held_to_the_strictest_level_and_its_images_to_one_tag(setup):
    pod = setup.only(JOB).inputs["spec"]["template"]["spec"]
    containers = [*pod["initContainers"], *pod["containers"]]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert [c["securityContext"]["capabilities"]["drop"] for c in containers] == [["ALL"], ["ALL"]]
    assert [c["image"] for c in containers] == [
        "public.ecr.aws/aws-cli/aws-cli:2.34.61",
        "docker.io/library/mariadb:11.4.12",
    ]
    assert pod["volumes"][0]["emptyDir"]["medium"] == "Memory"


def test_its_images_come_from_the_mirror(build):
    pod = build(lambda: with_setup(images="registry.example.com/mirror")).only(JOB).inputs["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "registry.example.com/mirror/library/mariadb:11.4.12"


MASTER_PASSWORD, SLURM_PASSWORD = r"Jx\"9\\<{:,}&#$", "it's a \\ pass"
"""The first as in JSON, with an escaped quote and backslash; the second with what SQL would take for syntax."""


@pytest.fixture
def ran(tmp_path):
    """Both scripts with an `aws` and a `mariadb` that write down what they were given."""
    binaries = tmp_path / "bin"
    binaries.mkdir()
    # As RDS writes it.
    (tmp_path / "answer").write_text(f'{{"username":"admin","password":"{MASTER_PASSWORD}"}}\n')
    (tmp_path / "password").write_text(SLURM_PASSWORD)
    for name, body in {
        "aws": f'echo "$@" > {tmp_path}/aws.arguments; cat {tmp_path}/answer',
        "mariadb": f'echo "$@" > {tmp_path}/arguments; printf %s "$MYSQL_PWD" > {tmp_path}/given; cat > {tmp_path}/sql',
    }.items():
        (binaries / name).write_text(f"#!/bin/sh\n{body}\n")
        (binaries / name).chmod(0o755)
    environment = {
        "PATH": f"{binaries}:{os.defpath}",
        "WORK": str(tmp_path),
        "MASTER_SECRET_ARN": MASTER_ARN,
        "PASSWORD_FILE": str(tmp_path / "password"),
        "HOST": "db.example.com",
        "PORT": "3306",
        "DATABASE": "slurm_acct_db",
        "SLURM_USER": "slurm",
        "REQUIRE": "NONE",
    }
    said = [
        subprocess.run(["/bin/sh", "-c", script], env=environment, capture_output=True, text=True, check=True)
        for script in (FETCH, APPLY)
    ]
    return tmp_path, "".join(result.stdout + result.stderr for result in said)


def test_the_scripts_make_database_user_and_grants(ran):
    folder, _ = ran
    quoted = r"it\'s a \\ pass"
    assert (folder / "sql").read_text().splitlines() == [
        "CREATE DATABASE IF NOT EXISTS `slurm_acct_db`;",
        f"CREATE USER IF NOT EXISTS 'slurm'@'%' IDENTIFIED BY '{quoted}';",
        f"ALTER USER 'slurm'@'%' IDENTIFIED BY '{quoted}' REQUIRE NONE;",
        "GRANT ALL PRIVILEGES ON `slurm_acct_db`.* TO 'slurm'@'%';",
    ]


def test_the_master_password_arrives_as_it_is(ran):
    folder, _ = ran
    assert (folder / "given").read_text() == json.loads(f'"{MASTER_PASSWORD}"')
    assert "--user=admin" in (folder / "arguments").read_text()


def test_no_password_is_an_argument_or_in_the_log(ran):
    folder, said = ran
    shown = said + (folder / "arguments").read_text() + (folder / "aws.arguments").read_text()
    assert "--ssl" in shown
    assert SLURM_PASSWORD not in shown
    assert json.loads(f'"{MASTER_PASSWORD}"') not in shown


def test_the_master_secret_is_readable_by_its_user_only(ran):
    folder, _ = ran
    assert stat.S_IMODE((folder / "master").stat().st_mode) == 0o600
