"""docs/pins.md: every pin with its source, and what no source gives marked as open."""

import pytest

from components.catalog import chart_values, pins
from components.catalog.addons import ALL_ADDONS
from components.catalog.images import IMAGES
from scripts import generate, pins_page
from tests.support import ROOT

pytestmark = pytest.mark.unit


def row(of: str, section: str) -> list[str]:
    _, _, rest = generate.pinned().partition(f"\n## {section}\n")
    [found] = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith(f"| {of} |")]
    return [cell.strip() for cell in found.strip("|").split("|")]


@pytest.mark.parametrize("pin", pins.CHARTS.values(), ids=lambda pin: pin.name)
def test_a_chart_stands_there_with_version_and_source(pin):
    assert row(f"`{pin.name}`", "Charts") == [
        f"`{pin.name}`",
        pin.version,
        f"`{pin.repository}`",
        f"`{pin.namespace}`",
        pin.source,
        str(pin.read),
    ]


@pytest.mark.parametrize("addon", ALL_ADDONS)
def test_the_version_of_an_add_on_is_open(addon):
    assert row(f"`{addon}`", "EKS add-ons")[1] == "**open**"


def test_an_add_on_of_storage_is_not_in_every_cluster():
    assert row("`aws-efs-csi-driver`", "EKS add-ons")[2] == "with the storage that needs it"
    assert row("`aws-ebs-csi-driver`", "EKS add-ons")[2] == "after the first nodes"


def test_a_support_date_that_no_source_gives_is_open():
    assert row("1.36", "Kubernetes on EKS")[1:3] == ["**open**", "**open**"]
    assert row("1.35", "Kubernetes on EKS")[1:3] == ["2027-03-27", "2028-03-27"]


def test_the_page_names_the_image_release_and_the_day():
    assert f"`{pins.AMI_RELEASE}`" in generate.pinned()
    assert str(pins.AS_OF) in generate.pinned()


CHECKED = "What was checked of each chart"


@pytest.mark.parametrize("pin", pins.CHARTS.values(), ids=lambda pin: pin.name)
def test_of_every_chart_it_says_how_its_keys_were_checked_and_whether_it_was_rendered(pin):
    name, version, keys_from, source, rendered, _ = row(f"`{pin.name}`", CHECKED)
    assert (name, version) == (f"`{pin.name}`", pin.version)
    assert keys_from in ("chart", "older chart", "transcript")
    assert "2026-" in source
    assert rendered.startswith(("yes, Helm 3.", "no: "))


def test_a_chart_that_nobody_had_is_not_said_to_have_been_rendered():
    assert row("`neuron-helm-chart`", CHECKED)[2] == "transcript"
    assert row("`neuron-helm-chart`", CHECKED)[4].startswith("no: no chart at hand")
    assert row("`dcgm-exporter`", CHECKED)[2] == "older chart"
    assert row("`cert-manager`", CHECKED)[4].startswith("yes, Helm 3.18.6, 2026-11-29: 51 objects")


def test_a_command_looks_at_a_pin_again():
    registry = "helm show values oci://quay.io/jetstack/charts/cert-manager --version v1.21.1"
    repository = "helm show values volcano --repo https://volcano-sh.github.io/helm-charts --version 1.15.2"
    assert row("`cert-manager`", CHECKED)[-1] == f"`{registry}`"
    assert row("`volcano`", CHECKED)[-1] == f"`{repository}`"


def test_manifests_and_images_stand_there_with_source_date_and_command():
    for pin in pins.MANIFESTS.values():
        found = row(f"`{pin.name}`", "Manifests")
        assert found[1:] == [
            pin.version,
            f"`{pin.image}`",
            f"`{pin.namespace}`",
            pin.source,
            str(pin.read),
            f"`crane ls {pin.image}`",
        ]
    for image in IMAGES.values():
        found = row(f"`{image.name}`", "Images of our Jobs")
        assert found[1:] == [
            image.version,
            f"`{image.image}`",
            image.source,
            str(image.read),
            f"`crane ls {image.image}`",
        ]


def test_the_page_is_stale_once_a_pin_or_an_account_changes(monkeypatch):
    page = "docs/pins.md"
    assert (ROOT / page).read_text(encoding="utf-8") == generate.pinned()
    other = chart_values.Account(source="elsewhere", keys_from="chart", rendered="yes, Helm 3.18.6")
    with monkeypatch.context() as changed:
        changed.setattr(pins_page, "account_of", lambda _: other)
        assert page in generate.stale()
    moved = dict(pins.MANIFESTS)
    moved.pop("mpi-operator")
    monkeypatch.setattr(pins, "MANIFESTS", moved)
    assert page in generate.stale()
