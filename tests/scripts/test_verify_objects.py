"""What `scripts/verify` says of a cluster's objects."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from scripts.verifying.objects import findings

M: dict[str, Any] = {"name": "a", "namespace": "n"}
GOOD: dict[str, dict[str, Any]] = {
    "Node": {"metadata": M, "status": {"conditions": [{"type": "Ready", "status": "True"}]}},
    "PersistentVolumeClaim": {"metadata": M, "status": {"phase": "Bound"}},
    "DaemonSet": {"metadata": M, "status": {"desiredNumberScheduled": 2, "numberReady": 2}},
    "Deployment": {"metadata": M, "spec": {"replicas": 1}, "status": {"availableReplicas": 1}},
    "ValidatingAdmissionPolicy": {"metadata": M},
    "ValidatingAdmissionPolicyBinding": {"metadata": M, "spec": {"policyName": "a"}},
}


def said(**changes: dict[str, Any]) -> list[str]:
    return findings({"kind": kind, **item, **changes.get(kind, {})} for kind, item in deepcopy(GOOD).items())


def test_a_good_cluster_has_no_findings() -> None:
    assert said() == []


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("Node", {"status": {}}, "node a is not Ready"),
        ("PersistentVolumeClaim", {"status": {"phase": "Pending"}}, "claim n/a is Pending, not Bound"),
        ("DaemonSet", {"status": {"desiredNumberScheduled": 2}}, "DaemonSet n/a has 0 of 2 pods ready"),
        ("Deployment", {"status": {}}, "Deployment n/a has 0 of 1 replicas available"),
        (
            "ValidatingAdmissionPolicyBinding",
            {"spec": {"policyName": "b"}},
            "admission policy a has no binding, so it refuses nothing",
        ),
    ],
)
def test_one_broken_thing_is_named(kind: str, change: dict[str, Any], message: str) -> None:
    assert said(**{kind: change}) == [message]


def test_a_cluster_without_nodes_is_named() -> None:
    assert findings([]) == ["the cluster has no node"]
