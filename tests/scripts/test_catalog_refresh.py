"""The catalog against EC2's answer, which moto plays from a recording."""

from collections.abc import Iterator
from datetime import date

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from components.catalog.ec2_answers import CELLS, cells
from components.catalog.instance_types import DATA, INSTANCE_TYPES, rows
from scripts import catalog

pytestmark = pytest.mark.scripts

REGION = "us-west-2"


@pytest.fixture(autouse=True)
def no_account_of_the_users(monkeypatch, tmp_path):
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))


@pytest.fixture
def ec2() -> Iterator[object]:
    with mock_aws():
        yield boto3.client("ec2", region_name=REGION)


@pytest.fixture
def stale(tmp_path):
    """A copy of the file with one number and one list that EC2 contradicts."""
    path = tmp_path / "instances.csv"
    text = DATA.read_text(encoding="utf-8").replace(
        "p5.48xlarge,amd64,h100,8,80,,32,32,2,", "p5.48xlarge,amd64,h100,4,80,,32,32,2,"
    )
    path.write_text(
        text.replace("trn1n.32xlarge,amd64,trainium,16", "trn1n.32xlarge,amd64,trainium,17"), encoding="utf-8"
    )
    return path


def test_the_catalog_agrees_with_the_recording_but_for_what_it_calls_open(ec2, capsys):
    assert catalog.refresh(ec2, region=REGION, write=False) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert [line[:2] for line in lines[1:]] == [
        ["trn2.3xlarge", "accel_mem_gib_each"],
        ["trn2.48xlarge", "accel_mem_gib_each"],
    ]
    assert "memory per device open" in INSTANCE_TYPES["trn2.48xlarge"].notes


def test_a_difference_is_shown_with_type_column_and_both_values_and_nothing_is_written(ec2, stale, capsys):
    before = stale.read_text(encoding="utf-8")
    assert catalog.refresh(ec2, region=REGION, write=False, path=stale) == 1
    shown = capsys.readouterr().out
    assert ["p5.48xlarge", "accelerator_count", "4", "8"] in [line.split() for line in shown.splitlines()]
    assert ["trn1n.32xlarge", "accelerator_count", "17", "16"] in [line.split() for line in shown.splitlines()]
    assert "Nothing was written" in shown
    assert stale.read_text(encoding="utf-8") == before


def test_what_the_region_does_not_offer_is_named_and_no_difference(ec2, capsys):
    catalog.refresh(ec2, region=REGION, write=False)
    assert "not compared: p6e-gb200.36xlarge" in capsys.readouterr().out


def test_write_changes_those_cells_names_the_source_and_keeps_the_rest(ec2, stale, capsys):
    day = date(2026, 12, 1)
    catalog.refresh(ec2, region=REGION, write=True, path=stale, today=day)
    assert "git diff" in capsys.readouterr().out
    text = stale.read_text(encoding="utf-8")
    assert "#  [E20261201] ec2:DescribeInstanceTypes in us-west-2, read 2026-12-01" in text
    after, before = ({r["instance_type"]: r for r in rows(path)} for path in (stale, DATA))
    assert after["p5.48xlarge"]["accelerator_count"] == "8"
    assert after["p5.48xlarge"]["source"].endswith("+E20261201")
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"p5.48xlarge", "trn1n.32xlarge", "trn2.3xlarge", "trn2.48xlarge"}
    comments = [line for line in DATA.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert [line for line in comments if line not in text] == []


def test_a_second_refresh_finds_nothing_and_writes_nothing(ec2, stale, capsys):
    catalog.refresh(ec2, region=REGION, write=True, path=stale, today=date(2026, 12, 1))
    once = stale.read_text(encoding="utf-8")
    assert catalog.refresh(ec2, region=REGION, write=True, path=stale, today=date(2026, 12, 2)) == 0
    assert stale.read_text(encoding="utf-8") == once
    assert "0 differences" in capsys.readouterr().out


def test_a_new_types_row_fits_the_file(ec2, capsys):
    assert catalog.main(["row", "c6i.large", "--region", REGION]) == 0
    printed = capsys.readouterr()
    columns = next(iter(rows())).keys()
    cells_of_row = dict(zip(columns, printed.out.strip().split(","), strict=True))
    assert cells_of_row["instance_type"] == "c6i.large"
    assert (cells_of_row["vcpu"], cells_of_row["memory_gib"], cells_of_row["efa_interfaces"]) == ("2", "4", "0")
    assert "SOURCES" in printed.err


def test_the_row_of_a_known_type_would_be_the_catalogs_own(ec2):
    answers = {answer["InstanceType"]: cells(answer) for answer in catalog.describe(ec2, ["p5.48xlarge", "m7i.large"])}
    for name, answer in answers.items():
        row = next(row for row in rows() if row["instance_type"] == name)
        assert {
            column: answer[column] for column in CELLS if column not in ("placement_strategies", "usage_classes")
        } == {column: row[column] for column in CELLS if column not in ("placement_strategies", "usage_classes")}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["refresh", "--region", "mars-1"], "--region"),
        (["refresh", "--region", "us-west-9"], "no region us-west-9"),
        (["refresh", "--profile", "nobody"], "nobody"),
        (["row", "p9.huge", "--region", REGION], "offers no p9.huge"),
        (["row", "p5.48xlarge", "--region", REGION], "has p5.48xlarge already"),
    ],
)
def test_a_slip_of_the_caller_is_one_line(ec2, capsys, arguments, words):
    assert catalog.main(arguments) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert words in line


def test_no_credentials_are_one_line(capsys):
    assert catalog.main(["refresh"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "no AWS credentials" in line


@pytest.mark.parametrize("code", ["AuthFailure", "UnauthorizedOperation"])
def test_refused_credentials_are_one_line(monkeypatch, ec2, code):
    class Refusing:
        def get_paginator(self, _):
            raise ClientError({"Error": {"Code": code, "Message": "not you"}}, "DescribeInstanceTypes")

    with pytest.raises(catalog.CatalogError, match=f"{code}: not you") as refused:
        list(catalog.describe(Refusing(), ["p5.48xlarge"]))
    assert "\n" not in str(refused.value)
    assert "ec2:DescribeInstanceTypes" in str(refused.value)


def test_many_types_are_asked_for_in_batches(ec2, monkeypatch):
    monkeypatch.setattr(catalog, "BATCH", 7)
    names = [row["instance_type"] for row in rows()]
    answers = [answer["InstanceType"] for answer in catalog.describe(ec2, names)]
    assert sorted(answers) == sorted(name for name in names if not name.startswith("p6e"))
