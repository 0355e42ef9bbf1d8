"""Values of an environment, laid over ours."""

from collections.abc import Mapping
from typing import Any


def merged(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """`theirs` over `ours`: maps merge deeply, anything else (lists and null too) replaces. Neither is changed.

    Helm does the same with a values file over a chart's own, so what someone writes here means what it means there.
    """
    result = dict(ours)
    for key, value in theirs.items():
        mine = result.get(key)
        both = isinstance(mine, Mapping) and isinstance(value, Mapping)
        result[key] = merged(mine or {}, value) if both else value
    return result
