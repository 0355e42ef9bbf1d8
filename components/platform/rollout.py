"""How a DaemonSet of device plugins is updated, and when Helm takes it for ready."""

from collections.abc import Mapping
from typing import Any

DEVICE_ROLLOUT: Mapping[str, Any] = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}}
"""A quarter of the nodes at a time: one by one, the default, a large pool takes longer than Helm waits, and the release
is rolled back. Pods that run keep their devices meanwhile. Helm also takes a DaemonSet for ready while no more than
that share is missing (Helm 3.18.6, pkg/kube/ready.go), so that one broken node does not fail an update."""

UNWAITED_ROLLOUT: Mapping[str, Any] = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}}
"""The same with no pod that Helm waits for: where a plugin rightly fails on some nodes, any share may be missing."""
