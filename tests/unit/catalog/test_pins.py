"""Pins: exact, sourced, and used."""

import itertools
import re

import pytest

from components.artifacts import chart_source
from components.catalog import images, pins
from components.catalog.addons import ADDONS
from components.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from components.catalog.partitions import partition_of
from components.catalog.pins import AMI_RELEASE, AS_OF, CHARTS, KARPENTER, KARPENTER_CRDS, VOLCANO
from tests.support import ROOT

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("pin", CHARTS.values(), ids=lambda pin: pin.name)
def test_a_chart_is_pinned_exactly_with_source_and_date(pin):
    assert re.fullmatch(r"v?\d+\.\d+\.\d+", pin.version)
    assert pin.source
    assert pin.read <= AS_OF


def test_every_pinned_chart_is_used_by_a_component():
    code = "".join(path.read_text() for path in (ROOT / "components").rglob("*.py") if path.name != "pins.py")
    names = {name: pin for name, pin in vars(pins).items() if isinstance(pin, pins.ChartPin)}
    assert [name for name in names if not re.search(rf"pin={name}\b", code)] == []
    assert set(CHARTS) == {pin.name for pin in names.values()}


def renovate_comments() -> dict[str, str]:
    """Name of the constant -> the comment above it, in both files of pins."""
    found = {}
    for file in ("pins.py", "images.py"):
        lines = (ROOT / "components" / "catalog" / file).read_text().splitlines()
        for above, line in itertools.pairwise(lines):
            if above.startswith("# renovate: ") and " = " in line:
                found[line.partition(" = ")[0]] = above.removeprefix("# renovate: ")
    return found


def test_renovate_finds_every_pin():
    known = renovate_comments()
    of_kind = (pins.ChartPin, pins.ManifestPin, images.ImagePin)
    every = {**vars(pins), **vars(images)}
    assert [name for name, pin in every.items() if isinstance(pin, of_kind) and name not in known] == []
    assert known["AMI_RELEASE"] == "datasource=github-releases depName=awslabs/amazon-eks-ami"
    for name, pin in every.items():
        if isinstance(pin, pins.ChartPin) and pin.repository.startswith("oci://"):
            assert known[name] == f"datasource=docker depName={pin.repository.removeprefix('oci://')}/{pin.name}"
        elif isinstance(pin, pins.ChartPin):
            assert known[name] == f"datasource=helm depName={pin.name} registryUrl={pin.repository}"
        elif isinstance(pin, pins.ManifestPin | images.ImagePin):
            image = pin.image.removeprefix("docker.io/").removeprefix("library/")
            assert known[name] == f"datasource=docker depName={image}"


def test_karpenter_and_its_definitions_are_of_one_version():
    assert KARPENTER.version == KARPENTER_CRDS.version


def test_the_three_charts_of_slinky_are_of_one_version():
    assert {pin.version for pin in (pins.SLURM_OPERATOR_CRDS, pins.SLURM_OPERATOR, pins.SLURM)} == {"1.2.3"}
    assert {pin.repository for pin in (pins.SLURM_OPERATOR_CRDS, pins.SLURM_OPERATOR, pins.SLURM)} == {
        "oci://ghcr.io/slinkyproject/charts"
    }


def test_the_image_release_never_floats():
    assert re.fullmatch(r"v\d{8}", AMI_RELEASE)


def test_a_supported_version_is_still_supported_on_the_day_of_the_facts():
    ended = [v.version for v in KUBERNETES_VERSIONS.values() if (v.extended_support_ends or AS_OF) < AS_OF]
    assert ended == []


def test_the_network_add_on_is_one_that_every_cluster_gets():
    assert {"vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "aws-ebs-csi-driver"} <= set(ADDONS)


def test_a_chart_comes_from_its_own_registry_without_a_mirror():
    crds, volcano = chart_source(KARPENTER_CRDS, None), chart_source(VOLCANO, None)
    assert crds.chart == "oci://public.ecr.aws/karpenter/karpenter-crd"
    assert crds.repository is None
    assert (volcano.chart, volcano.repository) == ("volcano", "https://volcano-sh.github.io/helm-charts")
    assert crds.version == volcano.version == "1.15.2"


@pytest.mark.parametrize("mirror", ["oci://registry.example.com/charts", "/srv/charts", "/srv/charts/"])
def test_a_mirror_holds_every_chart_under_its_name(mirror):
    for pin in CHARTS.values():
        source = chart_source(pin, mirror)
        assert source.chart == f"{mirror.rstrip('/')}/{pin.name}"
        assert source.repository is None
        assert source.version == pin.version


@pytest.mark.parametrize(
    ("region", "partition"), [("us-west-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")]
)
def test_a_region_knows_its_partition(region, partition):
    assert partition_of(region) == partition
