"""The EFA device plugin in a stack, and whether it runs beside the taints of a pool."""

from collections.abc import Mapping
from typing import Any

from pulumi_policy import PolicyResource

from components.catalog.pins import EFA_DEVICE_PLUGIN
from policies.manifests import RELEASES, at, plain, read, rows, table, words
from policies.values import UNKNOWN, known

_HARD = ("NoSchedule", "NoExecute")


def plugin_tolerations(resource: PolicyResource) -> Any:
    """The tolerations of the plugin, if a resource is one: its chart, or a DaemonSet of its image; else None."""
    if resource.resource_type in RELEASES:
        if EFA_DEVICE_PLUGIN.name not in words(known(resource.props, "chart")):
            return None
        found = at(plain(resource.props), "values", "tolerations")
        return found if found is UNKNOWN else rows(found)
    workload = read(resource.resource_type, resource.name, resource.props)
    if workload is None or workload.kind != "DaemonSet":
        return None
    for template, container in workload.containers:
        if EFA_DEVICE_PLUGIN.name in container.image:
            found = template.spec.get("tolerations")
            return found if found is UNKNOWN else rows(found)
    return None


def untolerated(node_pool: Mapping[str, Any], plugins: list[Any]) -> list[str]:
    """Keys of a pool's taints that keep every one of the plugins off its nodes."""
    taints = [table(taint) for taint in rows(at(node_pool, "spec", "template", "spec", "taints"))]
    hard = [taint for taint in taints if taint.get("effect") in _HARD]
    return [words(taint.get("key")) for taint in hard if not any(_tolerates(each, taint) for each in plugins)]


def _tolerates(tolerations: Any, taint: Mapping[str, Any]) -> bool:
    """What a preview does not know yet may be the toleration that is wanted."""
    if tolerations is UNKNOWN or UNKNOWN in taint.values():
        return True
    return any(each is UNKNOWN or _matches(table(each), taint) for each in rows(tolerations))


def _matches(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if UNKNOWN in toleration.values():
        return True
    if toleration.get("effect") not in (None, "", taint.get("effect")):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint.get("key"))
    return toleration.get("key") == taint.get("key") and (toleration.get("value") or "") == (taint.get("value") or "")
