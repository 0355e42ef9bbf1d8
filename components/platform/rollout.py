"""How a DaemonSet of device plugins is updated."""

from collections.abc import Mapping
from typing import Any

DEVICE_ROLLOUT: Mapping[str, Any] = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}}
"""A quarter of the nodes at a time: one by one, the default, a large pool takes longer than Helm waits, and the release
is rolled back. Pods that run keep their devices meanwhile. Helm also takes a DaemonSet for ready while no more than
that share is missing, so that one broken node does not fail an update."""
