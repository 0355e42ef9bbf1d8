"""No resource, however odd, crashes a rule; and no wrong form passes because it was merely written in other types."""

import copy
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pulumi_policy import ResourceValidationPolicy
from pulumi_policy.proxy import (
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
    UnknownValueError,
)

from policies.rules import ALL
from tests.examples import BAD, GOOD, PREVIEW_BAD, label, planned, promised
from tests.policy.judging import judge_shown, said_by, shown
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

EXAMPLES = {label(path): planned(path) for path in (*GOOD, *BAD)}
TYPES = sorted({resource.type for resources in EXAMPLES.values() for resource in resources})
UNKNOWNS = (UNKNOWN_STRING_VALUE, UNKNOWN_NUMBER_VALUE, UNKNOWN_ARRAY_VALUE, UNKNOWN_OBJECT_VALUE)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(["", "true", "8", "-np", "latest", "*", "0.0.0.0/0", *UNKNOWNS]),
)


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


KEYS = sorted({key for resources in EXAMPLES.values() for resource in resources for key in keys_of(resource.props)})
SHAPES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)
PROPS = st.dictionaries(st.sampled_from(KEYS), SHAPES, max_size=6)
calm = settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck), derandomize=True)


def judged(resources: list[Planned]) -> dict[str, list[str]]:
    """Rule -> its messages."""
    return {policy.name: said_by(policy, resources) for policy in ALL}


@calm
@given(type_=st.sampled_from(TYPES), props=PROPS)
def test_no_shape_crashes_a_rule(type_, props):
    judged([Planned(type=type_, name="odd", props=props)])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


@calm
@given(data=st.data())
def test_an_example_with_one_thing_replaced_crashes_no_rule(data):
    resources = copy.deepcopy(EXAMPLES[data.draw(st.sampled_from(sorted(EXAMPLES)))])
    chosen = data.draw(st.sampled_from(resources))
    where = list(places(chosen.props))
    if where:
        *way, last = data.draw(st.sampled_from(where))
        holder: Any = chosen.props
        for key in way:
            holder = holder[key]
        if data.draw(st.booleans()) and isinstance(holder, dict):
            del holder[last]
        else:
            holder[last] = data.draw(st.one_of(SCALARS, SHAPES, st.sampled_from(UNKNOWNS)))
    judged(resources)


def every_place_but(example: str) -> list[list[Planned]]:
    """The example with each of its places unknown in turn."""
    made = []
    for index, resource in enumerate(EXAMPLES[example]):
        for *way, last in places(resource.props):
            copied = copy.deepcopy(EXAMPLES[example])
            holder: Any = copied[index].props
            for key in way:
                holder = holder[key]
            holder[last] = UNKNOWN_STRING_VALUE
            made.append(copied)
    return made


@pytest.mark.parametrize("example", sorted(label(path) for path in PREVIEW_BAD))
def test_a_bad_example_with_one_thing_unknown_crashes_no_rule_of_its_own(example):
    own = [policy for policy in ALL if example.split("/")[0] in (policy.tags or [])]
    for resources in every_place_but(example):
        for policy in own:
            said_by(policy, resources)


def as_text(value: Any) -> Any:
    """8 as "8", true as "true"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def as_engine(value: Any) -> Any:
    """8 as 8.0, as every number arrives from the engine."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def as_number(value: Any) -> Any:
    """ "8" as 8, "true" as true."""
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    return int(value) if isinstance(value, str) and value.isdecimal() and not value.startswith("0") else value


def retyped(value: Any, by: Any) -> Any:
    if isinstance(value, dict):
        return {key: retyped(inner, by) for key, inner in value.items()}
    if isinstance(value, list):
        return [retyped(inner, by) for inner in value]
    return by(value)


@pytest.mark.parametrize("by", [as_text, as_engine, as_number], ids=["as text", "as the engine has it", "as numbers"])
@pytest.mark.parametrize("path", PREVIEW_BAD, ids=label)
def test_a_wrong_form_that_is_merely_retyped_is_still_reported(path, by):
    resources = [replace(r, props=retyped(r.props, by)) for r in planned(path)]
    own = {policy.name for policy in ALL if path.parent.name in (policy.tags or [])}
    said = [message for name, found in judged(resources).items() if name in own for message in found]
    assert said, f"{label(path)} passes once it is written {by.__name__}"
    if by is as_engine:
        assert any(promised(path, "reported") in message for message in said), f"as a person reads it: {said}"


def test_ten_thousand_resources_are_judged_in_a_minute():
    resources = [resource for example in sorted(EXAMPLES) for resource in EXAMPLES[example]]
    many = [
        replace(r, name=f"{r.name}-{turn}", sources={}, after=(), parent="")
        for turn in range(10_000 // len(resources) + 1)
        for r in resources
    ][:10_000]
    # As the engine does: every rule is shown the same resources.
    stack = shown(many)
    started = time.monotonic()
    for policy in ALL:
        if not isinstance(policy, ResourceValidationPolicy):
            with suppress(UnknownValueError):
                judge_shown(policy, stack)
    assert time.monotonic() - started < 60
