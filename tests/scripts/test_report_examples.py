"""The recorded previews and what is said of them: docs/examples is what the code writes, and says what it must."""

import xml.etree.ElementTree as ET

import pytest

from tests.scripts import example_reports
from tests.scripts.example_reports import FOLDER, PREVIEWS

pytestmark = pytest.mark.scripts

MOST_OF_A_COMMENT = 65_536


@pytest.fixture(scope="module")
def reports():
    return example_reports.reports()


def test_the_examples_in_the_docs_are_what_the_code_writes():
    assert example_reports.stale() == [], "run: python -m tests.scripts.example_reports"


@pytest.mark.parametrize("change", ["altered", "missing", "extra"])
def test_a_stale_example_is_named(monkeypatch, tmp_path, change):
    for name, text in example_reports.pages().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    page = tmp_path / ("old.md" if change == "extra" else "create.md")
    page.unlink() if change == "missing" else page.write_text("altered", encoding="utf-8")
    monkeypatch.setattr(example_reports, "FOLDER", tmp_path)
    assert example_reports.stale() == [page.name]


def test_a_first_preview_makes_everything_and_its_whole_price_is_new(reports):
    found = reports["create"]
    assert {each.op for each in found.preview.changes} == {"create"}
    assert [area.name for area in found.areas] == ["network", "cluster", "capacity", "storage", "platform", "other"]
    assert found.costs.totals[0].before == "0.00"
    assert found.costs.totals[0].delta.startswith("+")


def test_a_harmless_change_has_no_danger(reports):
    found = reports["harmless-change"]
    assert [each.name for each in found.preview.changes] == ["pool-general-nodepool"]
    assert found.dangers == []
    assert not found.fails


def test_a_replaced_lustre_comes_first_and_says_which_value_replaces_it(reports):
    first, *others = reports["lustre-replacement"].dangers
    assert first.change.type == "aws:fsx/lustreFileSystem:LustreFileSystem"
    assert first.because == ['deploymentType: "PERSISTENT_2" -> "SCRATCH_2"']
    assert {each.change.type.rsplit(":", 1)[-1] for each in others} == {"PersistentVolume", "PersistentVolumeClaim"}
    assert not reports["lustre-replacement"].fails, "whether a danger is wanted is for a person to say"


def test_a_broken_rule_is_the_first_line_and_the_exit_status(reports):
    found = reports["policy-failure"]
    assert found.verdict == "1 mandatory rule is broken: an update would refuse."
    assert [each.rule for each in found.policies.of_level("mandatory")] == ["sec-services-not-public"]
    assert found.fails


def test_what_a_hand_changed_is_drift_with_the_values_it_was_given(reports):
    found = reports["drift"]
    assert {each.name: each.op for each in found.preview.changes} == {
        "pool-general-nodepool": "update",
        "pool-p4d-nodeclass": "update",
        "slurm-network-jobs": "delete",
    }
    assert found.verdict == "3 resources are not as Pulumi left them."
    assert [each.says.split(":")[0] for each in found.dangers] == ["putting it back"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_an_example_fits_a_comment_and_every_fold_of_it_is_closed(path):
    text = path.read_text(encoding="utf-8")
    assert len(text) < MOST_OF_A_COMMENT
    assert text.count("<details") == text.count("</details>")
    assert text.count("```") % 2 == 0


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.svg")), ids=lambda path: path.stem)
def test_a_picture_is_xml_with_its_numbers_in_words(path):
    root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert ": " in title.text


def test_recordings_hold_no_path_of_the_machine_that_made_them():
    text = "".join(path.read_text(encoding="utf-8") for path in PREVIEWS.iterdir())
    assert "/tmp/" not in text  # noqa: S108
    assert "/root/" not in text
