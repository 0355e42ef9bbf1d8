"""Sections `secrets` and `slurm.accounting.database`: one thing broken in a valid example, and the sentence."""

import pytest
from pydantic import ValidationError

from components.catalog.secrets import SLURM_DATABASE_PASSWORD, SLURM_JWT_KEY, SLURM_KEY
from stacks.accounting import check_database
from stacks.secrets import SecretsSpec, arn_of, check_secrets
from stacks.slurm_accounting import DatabaseSpec

pytestmark = pytest.mark.unit

NEEDED = (SLURM_KEY, SLURM_JWT_KEY)
ARN = "arn:aws:secretsmanager:us-west-2:111122223333:secret:eks-training-platform/dev/slurmKey-AbCdEf"
JWT_ARN = ARN.replace("slurmKey", "slurmJwtKey")
KMS = "arn:aws:kms:us-west-2:111122223333:key/12345678-1234-1234-1234-123456789012"
VALID = {"backend": "secretsManager", "arns": {"slurmKey": ARN, "slurmJwtKey": JWT_ARN}, "kmsKeyArn": KMS}


def problems(region="us-west-2", needed=NEEDED, **changes):
    section = SecretsSpec.model_validate({**VALID, **changes})
    return list(check_secrets("secrets", section, needed=needed, region=region))


def test_the_example_is_valid_and_so_is_the_default():
    assert problems() == []
    assert list(check_secrets("secrets", SecretsSpec(), needed=NEEDED, region="us-west-2")) == []


def test_every_missing_arn_is_named_with_the_command_that_makes_it():
    found = problems(arns={}, needed=(*NEEDED, SLURM_DATABASE_PASSWORD))
    assert [problem.path for problem in found] == [
        "secrets.arns.slurmKey",
        "secrets.arns.slurmJwtKey",
        "secrets.arns.slurmDatabasePassword",
    ]
    assert found[2].reason == "platform.slurm.accounting.database needs this secret."
    assert "./scripts/secrets init ENV" in found[0].ways_out[0]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        (
            {"arns": {"slurmKey": ARN.replace("us-west-2", "eu-west-1"), "slurmJwtKey": JWT_ARN}},
            "secrets.arns.slurmKey",
        ),
        ({"kmsKeyArn": KMS.replace("us-west-2", "eu-west-1")}, "secrets.kmsKeyArn"),
    ],
)
def test_a_secret_or_key_of_another_region_is_refused(changes, path):
    [problem] = problems(**changes)
    assert problem.path == path
    assert problem.reason == "It is in eu-west-1; the store in the cluster asks us-west-2 only."


def test_a_secret_of_another_partition_is_refused():
    [problem, _, _] = problems(region="us-gov-west-1")
    assert problem.accepted == "arn:aws-us-gov:…:us-gov-west-1:…"


def test_arns_that_nobody_would_read_are_refused():
    [problem] = problems(backend="stackConfig")
    assert problem.path == "secrets.arns"
    assert problem.reason == "With backend stackConfig nobody reads Secrets Manager."


def test_a_misspelt_key_of_the_chart_is_refused_and_the_nearest_named():
    [problem] = problems(values={"replicaCout": 2})
    assert problem.path == "secrets.values.replicaCout"
    assert problem.ways_out[0] == "write replicaCount"


def test_an_arn_without_aws_own_ending_is_refused():
    with pytest.raises(ValidationError, match=r"arns\.slurmKey"):
        SecretsSpec.model_validate({"arns": {"slurmKey": ARN.removesuffix("-AbCdEf")}})


def test_an_arn_is_found_by_its_kind():
    section = SecretsSpec.model_validate(VALID)
    assert (arn_of(section.arns, SLURM_KEY), arn_of(section.arns, SLURM_DATABASE_PASSWORD)) == (ARN, None)


# the database

PLACE = "platform.slurm.accounting.database"


def of_database(zones=("us-west-2a", "us-west-2b"), **changes):
    return list(check_database(PLACE, DatabaseSpec.model_validate(changes), zones=zones))


def test_the_default_database_is_valid():
    assert of_database() == []


def test_a_database_too_small_for_slurm_is_refused():
    [problem] = of_database(instanceClass="db.t4g.small")
    assert problem.path == f"{PLACE}.instanceClass"
    assert "Its buffer pool would be 1.5 GiB at most; Slurm asks for 4 GiB" in problem.reason


def test_one_zone_is_none_for_rds():
    [problem] = of_database(zones=("us-west-2a",))
    assert problem.reason == "RDS takes only groups of subnets in two zones or more, even for one instance."
