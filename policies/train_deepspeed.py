"""DeepSpeed's configuration where it lies as text: in ConfigMaps and in the values of Helm releases."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from policies.manifests import RELEASES, Workload, rows, table, words
from policies.values import is_true, whole

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
KINDS = (CONFIG_MAP, "kubernetes:core/v1:Secret", *RELEASES)
_SIGNS = ("zero_optimization", "train_batch_size", "train_micro_batch_size_per_gpu")
_DENIED = re.compile(r"(?:^|[^a-z])(?:no|non|not|without)[^a-z]*offload")
_NOTHING = ("", "0", "false", "no", "none", "off", "null")
_DEVICES = ("cpu", "nvme")


@dataclass(frozen=True, kw_only=True)
class Document:
    """One configuration and where it stands, as in `data.ds_config.json`."""

    where: str
    config: Mapping[str, Any]
    beside: Mapping[str, Any]
    """The mapping that holds its text, with what else stands there."""

    @property
    def zero(self) -> dict[str, Any]:
        return table(self.config.get("zero_optimization"))

    @property
    def stage(self) -> int | None:
        """None where it is no number; DeepSpeed's default is 0."""
        return whole(self.zero.get("stage", 0))

    def device(self, block: str) -> str:
        """Where a block of `zero_optimization` puts things: `cpu`, `nvme`, or nothing."""
        if block == "offload_optimizer" and is_true(self.zero.get("cpu_offload")):
            return "cpu"  # the older word for it
        device = words(table(self.zero.get(block)).get("device")).lower()
        return device if device in _DEVICES else ""


def documents(workload: Workload) -> Iterator[Document]:
    """The configurations of an object."""
    yield from _within(workload.content, "")


def _within(value: Any, where: str) -> Iterator[Document]:
    for index, inner in enumerate(rows(value)):
        yield from _within(inner, f"{where}[{index}]")
    for key, inner in table(value).items():
        path = f"{where}.{key}" if where else key
        if isinstance(inner, str):
            config = _parsed(inner)
            if any(sign in config for sign in _SIGNS):
                yield Document(where=path, config=config, beside=value)
        else:
            yield from _within(inner, path)


def _parsed(text: str) -> dict[str, Any]:
    """A mapping from JSON, or from what DeepSpeed's reader takes besides: comments, commas at the end, bare words."""
    if not text.lstrip().startswith(("{", "#", "/")) or not any(sign in text for sign in _SIGNS):
        return {}
    try:
        return table(json.loads(text))
    except (ValueError, RecursionError):
        pass
    try:
        # Anchors have no place in it, and could make a small text a large one.
        return table(yaml.safe_load(re.sub(r"(?m)^\s*(//|#).*$", "", text))) if "&" not in text else {}
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def automatic(value: Any, where: str = "") -> Iterator[str]:
    """Paths of the values `auto`. DeepSpeed's own autotuner fills what it tunes, so its section is left out."""
    if isinstance(value, str) and value.strip().lower() == "auto":
        yield where
    for index, inner in enumerate(rows(value)):
        yield from automatic(inner, f"{where}[{index}]")
    for key, inner in table(value).items():
        if where or key != "autotuning":
            yield from automatic(inner, f"{where}.{key}" if where else str(key))


def claimed_offload(workload: Workload, document: Document) -> str | None:
    """What says that a configuration offloads: a name, an annotation or a setting beside it; None if nothing does."""
    for name in (document.where.removeprefix("data."), workload.name):
        if "offload" in name.lower() and not _DENIED.search(name.lower()):
            return f"the name '{name}'"
    metadata = [table(workload.metadata.get(kind)) for kind in ("annotations", "labels")]
    for holder in (document.zero, document.config, document.beside, *metadata):
        for key, value in holder.items():
            block = isinstance(value, dict | list) or _parsed(words(value))
            if "offload" in str(key).lower() and not block and str(value).strip().lower() not in _NOTHING:
                return f"{key}: {value}"
    return None
