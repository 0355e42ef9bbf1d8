"""Sandboxes of the engine tier; whatever is left of them is taken down at the end, also after a failure."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.standing import bring_up_once, pytest_collection_modifyitems, second_up, standing, torn_down
from tests.engine.support import Sandbox
from tests.support import stack_files

__all__ = ["bring_up_once", "pytest_collection_modifyitems", "second_up", "standing", "torn_down"]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """An empty folder for sandboxes."""
    sandbox = Sandbox(tmp_path_factory.mktemp("sandboxes"))
    yield sandbox
    for stack in stack_files():
        if (sandbox.home / stack.name).exists():
            sandbox.run("down", stack.name)


@pytest.fixture(scope="session")
def programs() -> Path:
    """Folder of the programs that the pack must stop."""
    return Path(__file__).parent / "programs"
