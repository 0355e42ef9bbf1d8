"""Applications of Argo CD that deploy parts of Slinky."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from components.catalog.chart_values import has_list, unknown_keys
from components.catalog.pins import SLURM, SLURM_OPERATOR
from policies.helm import is_exact
from policies.manifests import Workload, at, rows, table, words
from policies.slurm_charts import SLINKY_CHARTS
from policies.values import UNKNOWN

REVIEWED = "eks-training-platform/prune-reviewed"
"""Annotation of an Application: who looked at what pruning may delete, and when."""
_OFFICIAL_GIT = re.compile(r"github\.com[/:]slinkyproject/slurm-operator(\.git)?/?$", re.IGNORECASE)
_OFFICIAL_OCI = re.compile(r"(^|//)ghcr\.io/slinkyproject/charts(/|$)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(^|//|@)([^/@]*\.)?(example(\.(com|org|net))?|invalid|test)(:\d+)?(/|$)|github\.com[/:](example|your-org)/",
    re.IGNORECASE,
)
_PATH = re.compile(r"(^|/)(slurm|slinky|slurm-operator|slurm-operator-crds)(/|$)", re.IGNORECASE)
_FLOATING = re.compile(r"|head|main|master|trunk|develop|latest|stable|.*[*^~<>|].*", re.IGNORECASE)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Source:
    """One source of an Application."""

    where: str
    content: Mapping[str, Any]

    @property
    def repository(self) -> str:
        return words(self.content.get("repoURL"))

    @property
    def path(self) -> str:
        return words(self.content.get("path"))

    @property
    def is_chart(self) -> bool:
        """Whether it comes from a registry or a repository of charts, whose revisions are versions."""
        return bool(words(self.content.get("chart"))) or self.repository.startswith("oci://")

    @property
    def chart(self) -> str:
        """Name of the chart; empty where the source is none."""
        named = words(self.content.get("chart"))
        from_registry = self.repository.rstrip("/").rsplit("/", 1)[-1] if self.repository.startswith("oci://") else ""
        return named or from_registry or self.path.rstrip("/").rsplit("/", 1)[-1]

    @property
    def is_slinkys(self) -> bool:
        repository = self.repository.lower()
        ours = "slinky" in repository or "slurm-operator" in repository
        return ours or self.chart in SLINKY_CHARTS or bool(_PATH.search(self.path))


def is_slinkys(workload: Workload) -> bool:
    """Whether it is an Application that deploys a part of Slinky, or anything into one of its namespaces."""
    if workload.kind != "Application" or workload.group != "argoproj.io":
        return False
    target = at(workload.spec, "destination", "namespace")
    return target in (SLURM.namespace, SLURM_OPERATOR.namespace) or any(s.is_slinkys for s in sources(workload))


def sources(workload: Workload) -> Iterator[Source]:
    """Its one source, or its several."""
    if isinstance(workload.spec.get("source"), dict):
        yield Source(where="spec.source", content=workload.spec["source"])
    for index, content in enumerate(rows(workload.spec.get("sources"))):
        yield Source(where=f"spec.sources[{index}]", content=table(content))


def faults(source: Source) -> Iterator[tuple[str, str]]:
    """What is wrong with a source: the fault, and what to write instead."""
    content = source.content
    if UNKNOWN in (content.get("repoURL"), content.get("chart"), content.get("path")):
        return
    official = _OFFICIAL_GIT.search(source.repository)
    if not source.repository or _PLACEHOLDER.search(source.repository):
        yield f"repoURL {source.repository or '(empty)'} is a placeholder", "repoURL: ghcr.io/slinkyproject/charts"
    elif content.get("ref") is None and not source.is_chart and not source.path:
        yield "neither chart nor path is named", "chart: slurm"
    elif official and source.path.strip("/") not in {f"helm/{name}" for name in SLINKY_CHARTS}:
        yield f"path {source.path} is none of the repository's charts", "path: helm/slurm"
    elif source.is_chart and _OFFICIAL_OCI.search(source.repository) and source.chart not in SLINKY_CHARTS:
        yield f"chart {source.chart} does not exist there", f"chart: one of {', '.join(SLINKY_CHARTS)}"
    revision = content.get("targetRevision")
    if revision is not UNKNOWN and content.get("ref") is None and not _is_fixed(source, str(revision or "")):
        yield f"targetRevision {revision or '(empty, so HEAD)'} moves", f"targetRevision: {SLURM.version}"
    yield from _values(source)


def _is_fixed(source: Source, revision: str) -> bool:
    if source.is_chart:
        return is_exact(revision) or bool(_DIGEST.fullmatch(revision))
    return not _FLOATING.fullmatch(revision)


def _values(source: Source) -> Iterator[tuple[str, str]]:
    if source.chart not in SLINKY_CHARTS or not has_list(source.chart):
        return
    for key in unknown_keys(source.chart, _told(source.content)):
        yield f"the chart has no value {key.path}", key.nearest or "a key of the chart"


def _told(content: Mapping[str, Any]) -> dict[str, Any]:
    given = at(dict(content), "helm", "valuesObject")
    if isinstance(given, dict):
        return given
    try:
        return table(yaml.safe_load(words(at(dict(content), "helm", "values"))))
    except yaml.YAMLError:
        return {}


def prunes(workload: Workload) -> bool:
    """Whether an automatic sync deletes what is no longer in the source, unasked and unreviewed."""
    policy = table(workload.spec.get("syncPolicy"))
    automated = table(policy.get("automated"))
    kept = {"Prune=false", "Prune=confirm"} & {
        str(option).replace(" ", "") for option in rows(policy.get("syncOptions"))
    }
    reviewed = words(table(workload.metadata.get("annotations")).get(REVIEWED)).strip()
    return _true(automated.get("prune")) and not _false(automated.get("enabled")) and not kept and not reviewed


def _true(value: Any) -> bool:
    return str(value).strip().lower() == "true"


def _false(value: Any) -> bool:
    return str(value).strip().lower() == "false"
