"""Where pods land: those of a DaemonSet, and those that a test stamps from a template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.admission.fleet import Fleet
from tests.admission.support import eventually


@dataclass
class Landings:
    """Rows of the table that ends the run: what landed, where, with which devices."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, what: str, where: str, devices: Mapping[str, Any] | str = "") -> None:
        text = devices if isinstance(devices, str) else ", ".join(f"{count} {key}" for key, count in devices.items())
        self.rows.append((what, where, text or "none"))

    def table(self) -> list[str]:
        if not self.rows:
            return []
        rows = [("pods of", "landed on", "devices"), *sorted(self.rows)]
        widths = [max(len(row[column]) for row in rows) for column in range(2)]
        return ["", *(f"{what:<{widths[0]}}  {where:<{widths[1]}}  {rest}" for what, where, rest in rows)]


def devices_of(pod: Mapping[str, Any]) -> dict[str, int]:
    """Devices that a pod asks for: what device plugins register has a domain in front."""
    found: dict[str, int] = {}
    for container in pod["spec"]["containers"]:
        for key, amount in container.get("resources", {}).get("limits", {}).items():
            if "/" in key:
                found[key] = found.get(key, 0) + int(amount)
    return found


def daemon_set_lands(
    fleet: Fleet, landed: Landings, namespace: str, name: str, expected: set[str], *, note: str = "-"
) -> None:
    """The DaemonSet has a ready pod on each of these nodes and on no other node of the cluster."""

    uid = fleet.sandbox.get("daemonset", name, "-n", namespace)["metadata"]["uid"]

    def settled() -> bool:
        thing = fleet.sandbox.get("daemonset", name, "-n", namespace)
        status = thing["status"]
        seen = status.get("observedGeneration") == thing["metadata"]["generation"]
        # Where pods are expected, the controller may have looked before the first of them was due.
        due = status["desiredNumberScheduled"]
        return bool(seen and status["numberReady"] == due and (due > 0) == bool(expected))

    eventually(settled, f"{name} has counted its nodes")
    pods = fleet.sandbox.get("pods", "-n", namespace)["items"]
    # By uid: pods of one that had the name before may still be going.
    owned = [pod for pod in pods if uid in [ref["uid"] for ref in pod["metadata"].get("ownerReferences", [])]]
    on = sorted(pod["spec"]["nodeName"] for pod in owned)
    # Said here, as pytest explains no assertion of a module that is no test.
    assert on == sorted(expected), f"{name} is on {on}, not on {sorted(expected)}"
    pools = sorted(map(fleet.pool_of, expected))
    where = ", ".join(f"{pools.count(pool)} {pool}" for pool in dict.fromkeys(pools))
    landed.add(f"DaemonSet {name}", where or "no node", note)


def placed(fleet: Fleet, namespace: str, names: Sequence[str], count: int) -> dict[str, str]:
    """Pod -> node, once `count` of the pods have one and the scheduler has judged the others."""

    def judged() -> tuple[dict[str, str]] | None:
        found = {pod["metadata"]["name"]: pod for pod in fleet.sandbox.get("pods", "-n", namespace)["items"]}
        there = {name: found[name]["spec"]["nodeName"] for name in names if found[name]["spec"].get("nodeName")}
        conditions = [found[name]["status"].get("conditions", []) for name in names if name not in there]
        refused = [any(c.get("reason") == "Unschedulable" for c in each) for each in conditions]
        return (there,) if len(there) == count and all(refused) else None

    found: tuple[dict[str, str]] = eventually(judged, f"{count} of the pods {', '.join(names)} have a node")
    return found[0]


def remove(fleet: Fleet, namespace: str, *what: str) -> None:
    """Take pods away and wait: the next test needs the nodes whole."""
    fleet.sandbox.kubectl("delete", "pods", *what, "-n", namespace, "--ignore-not-found", "--timeout=60s")
