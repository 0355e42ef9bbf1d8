"""What an edit replaces, previewed by the real engine on a stack that is up, against what the edited field says."""

from collections.abc import Mapping, Sequence

import pytest

from stacks.environment import EnvironmentProblems, load
from tests.engine.edits import EDITS, OURS, THEIRS, edited, that_do_not, that_replace
from tests.engine.issue4_support import Standing, Step, gone, replaced

pytest_plugins = ("tests.engine.issue4_support",)

WITH_OURS = [path for path in EDITS if EDITS[path].base is OURS]
WITH_THEIRS = [path for path in EDITS if EDITS[path].base is THEIRS]


@pytest.fixture(scope="session")
def in_their_vpc(bring_up_once) -> Standing:
    return bring_up_once("theirs", THEIRS)


def preview_all(on: Standing, paths: Sequence[str]) -> Mapping[str, list[Step]]:
    return on.previews({path: on.with_charts(EDITS[path].environment) for path in paths})


@pytest.fixture(scope="session")
def replacing(standing: Standing) -> Mapping[str, list[Step]]:
    """Steps of each edit of a field that REPLACES."""
    return preview_all(standing, [path for path in WITH_OURS if path in that_replace()])


def judge(steps: Sequence[Step], says: Sequence[str]) -> None:
    """The resources that go are those that the field names: each is named, and each name has one."""
    lost = gone(steps)
    assert [step.line for step in lost if not any(step.is_of(what) for what in says)] == [], "goes, but is not named"
    assert [what for what in says if not any(step.is_of(what) for step in lost)] == [], "is named, but stays"
    assert lost != []


@pytest.mark.engine
@pytest.mark.parametrize("path", [path for path in WITH_OURS if path in that_replace()])
def test_an_edit_replaces_exactly_what_its_field_says(replacing: Mapping[str, list[Step]], path: str):
    judge(replacing[path], that_replace()[path])


def batches(paths: Sequence[str]) -> list[list[str]]:
    """The edits in as few environments as they fit into together, each a valid one, none over another."""
    found: list[list[str]] = []
    for path in paths:
        if not any(_fits(batch, path) for batch in found):
            found.append([])
        next(batch for batch in found if not batch or _fits(batch, path)).append(path)
    return found


def together(paths: Sequence[str]) -> dict[str, object]:
    values = {key: value for path in paths for key, value in EDITS[path].values.items()}
    return edited(EDITS[paths[0]].base, values)


def _fits(batch: Sequence[str], path: str) -> bool:
    taken = [f"{key}." for other in batch for key in EDITS[other].values]
    if any(
        key.startswith(one) or one.startswith(key) for key in (f"{k}." for k in EDITS[path].values) for one in taken
    ):
        return False
    try:
        load(together([*batch, path]), region="us-west-2")
    except EnvironmentProblems:
        return False
    return True


LIVE = [path for path in that_do_not() if path in WITH_OURS]


@pytest.mark.engine
@pytest.mark.parametrize("batch", batches(LIVE), ids=lambda batch: f"{len(batch)} edits, {batch[0]} first")
def test_edits_of_other_fields_replace_nothing(standing: Standing, batch: list[str]):
    found = standing.previews({str(batch): standing.with_charts(together(batch))})[str(batch)]
    assert [step.line for step in replaced(found)] == []
    assert found != [], "the edits change nothing at all"


@pytest.mark.soak
@pytest.mark.parametrize("path", LIVE)
def test_each_other_edit_alone_replaces_nothing(standing: Standing, path: str):
    assert [step.line for step in replaced(preview_all(standing, [path])[path])] == []


@pytest.mark.soak
@pytest.mark.parametrize("path", WITH_THEIRS)
def test_an_edit_in_a_vpc_of_another_team_does_what_its_field_says(in_their_vpc: Standing, path: str):
    steps = preview_all(in_their_vpc, [path])[path]
    if path in that_replace():
        judge(steps, that_replace()[path])
    else:
        assert [step.line for step in replaced(steps)] == []
