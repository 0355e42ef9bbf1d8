"""Starts the provider: prints its port on standard output, as Pulumi expects, and serves."""

import sys

from scripts.sandboxing.orphans import exit_with_parent

from .server import serve


def _announce(port: int) -> None:
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    exit_with_parent()
    serve(_announce)
