"""Loading an environment that must be refused."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from stacks.environment import EnvironmentProblems, load
from stacks.problems import Problem
from tests.unit.stacks.examples import REGION, VALID


@pytest.fixture
def valid() -> dict[str, Any]:
    return copy.deepcopy(VALID)


@pytest.fixture
def problems_of() -> Callable[..., list[Problem]]:
    """Load an environment that must be refused, and return its problems."""

    def load_refused(environment: object, *, region: str = REGION, stack: str = "dev") -> list[Problem]:
        with pytest.raises(EnvironmentProblems) as refused:
            load(environment, region=region, stack=stack)
        return list(refused.value.problems)

    return load_refused
