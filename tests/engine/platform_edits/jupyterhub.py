"""Edits of JupyterHub's fields; `SAMPLE` is its part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

from tests.engine.edits import Edit

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

EDITS: Mapping[str, Edit] = {
    _PATH: Edit(values={f"{_PATH}.auth": None}),
    f"{_PATH}.profiles": Edit(values={f"{_PATH}.profiles": [_SMALL]}),
    f"{_PATH}.profiles[].name": Edit(values={f"{_PATH}.profiles.0.name": "one-gpu"}),
    f"{_PATH}.profiles[].pool": Edit(values={f"{_PATH}.profiles.0.pool": "reserved"}),
    f"{_PATH}.profiles[].generalPool": Edit(
        values={f"{_PATH}.profiles.1": {**_GPU, "name": "small", "pool": "reserved"}}
    ),
    f"{_PATH}.profiles[].accelerators": Edit(values={f"{_PATH}.profiles.0.accelerators": 2}),
    f"{_PATH}.profiles[].cpu": Edit(values={f"{_PATH}.profiles.0.cpu": 8}),
    f"{_PATH}.profiles[].memoryGiB": Edit(values={f"{_PATH}.profiles.0.memoryGiB": 64}),
    f"{_PATH}.profiles[].image": Edit(values={f"{_PATH}.profiles.0.image": _OTHER}),
    f"{_PATH}.profiles[].groups": Edit(values={f"{_PATH}.profiles.0.groups": ["*"]}),
    f"{_PATH}.auth": Edit(values={f"{_PATH}.auth": None}),
    f"{_PATH}.auth.authenticator": Edit(values={f"{_PATH}.auth.authenticator": "google"}),
    f"{_PATH}.auth.secret": Edit(values={f"{_PATH}.auth.secret": "other"}),
    f"{_PATH}.home": Edit(values={f"{_PATH}.home": {"claim": "other"}}),
    f"{_PATH}.home.sizeGiB": Edit(
        values={f"{_PATH}.home": {"sizeGiB": 40}, f"{_PATH}.profiles": [_GPU]},
    ),
    f"{_PATH}.home.storageClass": Edit(values={f"{_PATH}.home": {"storageClass": "efs-home"}}),
    f"{_PATH}.home.claim": Edit(values={f"{_PATH}.home.claim": "other"}),
    f"{_PATH}.quota": Edit(values={f"{_PATH}.quota": {"accelerators": 16}}),
    f"{_PATH}.quota.servers": Edit(values={f"{_PATH}.quota.servers": 20}),
    f"{_PATH}.quota.accelerators": Edit(values={f"{_PATH}.quota.accelerators": 16}),
    f"{_PATH}.quota.storageGiB": Edit(values={f"{_PATH}.quota.storageGiB": 4000}),
    f"{_PATH}.culling": Edit(values={f"{_PATH}.culling": {"timeout": "2h"}}),
    f"{_PATH}.culling.timeout": Edit(values={f"{_PATH}.culling.timeout": "2h"}),
    f"{_PATH}.culling.maxAge": Edit(values={f"{_PATH}.culling.maxAge": "48h"}),
    f"{_PATH}.values": Edit(values={f"{_PATH}.values": {"hub": {"concurrentSpawnLimit": 8}}}),
}
"""Path of a field as docs/configuration.md writes it -> an edit of it."""
