"""EFS file systems of other teams: there, with a mount target in every zone that mounts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.placeholders import is_placeholder
from scripts.preflighting.subject import Subject

Targets = Mapping[str, Any]


class Efs(Concern):
    """What `storage.efs[].existing` names, against EFS."""

    name = "efs"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._targets = {
            spec.existing.id: self._question(spec.existing.id)
            for spec in self.environment.storage.efs
            if spec.existing is not None and not is_placeholder(spec.existing.id)
        }

    @staticmethod
    def _question(name: str) -> Question[list[Targets]]:
        def ask(aws: Aws) -> list[Targets]:
            return list(aws.efs.describe_mount_targets(FileSystemId=name)["MountTargets"])

        return Question(
            about=f"where {name} can be mounted",
            rights="elasticfilesystem:DescribeMountTargets",
            ask=ask,
            absent=("FileSystemNotFound",),
        )

    def questions(self) -> Sequence[Question[Any]]:
        return list(self._targets.values())

    def check(self, answers: Answers) -> Iterator[Finding]:
        zones = self.environment.network.zones
        for at, spec in enumerate(self.environment.storage.efs):
            if spec.existing is None or spec.existing.id not in self._targets:
                continue
            field, question = f"storage.efs[{at}].existing.id", self._targets[spec.existing.id]
            if answers.is_absent(question):
                yield self.error(
                    field,
                    spec.existing.id,
                    f"This account has no such file system in {self.subject.region}.",
                    "aws efs describe-file-systems lists them",
                    "efs-mount-target-and-network",
                )
                continue
            living = {
                each["AvailabilityZoneName"] for each in answers[question] if each["LifeCycleState"] == "available"
            }
            if missing := [zone for zone in zones if zone not in living]:
                yield self.error(
                    field,
                    spec.existing.id,
                    f"It has no mount target in {', '.join(missing)}: pods there wait for ever.",
                    "ask its owner for one in each zone of network.zones, or leave these zones out",
                    "efs-mount-target-and-network",
                )
