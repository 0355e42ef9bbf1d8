"""The images of Slurm nodes: every version is pinned, and is the catalog's."""

import re

import pytest

from components.catalog import node_images
from components.catalog.slurm import IMAGE_TAG, MINIMUM_SLURM
from tests.support import ROOT

pytestmark = pytest.mark.unit

FOLDER = ROOT / "images" / "slurmd"
ARGUMENTS = {"gpu": {**node_images.COMMON, **node_images.GPU}, "neuron": {**node_images.COMMON, **node_images.NEURON}}
# Not versions: a digest that nobody may guess for the builder, a switch, and how apt asks.
OTHERS = {"SLURMD_DIGEST": None, "PYXIS": "off", "DEBIAN_FRONTEND": "noninteractive"}
FLOATING = re.compile(r":latest\b|@latest\b|/latest/|-latest\b|\brefs/heads\b|\bmain\.zip\b")


def text(kind):
    return (FOLDER / f"Dockerfile.{kind}").read_text()


def arguments(dockerfile):
    """Each ARG with its defaults; an ARG that only brings one into a stage has none."""
    found = {}
    for name, _, value in re.findall(r"^ARG (\w+)(=(.*))?$", dockerfile, re.MULTILINE):
        found.setdefault(name, set()).update({value} if value else set())
    return found


def unpinned(dockerfile):
    """Base images without a digest, and downloads without a checksum, a commit or a fingerprint."""
    stages = set(re.findall(r" AS ([\w-]+)$", dockerfile, re.MULTILINE)) | {"scratch"}
    images = [image for image in re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE) if image not in stages]
    loose = [image for image in images if "@${" not in image and not image.startswith("pyxis-${")]
    downloads = re.findall(r"^ADD (?!--checksum=sha256:\$)(\S+)", dockerfile, re.MULTILINE)
    return loose + [url for url in downloads if not (url.endswith("#${PYXIS_COMMIT}") or re.search(r"key\b|KEY", url))]


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_every_version_is_the_catalogs(kind):
    wanted = {name: {value} if value else set() for name, value in {**ARGUMENTS[kind], **OTHERS}.items()}
    assert arguments(text(kind)) == wanted


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_nothing_floats(kind):
    assert unpinned(text(kind)) == []
    assert FLOATING.findall(text(kind)) == []
    assert f"# syntax={node_images.DOCKERFILE_SYNTAX}\n" == text(kind).splitlines(keepends=True)[0]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("FROM ubuntu:24.04", ["ubuntu:24.04"]),
        ("FROM ghcr.io/slinkyproject/slurmd:latest AS x", ["ghcr.io/slinkyproject/slurmd:latest"]),
        ("ADD https://example.com/tool.tar.gz /", ["https://example.com/tool.tar.gz"]),
        ("ADD https://github.com/NVIDIA/pyxis.git#main /src", ["https://github.com/NVIDIA/pyxis.git#main"]),
    ],
)
def test_what_floats_would_be_found(line, found):
    assert unpinned(f"FROM scratch AS empty\n{line}\n") == found


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_a_key_that_is_downloaded_is_held_to_its_fingerprint(kind):
    downloads = re.findall(r"^ADD https://\S*(?:key|KEY)\S* /tmp/key$", text(kind), re.MULTILINE)
    exports = re.findall(r'gpg --batch --export "\$\{(\w+_KEY)\}" > /key\.gpg', text(kind))
    assert len(downloads) == len(exports) == 1
    assert re.fullmatch(r"[0-9A-F]{40}", ARGUMENTS[kind][exports[0]])


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_packages_are_installed_unasked_and_leave_no_lists(kind):
    installs = [line for line in text(kind).splitlines() if "apt-get install" in line]
    assert [line for line in installs if "-y --no-install-recommends" not in line] == []
    last = re.split(r"^FROM ", text(kind), flags=re.MULTILINE)
    kept = [stage for stage in last if re.match(r"\S+ AS pyxis-o", stage)]
    runs = [run for stage in kept for run in re.split(r"^RUN ", stage, flags=re.MULTILINE) if "apt-get update" in run]
    assert runs
    assert [run for run in runs if "rm -rf" not in run or "/var/lib/apt/lists/*" not in run] == []


@pytest.mark.parametrize("digits", [name for name in node_images.COMMON if name.endswith("SHA256")])
def test_a_checksum_is_one(digits):
    assert re.fullmatch(r"[0-9a-f]{64}", node_images.COMMON[digits])


def test_slurm_on_the_nodes_is_the_control_planes():
    release = node_images.SLURMD_TAG.partition("-")[0]
    assert release == IMAGE_TAG.partition("-")[0]
    assert tuple(map(int, release.split("."))) >= tuple(map(int, MINIMUM_SLURM.split(".")))


def test_pages_name_the_versions_of_the_catalog():
    pages = (ROOT / "docs" / "slurm-images.md").read_text() + (FOLDER / "README.md").read_text()
    named = [
        node_images.SLURMD_TAG,
        node_images.COMMON["EFA_INSTALLER_VERSION"],
        node_images.COMMON["ENROOT_VERSION"],
        node_images.GPU["CUDA_VERSION"],
        node_images.NEURON["NEURON_RUNTIME_VERSION"],
    ]
    assert [version for version in named if version not in pages] == []
