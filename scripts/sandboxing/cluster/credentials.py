"""Throw-away keys and tokens of one local cluster, and its kubeconfig.

Made once per cluster folder, so that a restart keeps every kubeconfig that was handed out. Readable by the owner only:
whoever holds the token is cluster administrator, if only of a simulated cluster.
"""

from __future__ import annotations

import base64
import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

ADMIN = "sandbox-admin"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Paths of PEM files and of the API server's token list, with the administrator's token itself."""

    folder: Path

    @property
    def ca(self) -> Path:
        return self.folder / "ca.crt"

    @property
    def certificate(self) -> Path:
        return self.folder / "loopback.crt"

    @property
    def key(self) -> Path:
        return self.folder / "loopback.key"

    @property
    def service_account_key(self) -> Path:
        return self.folder / "service-account.key"

    @property
    def token_list(self) -> Path:
        return self.folder / "tokens.csv"

    @property
    def token(self) -> str:
        return self.token_list.read_text().partition(",")[0]


def ensure(folder: Path) -> Credentials:
    """The cluster's credentials, made on first use. Written aside and renamed: half a set is never used."""
    made = Credentials(folder)
    parts = (made.ca, made.certificate, made.key, made.service_account_key, made.token_list)
    if all(part.is_file() for part in parts):
        return made
    shutil.rmtree(folder, ignore_errors=True)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700, parents=True)
    # Imported late: it costs a quarter of a second, and only the first start of a cluster needs it.
    from scripts.sandboxing.cluster import certificates  # noqa: PLC0415

    for part, content in zip(parts, certificates.key_material(), strict=False):
        _write_private(partial / part.name, content)
    tokens = f'{secrets.token_urlsafe(32)},{ADMIN},{ADMIN},"system:masters"\n'
    _write_private(partial / made.token_list.name, tokens.encode())
    partial.rename(folder)
    return made


def write_kubeconfig(file: Path, credentials: Credentials, server: str) -> None:
    """Write the kubeconfig if it would change; JSON, which is YAML too, so nothing needs quoting."""
    authority = base64.b64encode(credentials.ca.read_bytes()).decode()
    name = "eks-sandbox"
    content = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": authority}}],
            "users": [{"name": name, "user": {"token": credentials.token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        },
        indent=1,
    ).encode()
    if file.is_file() and file.read_bytes() == content:
        return
    partial = file.with_name(file.name + ".partial")
    _write_private(partial, content)
    partial.replace(file)


def _write_private(file: Path, content: bytes) -> None:
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    file.write_bytes(content)
