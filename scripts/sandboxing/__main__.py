"""`./scripts/sandbox`: the whole stack on this machine, on a real engine, without an account."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from scripts.engine_build import EngineError
from scripts.sandboxing import commands
from scripts.sandboxing.cluster.errors import ClusterError
from scripts.sandboxing.state import SandboxError, state_of

EPILOG = """\
Environments are the files stacks/Pulumi.NAME.yaml; `sandbox` is the default. Everything a sandbox makes lies in
.sandbox/NAME (EKS_SANDBOX_HOME moves it); tools are built once into the user's cache folder. Nothing here reaches AWS:
AWS variables and profiles are hidden from every process. With an account, use plain `pulumi preview -s dev`."""

COMMANDS: dict[str, tuple[Callable[..., int], str]] = {
    "up": (commands.up, "start the local Kubernetes and bring the stack up on it, with the policy pack"),
    "preview": (commands.preview, "what `up` would do, with the policy pack; starts nothing, needs no account"),
    "down": (
        commands.down,
        "destroy the stack, stop the local Kubernetes, remove everything; refuses (exit 3) under jobs",
    ),
    "status": (commands.status, "what runs, and what the stack holds"),
    "shell": (commands.shell, "a shell in which plain pulumi, kubectl and helm work on the sandbox"),
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    root = argparse.ArgumentParser(
        prog="./scripts/sandbox",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sub = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, text) in COMMANDS.items():
        command = sub.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        command.add_argument("environment", nargs="?", default="sandbox", help="default: sandbox")
        if name == "down":
            command.add_argument("--force", action="store_true", help="although jobs are at work")
    return root


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status. Problems are told in sentences, never as a traceback."""
    options = parser().parse_args(arguments)
    command, _ = COMMANDS[options.command]
    try:
        state_of(options.environment)
        return command(options.environment, **({"force": True} if getattr(options, "force", False) else {}))
    except (SandboxError, EngineError, ClusterError) as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(
            f"\n{problem.strerror}: {problem.filename}. Free space or mend that path, and run the command again "
            "(`./scripts/sandbox down` removes all that a sandbox has made).",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print(
            "\nstopped; run the same command again to go on, or `./scripts/sandbox down` to clean up", file=sys.stderr
        )
        return 130


if __name__ == "__main__":
    sys.exit(main())
