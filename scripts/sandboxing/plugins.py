"""Installs the sandbox's providers into a PULUMI_HOME of their own, where a plain `pulumi` elsewhere never looks.

Pulumi finds a provider as `plugins/resource-<name>-v<version>/pulumi-resource-<name>`, in the version that the
program's SDK asks for.
"""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import tempfile
from pathlib import Path

_LOCAL = {"aws": "pulumi-aws", "eks": "pulumi-eks"}


def install(pulumi_home: Path, python: Path, repo_root: Path, kubernetes_provider: Path | None) -> list[str]:
    """Writes launchers for the local AWS and EKS providers, and a link to the Kubernetes provider if there is a built
    one.

    Gives the names of the installed plugins, such as `resource-aws-v7.51.1`. Repeating it is harmless; a running Pulumi
    sees either the old file or the new one.
    """
    installed = []
    for name, distribution in _LOCAL.items():
        folder = _folder(pulumi_home, name, distribution)
        _put(folder / f"pulumi-resource-{name}", _launcher(python, repo_root, f"scripts.sandboxing.{name}"))
        installed.append(folder.name)
    if kubernetes_provider is not None:
        folder = _folder(pulumi_home, "kubernetes", "pulumi-kubernetes")
        _link(folder / "pulumi-resource-kubernetes", kubernetes_provider.resolve())
        installed.append(folder.name)
    return installed


def _folder(pulumi_home: Path, name: str, distribution: str) -> Path:
    folder = pulumi_home / "plugins" / f"resource-{name}-v{importlib.metadata.version(distribution)}"
    folder.mkdir(parents=True, exist_ok=True)
    # Pulumi takes a folder with these files beside it for a half-finished installation.
    for leftover in (f"{folder.name}.partial", f"{folder.name}.lock"):
        (folder.parent / leftover).unlink(missing_ok=True)
    return folder


def _launcher(python: Path, repo_root: Path, module: str) -> str:
    # Pulumi starts plugins in the program's folder, so that the modules must be found by path. -P keeps that folder out
    # of sight.
    return (
        "#!/bin/sh\n"
        f"PYTHONPATH={shlex.quote(str(repo_root))}\n"
        "export PYTHONPATH\n"
        f'exec {shlex.quote(str(python))} -P -m {module} "$@"\n'
    )


def _put(path: Path, text: str) -> None:
    if (
        path.is_file()
        and not path.is_symlink()
        and path.read_text(encoding="utf-8") == text
        and os.access(path, os.X_OK)
    ):
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(temporary).chmod(0o755)
    Path(temporary).replace(path)


def _link(path: Path, target: Path) -> None:
    if path.is_symlink() and path.readlink() == target:
        return
    temporary = path.with_name(f".new-{os.getpid()}")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(path)
