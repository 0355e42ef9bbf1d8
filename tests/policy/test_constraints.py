"""The registry: every documented constraint has an owner at every gate, and owners name constraints that exist."""

import ast
import csv

import pytest

from policies.constraints import CATALOGUE, Gate, admission_ids, catalogue, owners, summary
from policies.rules import ALL
from tests.examples import ADMISSION_BAD, ADMISSION_GOOD, PREVIEW_BAD, PREVIEW_GOOD
from tests.support import ROOT

pytestmark = pytest.mark.policy

DOCUMENTED = {
    row["id"]: row["gates"].split()
    for row in csv.DictReader(
        (line for line in (CATALOGUE / "documented.tsv").open(encoding="utf-8") if not line.startswith("#")),
        delimiter="\t",
    )
}
ROWS = catalogue()
PUBLIC = ("ckv", "ckv2", "kb")
"""Prefixes of public controls (checkov, kube-bench), for what no guide of ours states."""

every_constraint = pytest.mark.parametrize("constraint", list(ROWS.values()), ids=lambda row: row.id)


def test_every_documented_constraint_has_a_row_and_no_other_has():
    assert set(ROWS) == set(DOCUMENTED)


@every_constraint
def test_a_row_has_the_gates_that_are_documented(constraint):
    assert sorted(constraint.gates) == sorted(DOCUMENTED[constraint.id])


@every_constraint
def test_a_gate_has_an_owner_or_says_who_will_be(constraint):
    for gate in constraint.gates:
        assert owners(constraint, gate), f"{constraint.id} has no owner at {gate}"


@every_constraint
def test_a_row_reads_as_sentences_with_a_dated_source(constraint):
    for text in (constraint.statement, constraint.why, constraint.remedy):
        assert text[0].isupper()
        assert text.endswith(".")
    assert constraint.source.startswith("https://")
    assert constraint.source.endswith(")"), "a source has the date on which it was read"


@pytest.mark.parametrize("gate", ["PREVIEW", "ADMISSION", "PREFLIGHT"])
def test_nothing_of_preview_and_admission_is_left_for_later(gate):
    assert [row.id for row in ROWS.values() if gate in row.planned] == []


def tests_named():
    return sorted({reference for row in ROWS.values() for reference in (*row.config, *row.proofs)})


@pytest.mark.parametrize("reference", tests_named())
def test_a_test_that_a_row_names_exists(reference):
    path, _, name = reference.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_what_rules_and_admission_policies_name_exists():
    named = {tag for rule in ALL for tag in rule.tags or [] if tag.split("-")[0] not in PUBLIC}
    assert named - set(ROWS) == set()
    assert set(admission_ids()) - set(ROWS) == set()


def having(gate: Gate) -> list[str]:
    return [row.id for row in ROWS.values() if gate in row.gates]


@pytest.mark.parametrize("constraint", having("PREVIEW"))
def test_a_constraint_of_the_preview_has_a_good_and_a_bad_example(constraint):
    assert constraint in {path.parent.name for path in PREVIEW_GOOD}
    assert constraint in {path.parent.name for path in PREVIEW_BAD}


@pytest.mark.parametrize("constraint", having("ADMISSION"))
def test_a_constraint_of_admission_has_a_good_and_a_bad_example(constraint):
    assert constraint in {path.parent.name for path in ADMISSION_GOOD}
    assert constraint in {path.parent.name for path in ADMISSION_BAD}


def test_the_summary_counts_what_is_enforced_apart_from_what_is_planned():
    told = {row.gate: row for row in summary()}
    for gate in ("PREVIEW", "ADMISSION", "PREFLIGHT"):
        assert told[gate].enforced == told[gate].documented == len(having(gate))
        assert told[gate].planned == 0
    for row in told.values():
        assert row.enforced + row.planned + row.stated == row.documented
