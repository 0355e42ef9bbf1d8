"""Ends a provider whose engine is gone: a killed `pulumi` cannot stop the plugins it started."""

from __future__ import annotations

import os
import threading
import time

_SECONDS = 1.0


def exit_with_parent() -> None:
    """Watches from the background; the process ends, without clean-up, within about a second of its parent."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(0)
