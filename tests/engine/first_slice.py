"""The first slice of the stack, under the name of `dev`: the smallest environment in which Helm installs charts.

A network, a cluster with Karpenter and its definitions, one pool with its device plugins, buckets and Volcano: five
releases, with hooks, made by one `up` that is short enough to be killed twenty times. `python -m
tests.engine.first_slice MODULE ...` runs a command of `scripts/` that reads it in place of stacks/Pulumi.dev.yaml. Its
`up` leaves out the preview and the policy pack, which make nothing.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from typing import Any

from scripts.sandboxing import engine, project
from scripts.sandboxing.state import State
from tests.support import ENVIRONMENT_KEY

STACK = "dev"
KEPT = ("owner", "tags", "lifecycle", "network", "cluster", "systemNodes", "amiRelease", "namespaces", "artifacts")
POOL = "p5"


def slice_of(environment: dict[str, Any]) -> dict[str, Any]:
    """What is left of a whole environment."""
    return {key: environment[key] for key in KEPT} | {
        "nodePools": [pool for pool in environment["nodePools"] if pool["name"] == POOL],
        "storage": {"buckets": environment["storage"]["buckets"]},
        "platform": {"volcano": {}},
    }


def main() -> None:
    """Runs the module that the first argument names, with the others."""
    whole = project.stack_config

    def sliced(name: str) -> dict[str, Any]:
        content = whole(name)
        if name == STACK:
            content["config"][ENVIRONMENT_KEY] = slice_of(content["config"][ENVIRONMENT_KEY])
        return content

    project.stack_config = sliced
    run = engine.pulumi

    def update_alone(state: State, arguments: Sequence[str], **options: Any) -> int:
        if arguments[0] == "up":
            pack = arguments.index("--policy-pack")
            arguments = [*arguments[:pack], *arguments[pack + 2 :], "--skip-preview"]
        return run(state, arguments, **options)

    engine.pulumi = update_alone
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
