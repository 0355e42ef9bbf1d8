"""docs/pins.md: every pin with its source, and what no source gives marked as open."""

import pytest

from components.catalog import pins
from components.catalog.addons import ALL_ADDONS
from scripts import generate

pytestmark = pytest.mark.unit


def row(of: str) -> list[str]:
    [found] = [line for line in generate.pinned().splitlines() if line.startswith(f"| {of} |")]
    return [cell.strip() for cell in found.strip("|").split("|")]


@pytest.mark.parametrize("pin", pins.CHARTS.values(), ids=lambda pin: pin.name)
def test_a_chart_stands_there_with_version_and_source(pin):
    assert row(f"`{pin.name}`") == [
        f"`{pin.name}`",
        pin.version,
        f"`{pin.repository}`",
        f"`{pin.namespace}`",
        pin.source,
        str(pin.read),
    ]


@pytest.mark.parametrize("addon", ALL_ADDONS)
def test_the_version_of_an_add_on_is_open(addon):
    assert row(f"`{addon}`")[1] == "**open**"


def test_an_add_on_of_storage_is_not_in_every_cluster():
    assert row("`aws-efs-csi-driver`")[2] == "with the storage that needs it"
    assert row("`aws-ebs-csi-driver`")[2] == "after the first nodes"


def test_a_support_date_that_no_source_gives_is_open():
    assert row("1.36")[1:3] == ["**open**", "**open**"]
    assert row("1.35")[1:3] == ["2027-03-27", "2028-03-27"]


def test_the_page_names_the_image_release_and_the_day():
    assert f"`{pins.AMI_RELEASE}`" in generate.pinned()
    assert str(pins.AS_OF) in generate.pinned()
