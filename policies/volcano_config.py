"""The configuration of Volcano's scheduler, in the values of its chart or in its ConfigMap."""

from typing import Any

import yaml
from pulumi_policy import ResourceValidationArgs

from policies.manifests import at, rows, table, workload_of
from policies.values import is_true

CONFIG_MAP = "volcano-scheduler-configmap"
NO_GANG = "without gang"


def configuration_of(args: ResourceValidationArgs) -> tuple[str, Any]:
    """(title, text of the configuration); None where the resource has none, `UNKNOWN` where it is not known yet."""
    workload = workload_of(args)
    if workload is None:
        return "", None
    if workload.kind == "Release":
        told = at(workload.content, "custom", "scheduler_config_override")
    elif workload.kind == "ConfigMap" and at(workload.metadata, "name") == CONFIG_MAP:
        told = at(workload.content, "data", "volcano-scheduler.conf")
    else:
        told = None
    # The chart takes nothing and an empty text for its own configuration, which has the plugin.
    return workload.title, told or None


def gang_of(configuration: Any) -> str:
    """`NO_GANG` where the tiers of a configuration have no such plugin, or one that holds nothing back."""
    read = configuration
    if isinstance(configuration, str):
        try:
            read = yaml.safe_load(configuration)
        except yaml.YAMLError:
            return ""
    plugins = [plugin for tier in rows(at(table(read), "tiers")) for plugin in rows(at(tier, "plugins"))]
    gangs = [table(plugin) for plugin in plugins if table(plugin).get("name") == "gang"]
    switched_off = [gang for gang in gangs if "enableJobReady" in gang and not is_true(gang["enableJobReady"])]
    return "" if gangs and len(gangs) > len(switched_off) else NO_GANG
