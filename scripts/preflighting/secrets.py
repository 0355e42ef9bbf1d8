"""Secrets that the file names by ARN: there, and not about to be deleted. Their values are never read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.placeholders import is_placeholder
from scripts.preflighting.subject import Subject


class Secrets(Concern):
    """What `secrets.arns` names, against Secrets Manager."""

    name = "secrets"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        named = self.environment.secrets.arns.model_dump(by_alias=True)
        self._asked = {
            key: (arn, self._question(key, arn))
            for key, arn in named.items()
            if arn is not None and not is_placeholder(arn)
        }

    @staticmethod
    def _question(key: str, arn: str) -> Question[bool]:
        def ask(aws: Aws) -> bool:
            return aws.secretsmanager.describe_secret(SecretId=arn).get("DeletedDate") is None

        return Question(
            about=f"whether the secret {key} is there",
            rights="secretsmanager:DescribeSecret",
            ask=ask,
            absent=("ResourceNotFoundException",),
        )

    def questions(self) -> Sequence[Question[Any]]:
        return [question for _, question in self._asked.values()]

    def check(self, answers: Answers) -> Iterator[Finding]:
        for key, (arn, question) in self._asked.items():
            if answers.is_absent(question) or answers.maybe(question) is False:
                gone = "There is no such secret" if answers.is_absent(question) else "The secret is about to be deleted"
                yield self.error(
                    f"secrets.arns.{key}",
                    arn,
                    f"{gone}: what reads it never starts.",
                    f"./scripts/secrets init {self.subject.name} makes what is missing and prints the lines",
                    *(("slurm-database-prepared",) if key == "slurmDatabasePassword" else ()),
                )
