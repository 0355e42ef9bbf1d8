"""Every command that README, quick starts and pages of jobs offer is run by a test, or a marker says why it is not."""

import re
from pathlib import Path

import pytest

from tests.command_blocks import EXECUTED, QUICK_STARTS, Block, blocks, fences, not_printed
from tests.support import ROOT

pytestmark = pytest.mark.unit

PARTS = {"slurm", "mpi", "volcano", "ray"}
REFERENCE = [ROOT / "docs" / f"{name}.md" for name in ("slurm", "mpi", "volcano", "kuberay", "workloads")]
DOCUMENTS = [ROOT / "README.md", *QUICK_STARTS, *REFERENCE]
BLOCKS = [block for page in DOCUMENTS for block in blocks(page)]

RUN_BY = {
    "./scripts/sandbox up": 'sandbox.run("up"',
    "./scripts/sandbox shell": "sandbox.in_shell(",
    "./scripts/sandbox down": 'sandbox.run("down"',
    # What runs the test that asks.
    "./scripts/test": "",
}
"""Command -> how the test that a marker names runs it."""


def of(block: Block) -> str:
    return block.place


def problem(block: Block) -> str:
    """What is wrong with how a block says what becomes of it; empty: nothing."""
    if block.is_run:
        if block.page not in EXECUTED:
            return "is run by no test: put <!-- needs AWS: REASON --> before it, or its page into EXECUTED"
        return "" if block.commands.strip() else "is empty"
    if block.marker == "run by":
        test = ROOT / block.told
        if not test.is_file():
            return f"is run by {block.told}, which is not there"
        unknown = [line for line in block.lines if line not in RUN_BY or RUN_BY[line] not in test.read_text("utf-8")]
        return f"is not run by {block.told}: {unknown[0]}" if unknown else ""
    return "" if len(block.told.split()) >= 4 else f"does not say why it {block.marker}"


def test_there_is_a_quick_start_for_each_way_of_running_jobs() -> None:
    assert {page.stem for page in QUICK_STARTS} == PARTS


@pytest.mark.parametrize("block", BLOCKS, ids=of)
def test_a_block_is_run_or_says_why_not(block: Block) -> None:
    assert problem(block) == "", f"{block.place} {problem(block)}"


@pytest.mark.parametrize("page", QUICK_STARTS, ids=lambda page: page.stem)
def test_a_quick_start_goes_from_nothing_to_a_job_and_back_to_nothing(page: Path) -> None:
    found = blocks(page)
    assert found[0].lines[0] == "./scripts/sandbox up"
    assert found[-1].lines == ["./scripts/sandbox down"]
    assert [block for block in found if block.marker == ""], "something is run"
    assert [block for block in found if block.marker == "refused"], "a rule is shown"
    assert [block for block in found if block.marker == "needs AWS"], "and what only AWS can show"
    text = page.read_text(encoding="utf-8")
    assert "## What the sandbox does not show" in text
    assert "Nothing of this has run on AWS" in " ".join(text.split())


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_command_hides_in_a_fence_without_a_language_or_in_an_indented_block(page: Path) -> None:
    assert [f"line {fence.line}" for fence in fences(page) if not fence.language] == []
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^(?: {4,}|\t)(?:\$ |\./|kubectl |pulumi |helm |aws |python ).*", text, re.MULTILINE) == []


@pytest.mark.parametrize("page", QUICK_STARTS, ids=lambda page: page.stem)
def test_every_file_of_a_quick_start_is_there_and_every_file_there_is_used(page: Path) -> None:
    named = set(re.findall(r"docs/quick-starts/([\w.-]+)", page.read_text(encoding="utf-8")))
    there = {path.name for path in page.parent.iterdir() if path.stem == page.stem and path != page}
    assert named == there


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("```sh\nkubectl get pods\n```", "is run by no test"),
        ("<!-- needs AWS: no -->\n```sh\nsinfo\n```", "does not say why it needs AWS"),
        ("<!-- needs AWS: Slurm does not run in the sandbox -->\n```sh\nsinfo\n```", ""),
        ("<!-- needs AWS: Slurm does not run in the sandbox -->\n\n```sh\nsinfo\n```", "is run by no test"),
        ("<!-- run by: tests/engine/test_none.py -->\n```sh\n./scripts/sandbox up\n```", "which is not there"),
        ("<!-- run by: tests/engine/test_main_job.py -->\n```sh\nsinfo\n```", "is not run by"),
        ("<!-- run by: tests/engine/test_main_job.py -->\n```console\n$ ./scripts/sandbox up   # all\n```", ""),
    ],
)
def test_the_check_sees_what_it_is_for(tmp_path: Path, written: str, said: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{written}\n", encoding="utf-8")
    [block] = blocks(page)
    assert (said in problem(block)) if said else problem(block) == ""


def test_a_block_has_its_commands_and_the_output_right_after_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    fenced = "1. x\n\n   <!-- refused: [a-rule] -->\n   ```console\n   $ one \\\n       more\n   ```\n"
    output = "\n   ```text\n   a  b\n   ```\n"
    page.write_text(f"{fenced}{output}\n```sh\ntwo\n```\n\nwords\n\n```text\nc\n```\n", encoding="utf-8")
    first, second = blocks(page)
    assert (first.marker, first.told, first.commands, first.shown) == (
        "refused",
        "[a-rule]",
        "one \\\n    more",
        ["a  b"],
    )
    assert (second.marker, second.commands, second.shown) == ("", "two", [])


@pytest.mark.parametrize(
    ("shown", "printed", "lacking"),
    [
        (["NAME  AGE", "x  …"], "NAME   AGE\nother  5s\nx   12s\n", None),
        (["a … c"], "a b c", None),
        (["a…"], "a.", None),
        (["a", "b"], "b\na", "b"),
        (["a.c"], "abc", "a.c"),
        (["a"], "", "a"),
    ],
)
def test_shown_lines_are_looked_for_in_their_order(shown: list[str], printed: str, lacking: str | None) -> None:
    assert not_printed(shown, printed) == lacking
