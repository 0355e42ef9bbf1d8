"""What an edit replaces, previewed by the real engine on a stack that is up, against what the edited field says."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from stacks.environment import EnvironmentProblems, load
from tests.engine.edits import EDITS, OURS, THEIRS, edited, that_do_not, that_replace
from tests.engine.standing import Standing, Step, gone, replaced

WITH_OURS = [path for path in EDITS if EDITS[path].base is OURS]
WITH_THEIRS = [path for path in EDITS if EDITS[path].base is THEIRS]


@pytest.fixture(scope="session")
def in_their_vpc(bring_up_once) -> Standing:
    return bring_up_once("theirs", THEIRS)


def preview_all(on: Standing, paths: Sequence[str]) -> Mapping[str, list[Step]]:
    return on.previews({path: on.with_charts(EDITS[path].environment) for path in paths})


NOT_IN_OURS = ("ExternalSecrets",)
"""What this environment cannot have beside the rest: its keys are in the stack's configuration. Theirs has it."""


def named(paths: Sequence[str]) -> list[str]:
    """What these fields say that they replace, as far as our environment has it."""
    return [what for path in paths for what in that_replace()[path] if what not in NOT_IN_OURS]


def judge(steps: Sequence[Step], says: Sequence[str]) -> None:
    """The resources that go are those that the field names: each is named, and each name has one."""
    lost = gone(steps)
    assert [step.line for step in lost if not any(step.is_of(what) for what in says)] == [], "goes, but is not named"
    assert [what for what in says if not any(step.is_of(what) for step in lost)] == [], "is named, but stays"
    assert lost != []


def batches(
    paths: Sequence[str], may_join: Callable[[Sequence[str], str], bool] = lambda _, __: True
) -> list[list[str]]:
    """The edits in as few environments as they fit into together, each a valid one, none over another."""
    found: list[list[str]] = []
    for path in paths:
        batch = next((batch for batch in found if may_join(batch, path) and _fits(batch, path)), None)
        if batch is None:
            found.append(batch := [])
        batch.append(path)
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


SMALL = ("TrainingNodePool", "GeneralNodePool", "Bucket")
"""Components that hold nothing which another field names by its type."""


def separate(batch: Sequence[str], path: str) -> bool:
    """Whether no resource can be named by two of the edits: they name different types, or components without such."""
    says = [what for other in [*batch, path] for what in that_replace()[other]]
    return all(":" in what or what in SMALL for what in says) and len(says) == len(set(says))


SHARED_AREAS = ("storage.", "namespaces", "platform.", "teams", "secrets")


def in_shared_area(path: str) -> bool:
    # Another key replaces whatever holds data: it stands alone, or it would hide everything.
    return path.startswith(SHARED_AREAS) and not path.startswith("storage.encryption")


ALIKE = ("cluster.serviceCidr",)
"""Makes a new cluster, as `cluster.encryption.kmsKey` does, and says the same: a preview of it shows nothing new."""


def replacing() -> list[list[str]]:
    """Batches of fields. Those of storage and platform name the same few components and share previews all the same.

    One of them could then hide what another forgets to name; the soak tier previews each alone.
    """
    paths = [path for path in that_replace() if path in WITH_OURS and path not in ALIKE]
    others = [path for path in paths if not in_shared_area(path)]
    return [*batches(others, separate), *batches([path for path in paths if in_shared_area(path)])]


REPLACING = replacing()
LIVE = [path for path in that_do_not() if path in WITH_OURS]


def label(batch: Sequence[str]) -> str:
    return batch[0] if len(batch) == 1 else f"{batch[0]} and {len(batch) - 1} more"


@pytest.fixture(scope="session")
def batched(standing: Standing) -> Mapping[str, list[Step]]:
    """Steps of each batch, two batches at a time."""
    every = [*REPLACING, *batches(LIVE)]
    return standing.previews({label(batch): standing.with_charts(together(batch)) for batch in every})


@pytest.mark.engine
@pytest.mark.parametrize("batch", REPLACING, ids=label)
def test_edits_replace_exactly_what_their_fields_say(batched: Mapping[str, list[Step]], batch: list[str]):
    judge(batched[label(batch)], named(batch))


@pytest.mark.engine
@pytest.mark.parametrize("path", ALIKE)
def test_a_field_that_is_left_out_says_what_its_like_says(path: str):
    assert sorted(that_replace()[path]) == sorted(that_replace()["cluster.encryption.kmsKey"])


@pytest.mark.soak
@pytest.mark.parametrize("path", [path for path in WITH_OURS if path in that_replace()])
def test_an_edit_alone_replaces_exactly_what_its_field_says(standing: Standing, path: str):
    judge(preview_all(standing, [path])[path], named([path]))


@pytest.mark.engine
@pytest.mark.parametrize("batch", batches(LIVE), ids=label)
def test_edits_of_other_fields_replace_nothing(batched: Mapping[str, list[Step]], batch: list[str]):
    found = batched[label(batch)]
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
