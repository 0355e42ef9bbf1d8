"""The Kubernetes version: EKS still makes clusters of it, and for how long it is supported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from components.catalog.slurm import MINIMUM_KUBERNETES
from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject

VERSIONS: Question[list[dict[str, Any]]] = Question(
    about="which Kubernetes versions EKS has",
    rights="eks:DescribeClusterVersions",
    ask=lambda aws: aws.pages("eks", "describe_cluster_versions", "clusterVersions", includeAll=True),
)
SOON = timedelta(days=90)
FIELD = "cluster.kubernetesVersion"


class Versions(Concern):
    """A version's support by EKS' own word, on the day of the question."""

    name = "versions"

    def __init__(self, subject: Subject, now: datetime | None = None) -> None:
        super().__init__(subject)
        self._now = now or datetime.now(UTC)

    def questions(self) -> Sequence[Question[Any]]:
        return [VERSIONS]

    def check(self, answers: Answers) -> Iterator[Finding]:
        wanted = self.environment.cluster.kubernetes_version
        there = {each["clusterVersion"]: each for each in answers[VERSIONS]}
        living = sorted((name for name, each in there.items() if status(each) != "UNSUPPORTED"), key=_number)
        entry = there.get(wanted)
        if entry is None or status(entry) == "UNSUPPORTED":
            yield self.error(
                FIELD,
                wanted,
                "EKS makes no cluster of this version.",
                f"use one of {', '.join(living)}",
                "ver-minimum-is-not-support",
            )
            return
        ends = entry.get("endOfStandardSupportDate")
        if status(entry) == "EXTENDED_SUPPORT":
            yield self.warning(
                FIELD,
                wanted,
                f"Standard support is over; extended support costs more and ends {_day(entry)}.",
                f"move to {living[-1]}, one minor at a time",
                "ver-minimum-is-not-support",
            )
        elif ends is not None and ends - self._now < SOON:
            upgraded = self.environment.cluster.support_type == "STANDARD"
            then = "AWS then upgrades the cluster by itself" if upgraded else "extended support then costs more"
            yield self.warning(
                FIELD,
                wanted,
                f"Standard support ends {ends:%Y-%m-%d}; {then}.",
                f"plan the upgrade to {living[-1]}",
                "ver-minimum-is-not-support",
            )
        if self.environment.platform.slurm is not None and _number(wanted) < _number(MINIMUM_KUBERNETES):
            yield self.error(
                FIELD,
                wanted,
                f"The Slurm operator needs {MINIMUM_KUBERNETES} or later.",
                f"use one of {', '.join(living)}",
                "slurm-minimum-versions",
            )


def status(entry: Mapping[str, Any]) -> str:
    """EKS' word for a version's support: the older field says `standard-support`, the newer STANDARD_SUPPORT."""
    said = entry.get("versionStatus") or entry.get("status") or ""
    return str(said).upper().replace("-", "_")


def _day(entry: Mapping[str, Any]) -> str:
    ends = entry.get("endOfExtendedSupportDate")
    return f"{ends:%Y-%m-%d}" if ends is not None else "on a day that EKS does not say"


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
