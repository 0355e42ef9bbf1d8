"""What the quick starts say to type, typed: block by block, in `./scripts/sandbox shell`, on a stack that is up."""

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.command_blocks import EXECUTED, QUICK_STARTS, Block, blocks, not_printed
from tests.engine.standing import Standing
from tests.engine.support import Sandbox
from tests.support import ROOT

pytestmark = pytest.mark.engine

JOBS = "mpijobs.kubeflow.org,jobs.batch.volcano.sh,rayjobs.ray.io"
SECONDS = 60
"""How long one block may take."""


@pytest.fixture(scope="module")
def shell(standing: Standing, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The variables that `./scripts/sandbox shell` gives to a user's shell, asked of it once."""
    told = tmp_path_factory.mktemp("shell") / "variables"
    # The page of MPI shows both nodes of the pool; the companion may still be starting them.
    nodes = 'test "$(kubectl get nodes -l eks-training-platform/pool=p5 -o name | wc -l)" = 2'
    Sandbox(standing.state.root.parent).in_shell(f"timeout 60 sh -c 'until {nodes}; do sleep 1; done'; env -0 > {told}")
    return dict(each.split("=", 1) for each in told.read_text().split("\0") if each)


def typed(block: Block, shell: Mapping[str, str]) -> tuple[int, str]:
    """Exit status and output, errors among it, of a block."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.commands],
        cwd=ROOT,
        env=shell,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture
def nothing_stays(shell: Mapping[str, str]) -> Iterator[None]:
    """Jobs of a page that failed half-way would be in the way of every later test of this stack."""
    yield
    for manifest in (ROOT / "docs" / "quick-starts").glob("*.yaml"):
        command = ["kubectl", "delete", "-f", str(manifest), "--ignore-not-found", "--wait=false"]
        subprocess.run(command, env=shell, capture_output=True, timeout=SECONDS, check=False)


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.stem)
def test_each_block_of_a_page_does_what_the_page_says(page: Path, shell: Mapping[str, str]) -> None:
    run = [block for block in blocks(page) if block.is_run]
    assert run
    for block in run:
        status, output = typed(block, shell)
        said = f"{block.place}\n{block.commands}\nended with {status}:\n{output}"
        if block.marker == "refused":
            assert status != 0, said
            assert block.told in output, said
        else:
            assert status == 0, said
            assert "Warning" not in output, said
        assert not_printed(block.shown, output) is None, said
    left = subprocess.run(
        ["kubectl", "get", JOBS, "-A", "-o", "name"], env=shell, capture_output=True, text=True, timeout=60, check=True
    )
    assert left.stdout == "", f"{page.name} leaves jobs in the cluster"


@pytest.mark.parametrize("block", [each for page in QUICK_STARTS for each in blocks(page)], ids=lambda b: b.place)
def test_a_block_that_nobody_has_run_is_at_least_a_script(block: Block) -> None:
    checked = subprocess.run(["bash", "-n", "-c", block.commands], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, ""), block.place


def test_the_batch_script_of_slurm_is_a_script() -> None:
    script = ROOT / "docs" / "quick-starts" / "slurm.sbatch"
    checked = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
