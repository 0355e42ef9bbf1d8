"""Edits of JupyterHub's fields; `SAMPLE` is its part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

_IMAGE, _OTHER = (f"registry.example.com/notebook@sha256:{digit * 64}" for digit in "01")
_PATH = "platform.jupyterhub"
_GPU = {"name": "gpu", "pool": "p5", "accelerators": 1, "image": _IMAGE, "groups": ["research"]}
_SMALL = {"name": "small", "generalPool": "general", "image": _IMAGE}

SAMPLE: Mapping[str, Any] = {
    "jupyterhub": {
        "profiles": [_GPU, _SMALL],
        "auth": {"authenticator": "github", "secret": "jupyterhub-auth"},
        # The environment under edit has pools in several zones.
        "home": {"claim": "home"},
        "quota": {"accelerators": 8},
        "culling": {"timeout": "1h"},
    }
}

EDITS: Mapping[str, Mapping[str, object]] = {
    _PATH: {_PATH: None},
    f"{_PATH}.auth": {f"{_PATH}.auth": None},
    f"{_PATH}.profiles[].name": {f"{_PATH}.profiles.0.name": "one-gpu"},
    f"{_PATH}.profiles[].pool": {f"{_PATH}.profiles.0.pool": "reserved"},
    f"{_PATH}.profiles[].generalPool": {f"{_PATH}.profiles.1": {**_GPU, "name": "small", "pool": "reserved"}},
    f"{_PATH}.profiles[].accelerators": {f"{_PATH}.profiles.0.accelerators": 2},
    f"{_PATH}.profiles[].cpu": {f"{_PATH}.profiles.0.cpu": 8},
    f"{_PATH}.profiles[].memoryGiB": {f"{_PATH}.profiles.0.memoryGiB": 64},
    f"{_PATH}.profiles[].image": {f"{_PATH}.profiles.0.image": _OTHER},
    f"{_PATH}.profiles[].groups": {f"{_PATH}.profiles.0.groups": ["*"]},
    f"{_PATH}.auth.authenticator": {f"{_PATH}.auth.authenticator": "google"},
    f"{_PATH}.auth.secret": {f"{_PATH}.auth.secret": "other"},
    f"{_PATH}.home.sizeGiB": {f"{_PATH}.home": {"sizeGiB": 40}, f"{_PATH}.profiles": [_GPU]},
    f"{_PATH}.home.storageClass": {f"{_PATH}.home": {"storageClass": "efs-home"}},
    f"{_PATH}.home.claim": {f"{_PATH}.home.claim": "other"},
    f"{_PATH}.quota.servers": {f"{_PATH}.quota.servers": 20},
    f"{_PATH}.quota.accelerators": {f"{_PATH}.quota.accelerators": 16},
    f"{_PATH}.quota.storageGiB": {f"{_PATH}.quota.storageGiB": 4000},
    f"{_PATH}.culling.timeout": {f"{_PATH}.culling.timeout": "2h"},
    f"{_PATH}.culling.maxAge": {f"{_PATH}.culling.maxAge": "48h"},
    f"{_PATH}.values": {f"{_PATH}.values": {"hub": {"concurrentSpawnLimit": 8}}},
}
"""Path of a field as docs/configuration.md writes it -> new values, by dotted path."""
