"""Every field has an edit that the engine tier previews, and each edit leaves a valid environment."""

import pytest

from stacks.environment import load
from tests.engine.edits import EDITS, fields, that_replace

pytestmark = pytest.mark.unit


def test_every_field_has_an_edit_and_every_edit_a_field():
    paths = [path for path, _ in fields()]
    assert [path for path in paths if path not in EDITS] == [], "add the field to tests/engine/edits.py"
    assert [path for path in EDITS if path not in paths] == []


@pytest.mark.parametrize("path", EDITS)
def test_an_edit_leaves_a_valid_environment_that_differs(path):
    edit = EDITS[path]
    before, after = (load(raw, region="us-west-2", stack="sandbox") for raw in (edit.base, edit.environment))
    assert before != after


def test_a_field_that_replaces_says_what():
    assert [path for path, what in that_replace().items() if not what] == []
