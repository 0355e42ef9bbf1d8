"""Documents say what was only checked here and what nobody has run, and claim no more."""

import re

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.unit

DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("**/*.md"), *(ROOT / "images").glob("*/README.md")])

CLAIM = re.compile(r"(?i)\b(?:audited|conform\w*|implements?|follows?)\b[^.\n]{0,40}(?<!user )\bguides?\b")
"""Conformity with a text that is not public. AWS' user guides are."""


def section(name, heading):
    text = (ROOT / name).read_text(encoding="utf-8")
    return " ".join(text.split(f"## {heading}\n")[1].split("\n## ")[0].split())


@pytest.mark.parametrize("thing", ["AWS", "GPU", "EFA", "Trainium", "job of Slurm, MPI", "pretrained model"])
def test_the_readme_lists_what_never_ran(thing):
    assert thing in section("README.md", "Tested offline")


def test_the_readme_says_so_before_anything_is_promised():
    beginning = (ROOT / "README.md").read_text(encoding="utf-8").split("## ")[0]
    assert "nothing has run on AWS yet" in beginning
    assert "(#tested-offline)" in beginning


def test_rendering_is_not_called_a_deployment():
    said = section("docs/slurm.md", "Render before you install")
    assert "helm template" in said
    assert "installs nothing" in said


def test_slurms_page_says_what_ends_jobs_and_how_to_drain():
    assert "state=drain" in section("docs/slurm.md", "Scale")
    said = section("docs/slurm.md", "What ends jobs")
    assert "JobRequeue=1" in said
    assert "--no-requeue" in said
    assert "state=drain" in said


def test_a_new_image_asks_for_a_job_over_two_nodes_and_its_log():
    said = section("images/slurmd/README.md", "First check on a node")
    assert "job of two nodes" in said
    assert "NCCL_DEBUG=INFO" in said
    assert "Using network AWS Libfabric" in said


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_document_claims_to_follow_a_guide_that_nobody_can_read(path):
    text = path.read_text(encoding="utf-8")
    assert CLAIM.findall(text) == []


@pytest.mark.parametrize("said", ["implements the audited CSI guide", "conforms to the guide", "Follows our Ray guide"])
def test_such_a_claim_would_be_found(said):
    assert CLAIM.findall(said)
    assert not CLAIM.findall("Source: FSx for Lustre user guide")
