"""Lets Pulumi download its own Kubernetes provider where the internet is there, which saves building an older one."""

from __future__ import annotations

import importlib.metadata
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

PLUGIN_HOST = ("get.pulumi.com", 443)
# A machine without internet must find that out quickly: it is about to build the provider instead.
PROBE_SECONDS = 3
DOWNLOAD_SECONDS = 180


def downloaded_provider(pulumi: Path, cache: Path, say: Callable[[str], None]) -> Path | None:
    """The provider of the installed pulumi-kubernetes SDK's version, downloaded once into `cache`, or None offline."""
    if found := already_downloaded(cache):
        return found
    version = importlib.metadata.version("pulumi-kubernetes")
    try:
        socket.create_connection(PLUGIN_HOST, timeout=PROBE_SECONDS).close()
    except OSError:
        return None
    say(f"engine  downloading Pulumi's Kubernetes provider {version}")
    environment = {**os.environ, "PULUMI_HOME": str(cache / "downloaded"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    command = [str(pulumi), "plugin", "install", "resource", "kubernetes", version]
    try:
        subprocess.run(command, env=environment, capture_output=True, timeout=DOWNLOAD_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        say("engine  the download failed; building the provider instead")
        return None
    return already_downloaded(cache)


def already_downloaded(cache: Path) -> Path | None:
    """The provider if an earlier call downloaded it."""
    version = importlib.metadata.version("pulumi-kubernetes")
    plugin = cache / "downloaded" / "plugins" / f"resource-kubernetes-v{version}" / "pulumi-resource-kubernetes"
    return plugin if plugin.exists() else None
