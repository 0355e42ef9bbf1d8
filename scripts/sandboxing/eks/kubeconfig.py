"""The kubeconfig of the sandbox's cluster: that of the local Kubernetes, known as soon as the cluster's endpoint is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pulumi
import yaml
from pulumi.output import UNKNOWN

_STATE = "EKS_SANDBOX_STATE"


def path() -> Path | None:
    """Where the local Kubernetes puts its kubeconfig, or None outside a sandbox."""
    state = os.environ.get(_STATE)
    return Path(state) / "cluster" / "kubeconfig" if state else None


def problem() -> str | None:
    """Why there is no kubeconfig, with what to do; None if there is one."""
    where = path()
    if where is None:
        return f"{_STATE} is not set, so there is no local Kubernetes to point to: run this through ./scripts/sandbox."
    if not where.is_file():
        return (
            f"the local Kubernetes has no kubeconfig at {where}: start it with ./scripts/sandbox up, or see "
            "./scripts/sandbox status."
        )
    return None


def of_cluster(endpoint: pulumi.Output[str]) -> pulumi.Output[Any]:
    """The kubeconfig as an object, once `endpoint` is known. In a preview without local Kubernetes it stays unknown."""
    return endpoint.apply(lambda _: _read())


def as_json(kubeconfig: pulumi.Output[Any]) -> pulumi.Output[str]:
    """The same as JSON text."""
    return kubeconfig.apply(json.dumps)


def _read() -> Any:
    where = path()
    if where is None or problem():
        if pulumi.runtime.is_dry_run():
            return UNKNOWN
        raise pulumi.RunError(f"No kubeconfig for the cluster: {problem()}")
    return yaml.safe_load(where.read_text(encoding="utf-8"))
