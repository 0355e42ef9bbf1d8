"""Versions compared, and pins read from a module's text."""

from __future__ import annotations

import pytest

from components.catalog.pins import CHARTS, MANIFESTS
from scripts.reaching import ReachError
from scripts.upgrading.catalog_pins import read_pins
from scripts.upgrading.versions import Direction, direction, is_new_major, minors_between, slurm_releases_between
from tests.support import ROOT

pytestmark = pytest.mark.scripts


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("1.15.2", "1.16.0", Direction.UP),
        ("v1.9.0", "v1.10.0", Direction.UP),
        ("1.9.3", "1.10.0-rc1", Direction.UP),
        ("1.2.0-rc1", "1.2.0", Direction.UP),
        ("v1.20.1-eksbuild.3", "v1.20.1-eksbuild.10", Direction.UP),
        ("v20261023", "v20260923", Direction.DOWN),
        ("1.2.1", "1.2.0", Direction.DOWN),
        ("26.05-ubuntu24.04", "26.05-ubuntu26.04", Direction.OTHER),
        ("sha256:aa", "sha256:bb", Direction.OTHER),
        ("EKS' default", "v1.20.1-eksbuild.3", Direction.OTHER),
    ],
)
def test_a_change_goes_up_or_down_or_nobody_can_say(before: str, after: str, expected: Direction) -> None:
    assert direction(before, after) is expected


@pytest.mark.parametrize(
    ("before", "after", "left_out"),
    [
        ("v1.19.4", "v1.21.1", ["1.20"]),
        ("1.33", "1.36", ["1.34", "1.35"]),
        ("1.34", "1.35", []),
        ("1.35", "1.33", []),
        ("1.35", "2.3", []),
        ("by tag", "1.3", []),
    ],
)
def test_minors_left_out_are_named(before: str, after: str, left_out: list[str]) -> None:
    assert minors_between(before, after) == left_out


@pytest.mark.parametrize(
    ("before", "after", "releases"),
    [
        ("26.05-ubuntu26.04", "26.05-ubuntu24.04", 0),
        ("25.11-ubuntu24.04", "26.05-ubuntu26.04", 1),
        ("24.11-x", "26.05-x", 3),
        ("24.05-x", "26.05-x", 4),
        ("26.05-x", "25.11-x", -1),
        ("latest", "26.05-x", None),
    ],
)
def test_slurm_counts_a_release_in_may_and_one_in_november(before: str, after: str, releases: int | None) -> None:
    assert slurm_releases_between(before, after) == releases


def test_a_date_has_no_major() -> None:
    assert is_new_major("2.9.0", "3.0.0")
    assert not is_new_major("2.9.0", "2.10.0")
    assert not is_new_major("v20260923", "v20261023")


def test_what_is_parsed_is_what_the_catalog_says() -> None:
    read = read_pins((ROOT / "components" / "catalog" / "pins.py").read_text(), "pins.py")
    assert dict(read.versions) == {name: pin.version for name, pin in {**CHARTS, **MANIFESTS}.items()}
    assert read.unreadable == ()


def test_a_version_may_be_a_constant_of_the_module() -> None:
    read = read_pins('V: str = "1.2.3"\nA = ChartPin(name="a", version=V)\n', "pins.py")
    assert dict(read.versions) == {"a": "1.2.3"}


def test_a_version_that_is_no_text_is_named_and_nothing_is_run() -> None:
    read = read_pins('A = ChartPin(name="a", version=exit(9))\nB = pins.ChartPin(name="b", version="1")\n', "pins.py")
    assert (dict(read.versions), read.unreadable) == ({"b": "1"}, ("a",))


def test_a_pin_without_a_name_is_called_as_its_variable() -> None:
    assert read_pins('VOLCANO = ChartPin(version="1")\n', "pins.py").unreadable == ("VOLCANO",)


def test_what_is_no_python_is_said_with_its_line() -> None:
    with pytest.raises(ReachError, match=r"pins\.py of v1 cannot be read: .* in line 2"):
        read_pins("A = 1\nB = = 2\n", "pins.py of v1")
