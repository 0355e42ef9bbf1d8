"""Values of charts that the chart does not read, with what the slurm chart hands on to Kubernetes set aside."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from components.catalog.chart_values import UnknownKey, keys_of, unknown_keys
from components.catalog.pins import CHARTS
from policies.manifests import table
from policies.slurm_charts import CLUSTER

_MAPS = {"nodesets": "nodesetDefaults", "loginsets": "loginsetDefaults", "partitions": "partitions.all"}
"""Maps of the slurm chart whose keys the user chooses, and what each entry may hold."""
_CONTAINER = (
    "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy "
    "resources restartPolicy securityContext startupProbe stdin stdinOnce terminationMessagePath "
    "terminationMessagePolicy tty volumeDevices volumeMounts workingDir"
).replace(" ", "|")
_HANDED_ON = re.compile(
    rf"(.+\.)?(slurmctld|slurmrestd|slurmdbd|slurmd|login|logfile|initconf|reconfigure)\.({_CONTAINER})(\..+)?"
    r"|.+\.service\.(port|nodePort)|partitions\.all\.configMap\..+|.+\.persistence\.[^.]+(\..+)?"
)


def is_listed(chart: str, version: object) -> bool:
    """Whether the list of a chart's keys is of that version: of the same minor as the pin."""
    pin = CHARTS.get(chart)
    return pin is not None and (not isinstance(version, str) or _minor(version) == _minor(pin.version))


def _minor(version: str) -> list[str]:
    return version.lstrip("v").split(".")[:2]


def invented(chart: str, values: Mapping[str, Any]) -> Iterator[UnknownKey]:
    """Keys that the chart does not have, with the nearest that it has."""
    known = keys_of(chart)
    above = {key[:end] for key in known for end in range(len(key)) if key[end] == "."}
    for real, judged in _views(chart, values):
        for found in unknown_keys(chart, judged):
            # A mapping that is empty, or not known yet, in the place of one with keys.
            if found.path not in above and not (chart == CLUSTER and _HANDED_ON.fullmatch(found.path)):
                yield UnknownKey(path=real(found.path), nearest=found.nearest and real(found.nearest))


def _views(chart: str, values: Mapping[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    if chart != CLUSTER:
        yield str, dict(values)
        return
    yield str, {key: value for key, value in values.items() if key not in _MAPS or not isinstance(value, dict)}
    for key, model in _MAPS.items():
        for name, entry in table(values.get(key)).items():
            judged: dict[str, Any] = table(entry)
            for part in reversed(model.split(".")):
                judged = {part: judged}
            yield (lambda path, at=f"{key}.{name}", model=model: re.sub(rf"^{re.escape(model)}\b", at, path)), judged
