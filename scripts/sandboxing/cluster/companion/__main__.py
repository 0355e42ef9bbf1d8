"""`python -m scripts.sandboxing.cluster.companion`: reconcile each second until SIGTERM. Started by LocalCluster."""

from __future__ import annotations

import argparse
import datetime
import signal
import sys
import threading
from pathlib import Path

from components.catalog.instance_types import INSTANCE_TYPES
from scripts.sandboxing.cluster.companion.api import Api
from scripts.sandboxing.cluster.companion.node_groups import Account
from scripts.sandboxing.cluster.companion.reconciler import Reconciler

_INTERVAL_SECONDS = 1.0


def main(arguments: list[str] | None = None) -> int:
    """Run until SIGTERM or SIGINT; the heartbeat file is touched after each pass that fully succeeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, required=True, help="kubeconfig of the local cluster")
    parser.add_argument("--account", type=Path, required=True, help="folder with the local AWS account's records")
    parser.add_argument("--heartbeat", type=Path, required=True, help="file to touch after each good pass")
    options = parser.parse_args(arguments)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    reconciler = Reconciler(Api.of_kubeconfig(options.kubeconfig), Account(options.account), INSTANCE_TYPES, _say)
    _say("started")
    while not ended.is_set():
        if reconciler.one_pass():
            options.heartbeat.touch()
        ended.wait(_INTERVAL_SECONDS)
    _say("ended")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ} {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
