"""How the local AWS answers for a database whose master password RDS keeps itself."""

import re

import pytest

from scripts.sandboxing.aws.values import UNKNOWN
from tests.scripts.local_providers import Aws

pytestmark = pytest.mark.scripts

DATABASE = "aws:rds/instance:Instance"
MANAGED = {"instanceClass": "db.m7g.large", "manageMasterUserPassword": True}


def test_the_master_secret_has_an_arn_that_only_the_update_knows() -> None:
    aws = Aws()
    _, _, previewed = aws.create(DATABASE, MANAGED, preview=True)
    _, _, made = aws.create(DATABASE, MANAGED)
    assert previewed["masterUserSecrets"] == UNKNOWN
    [secret] = made["masterUserSecrets"]
    assert re.fullmatch(r"arn:aws:secretsmanager:us-west-2:0{12}:secret:rds!db-[0-9a-f]{8}-AbCdEf", secret["secretArn"])


def test_a_database_with_a_password_of_the_programs_own_has_no_such_secret() -> None:
    _, _, made = Aws().create(DATABASE, {"instanceClass": "db.m7g.large", "password": "x"})
    assert "AbCdEf" not in str(made.get("masterUserSecrets"))
