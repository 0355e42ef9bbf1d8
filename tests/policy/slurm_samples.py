"""A good Slurm as a preview shows it: releases in their chain, and the objects beside them."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from tests.policy.planned import Planned

RELEASE = "kubernetes:helm.sh/v3:Release"
CHART = "kubernetes:helm.sh/v4:Chart"
NODE_SET = "kubernetes:slinky.slurm.net/v1beta1:NodeSet"
CONTROLLER = "kubernetes:slinky.slurm.net/v1beta1:Controller"
ACCOUNTING = "kubernetes:slinky.slurm.net/v1beta1:Accounting"
OCI = "oci://ghcr.io/slinkyproject/charts"
DEVICES = {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32", "memory": "1900Gi"}
SLURMD = {"image": "registry.example/slurmd:26.05-gpu", "resources": {"requests": DEVICES, "limits": DEVICES}}
POD = {"nodeSelector": {"eks-training-platform/pool": "p5"}, "terminationGracePeriodSeconds": 300}
DATABASE = {"host": "db.example.com", "passwordKeyRef": {"name": "slurm-accounting", "key": "password"}}
VALUES: dict[str, Any] = {
    "controller": {
        "slurmctld": {"image": {"repository": "ghcr.io/slinkyproject/slurmctld", "tag": "26.05-ubuntu26.04"}},
        "persistence": {"enabled": True, "existingClaim": "slurm-statesave"},
        "extraConf": "KillWait=120\n",
    },
    "accounting": {"enabled": True, "storageConfig": DATABASE},
    "nodesets": {"gpu": {"replicas": 2, "slurmd": SLURMD, "podSpec": POD}},
    "partitions": {"all": {"enabled": True}},
}


def changed(content: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at a dotted path; None takes the key away."""
    made = deepcopy(dict(content))
    *above, last = path.split(".")
    at = made
    for key in above:
        at = at.setdefault(key, {})
    if value is None:
        at.pop(last, None)
    else:
        at[last] = value
    return made


def slurm(path: str = "", value: Any = None, **props: Any) -> dict[str, Any]:
    """Properties of the release of chart `slurm`, with one value exchanged."""
    values = changed(VALUES, path, value) if path else deepcopy(VALUES)
    return release("slurm", values=values, **props)


def release(chart: str, /, **props: Any) -> dict[str, Any]:
    """Properties of a release of one of Slinky's charts."""
    return {"name": chart, "chart": f"{OCI}/{chart}", "version": "1.2.3", **props}


def node_set(path: str = "", value: Any = None) -> dict[str, Any]:
    """Properties of a NodeSet, with one thing exchanged."""
    spec = {
        "controllerRef": {"name": "slurm"},
        "slurmd": SLURMD,
        "template": {"spec": POD},
        "partition": {"enabled": True},
    }
    made = {"metadata": {"name": "slurm-worker-gpu", "namespace": "slurm"}, "spec": spec}
    return changed(made, path, value) if path else deepcopy(made)


def controller(path: str = "", value: Any = None) -> dict[str, Any]:
    """Properties of a Controller, with one thing exchanged."""
    spec = {
        "accountingRef": {"name": "slurm"},
        "slurmctld": {"image": "registry.example/slurmctld:26.05"},
        "persistence": {"enabled": True},
        "extraConf": "KillWait=120\n",
    }
    made = {"metadata": {"name": "slurm", "namespace": "slurm"}, "spec": spec}
    return changed(made, path, value) if path else deepcopy(made)


def chain() -> list[Planned]:
    """cert-manager, definitions, operator and cluster, each after the one before."""
    cert_manager = {"name": "cert-manager", "chart": "oci://quay.io/jetstack/charts/cert-manager", "version": "v1.21.1"}
    return [
        Planned(type=RELEASE, name="issuer", props=cert_manager),
        Planned(type=RELEASE, name="crds", props=release("slurm-operator-crds")),
        Planned(type=RELEASE, name="operator", props=release("slurm-operator"), after=("issuer", "crds")),
        Planned(type=RELEASE, name="cluster", props=slurm(), after=("operator",)),
    ]


def without(resources: Sequence[Planned], *names: str) -> list[Planned]:
    """The stack without some resources, and without anybody's dependency on them."""
    return [
        replace(found, after=tuple(name for name in found.after if name not in names))
        for found in resources
        if found.name not in names
    ]


def exchanged(resources: Sequence[Planned], name: str, **fields: Any) -> list[Planned]:
    """The stack with other fields of one resource."""
    return [replace(found, **fields) if found.name == name else found for found in resources]
