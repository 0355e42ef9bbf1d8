"""The upgrade runbook: every pin is in it with its version, definitions before what uses them."""

import re

import pytest

from components.catalog.pins import CHARTS, MANIFESTS
from tests.support import ROOT

pytestmark = pytest.mark.unit

PAGE = (ROOT / "docs" / "runbooks" / "upgrade.md").read_text()
ROWS = [line for line in PAGE.splitlines() if re.match(r"\| \d", line)]


@pytest.mark.parametrize("pin", [*CHARTS.values(), *MANIFESTS.values()], ids=lambda pin: pin.name)
def test_whoever_changes_a_pin_meets_its_line(pin):
    assert [row for row in ROWS if f"`{pin.name}` {pin.version}" in row] != [], (
        "read and change docs/runbooks/upgrade.md"
    )


def test_the_page_names_no_chart_that_is_none():
    named = {name for row in ROWS for name in re.findall(r"`([a-z0-9-]+)` v?\d+\.\d+\.\d+", row)}
    assert named <= {*CHARTS, *MANIFESTS}


@pytest.mark.parametrize(("first", "then"), [("karpenter-crd", "karpenter"), ("slurm-operator-crds", "slurm-operator")])
def test_definitions_come_first(first, then):
    assert PAGE.index(f"`{first}` ") < PAGE.index(f"`{then}` ")


def test_every_row_says_what_to_check_and_how_to_go_back():
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in ROWS]
    assert [row[1] for row in cells if len(row) != 6] == []
    assert [row[1] for row in cells[1:] if not (row[3] and row[4] and row[5])] == []
