"""The runbook as the command reads it: every pin finds its line, and a page in another form is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.catalog.pins import CHARTS, MANIFESTS
from scripts.reaching import ReachError
from scripts.upgrading import pin_sets
from scripts.upgrading.runbook import PAGE, plain, read_runbook

pytestmark = pytest.mark.scripts

FIELDS = (
    pin_sets.KUBERNETES,
    pin_sets.VPC_CNI,
    pin_sets.NODE_IMAGE,
    pin_sets.SLURM,
    f"{pin_sets.SLURM_DIGESTS}.slurmctld",
    f"{pin_sets.SLURM_NODES}.gpu",
)


@pytest.mark.parametrize("component", [*CHARTS, *MANIFESTS, *FIELDS])
def test_every_pinned_component_has_its_line(component: str) -> None:
    row = read_runbook().row_of(component)
    assert row is not None
    assert row.restarts
    assert row.check
    assert row.back


def test_the_chart_slurm_and_slurm_itself_are_two() -> None:
    book = read_runbook()
    assert book.row_of("slurm") != book.row_of(pin_sets.SLURM)


def test_a_row_that_links_to_a_section_has_its_steps() -> None:
    row = read_runbook().row_of(pin_sets.KUBERNETES)
    assert row is not None
    assert row.steps[0].startswith("Before: EKS upgrade insights clean.")
    assert len(row.steps) == 6


def test_what_every_step_takes_ends_with_the_check() -> None:
    book = read_runbook()
    assert book.every_time[0].startswith("Read the release notes")
    assert book.every_time[-1].startswith("The check in the table.")
    assert book.back.startswith("`git revert`, `pulumi up`.")


def test_markdown_becomes_a_line_for_the_terminal() -> None:
    assert plain("**no** [way](https://x.example/y), [images](../a.md),\n   [S](#s)") == (
        "no way (https://x.example/y), images, see S below"
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("## Order", "## Rows", "KeyError: 'order'"),
        ("(#kubernetes)", "(#nowhere)", "KeyError: 'nowhere'"),
        ("| 3 | `cert-manager`", "| 3 | more | `cert-manager`", "row 3 has 7 cells"),
        ("**Back**: `git", "Back: `git", "no paragraph"),
    ],
)
def test_a_page_in_another_form_is_said_and_the_way_out(tmp_path: Path, old: str, new: str, said: str) -> None:
    page = tmp_path / "upgrade.md"
    page.write_text(PAGE.read_text().replace(old, new))
    with pytest.raises(ReachError, match=said) as raised:
        read_runbook(page)
    assert "git show HEAD:docs/runbooks/upgrade.md" in str(raised.value)


def test_a_page_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReachError, match="has not the form that this command reads"):
        read_runbook(tmp_path / "upgrade.md")
