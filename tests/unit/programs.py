"""Runs the program itself, `__main__.py`, under the recorder."""

import json
import runpy
from collections.abc import Callable, Mapping
from typing import Any

from scripts.sandboxing.project import with_throw_away_keys
from tests.support import ENVIRONMENT_KEY, ROOT, StackFile


def run_stack(build: Callable[..., Any], stack: StackFile, environment: Mapping[str, Any] | None = None) -> Any:
    """The recorder after the program of a stack file, or of another environment under its name."""
    given = environment or stack.environment
    config = with_throw_away_keys({"aws:region": stack.region, ENVIRONMENT_KEY: json.dumps(given)}, given)
    return build(lambda: runpy.run_path(str(ROOT / "__main__.py")), stack=stack.name, config=config)
