"""Which Helm release installs which chart, and what Slinky's charts say."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from components.catalog.pins import SLURM, SLURM_OPERATOR, SLURM_OPERATOR_CRDS
from policies.manifests import RELEASES, Workload, at, plain, rows, table, words
from policies.values import UNKNOWN, is_true, known

CLUSTER, OPERATOR, DEFINITIONS = SLURM.name, SLURM_OPERATOR.name, SLURM_OPERATOR_CRDS.name
SLINKY_CHARTS = (DEFINITIONS, OPERATOR, CLUSTER)
SLINKY_API = "kubernetes:slinky.slurm.net/"
_PACKED = re.compile(r"-v?\d+\.\d+\.\d+[^/]*\.tgz$|\.tgz$")


def chart_of(resource_type: str, props: Mapping[str, Any]) -> str:
    """Name of the chart that a release installs, wherever it comes from; empty for other things and where unknown."""
    if resource_type not in RELEASES:
        return ""
    return _PACKED.sub("", words(known(props, "chart")).rstrip("/").rsplit("/", 1)[-1]).removesuffix("/")


def kind_of(resource_type: str) -> str:
    """`NodeSet` of an object of Slinky's API, whatever its version; empty for other things."""
    return resource_type.rsplit(":", 1)[-1] if resource_type.startswith(SLINKY_API) else ""


def values_of(props: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a release, as plain Python."""
    return table(plain(known(props, "values")))


def node_sets(values: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and content of the node sets that the chart renders, defaults merged in as the chart does it."""
    defaults = table(values.get("nodesetDefaults"))
    for name, given in table(values.get("nodesets")).items():
        merged = _merged(defaults, table(given))
        if not is_false(merged.get("enabled")):
            yield name, merged


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(found.get(key), dict)
        found[key] = _merged(found[key], value) if both else value
    return found


def workers(workload: Workload, chart: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Path of the pod's spec, content and pod's spec of each node set that an object or a release makes."""
    if workload.kind == "NodeSet":
        yield "spec.template.spec", workload.spec, table(at(workload.spec, "template", "spec"))
    elif chart == CLUSTER:
        for name, found in node_sets(workload.content):
            yield f"nodesets.{name}.podSpec", found, table(found.get("podSpec"))


def is_false(value: object) -> bool:
    """Whether a value is false, or the text of it."""
    return value is False or (isinstance(value, str) and value.strip().lower() == "false")


def slurm_lines(content: Mapping[str, Any]) -> str | None:
    """Lines for slurm.conf of a controller (`controller` of the values, `spec` of a Controller); None where unknown."""
    extra, by_key = content.get("extraConf"), content.get("extraConfMap")
    if UNKNOWN in (extra, by_key):
        return None
    pairs = [f"{key}={_line(value)}" for key, value in table(by_key).items()]
    return "\n".join([words(extra), *pairs])


def _line(value: Any) -> str:
    return ",".join(str(item) for item in rows(value)) if isinstance(value, list) else str(value)


def writes_partition(lines: str | None) -> bool:
    """Whether lines of slurm.conf hold a partition, or may: some are not known yet."""
    return lines is None or re.search(r"(?im)^\s*PartitionName\s*=\s*\S", lines) is not None


def has_partition(node_set: Mapping[str, Any]) -> bool:
    """Whether a node set brings a partition of its own, as far as known."""
    enabled = at(dict(node_set), "partition", "enabled")
    return enabled is UNKNOWN or is_true(enabled)


def opens_partition(values: Mapping[str, Any]) -> bool:
    """Whether values of the slurm chart switch a partition on, or may: some are not known yet."""
    partitions = values.get("partitions")
    enabled = [at(found, "enabled") for found in table(partitions).values()]
    opened = partitions is UNKNOWN or any(value is UNKNOWN or is_true(value) for value in enabled)
    in_sets = any(has_partition(found) for _, found in node_sets(values))
    return opened or in_sets or writes_partition(slurm_lines(table(values.get("controller"))))
