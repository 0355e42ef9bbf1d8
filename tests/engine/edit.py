"""An edit of an environment: new values at dotted paths."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def edited(environment: Mapping[str, Any], edits: Mapping[str, object]) -> dict[str, Any]:
    """The environment with values put in at dotted paths (`nodePools.0.name`); sections on the way are made."""
    result = copy.deepcopy(dict(environment))
    for path, value in edits.items():
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        target: Any = result
        for step in way:
            target = target.setdefault(step, {}) if isinstance(target, dict) else target[step]
        target[last] = value
    return result


@dataclass(frozen=True, kw_only=True)
class Edit:
    """New values, by dotted path, that change this one field; `base` is the environment they are made in."""

    values: Mapping[str, object]
    base: Mapping[str, Any] = field(repr=False)

    @property
    def environment(self) -> dict[str, Any]:
        return edited(self.base, self.values)
