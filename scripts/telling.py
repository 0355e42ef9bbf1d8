"""What commands say beside their answer: on standard error, so that standard output stays the answer's."""

from __future__ import annotations

import sys
from typing import NoReturn


def say(line: str) -> None:
    """A line of progress."""
    print(line, file=sys.stderr, flush=True)


def fail(message: str, status: int = 2) -> NoReturn:
    """Ends a command, saying why."""
    print(message, file=sys.stderr)
    sys.exit(status)
