"""Buckets of other teams: reachable with these credentials, in the region, and keeping what is deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.placeholders import is_placeholder
from scripts.preflighting.subject import Subject
from stacks.buckets import BucketSpec


@dataclass(frozen=True, kw_only=True)
class _Questions:
    head: Question[str]
    """The bucket's region."""
    versioning: Question[str]
    lifecycle: Question[list[dict[str, Any]]]


class Buckets(Concern):
    """What `storage.buckets[].existing` names, against S3."""

    name = "buckets"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._asked = {
            spec.existing: _of(spec.existing)
            for spec in self.environment.storage.buckets
            if spec.existing is not None and not is_placeholder(spec.existing)
        }

    def questions(self) -> Sequence[Question[Any]]:
        return [each for asked in self._asked.values() for each in (asked.head, asked.versioning, asked.lifecycle)]

    def check(self, answers: Answers) -> Iterator[Finding]:
        for at, spec in enumerate(self.environment.storage.buckets):
            if spec.existing in self._asked:
                yield from self._one(f"storage.buckets[{at}].existing", spec, self._asked[spec.existing], answers)

    def _one(self, field: str, spec: BucketSpec, asked: _Questions, answers: Answers) -> Iterator[Finding]:
        if answers.is_absent(asked.head):
            yield self.error(
                field, spec.existing, "There is no bucket of this name.", "correct the name, or remove existing"
            )
            return
        region = answers.maybe(asked.head)
        if region is not None and region != self.subject.region:
            linked = [
                system.name
                for system in self.environment.storage.lustre
                if any(repository.bucket == spec.name for repository in system.data_repositories)
            ]
            said = f"It lies in {region}, the cluster in {self.subject.region}"
            if linked:
                yield self.error(
                    field,
                    spec.existing,
                    f"{said}: FSx links no bucket of another region to {', '.join(linked)}.",
                    f"use a bucket in {self.subject.region}, or replicate this one",
                    "fsx-dra-verified-separately",
                )
            else:
                yield self.warning(
                    field,
                    spec.existing,
                    f"{said}: every read is slower and is paid by the gigabyte.",
                    f"replicate it to {self.subject.region}",
                )
        if spec.purpose == "checkpoints":
            yield from self._keeps(field, spec, asked, answers)

    def _keeps(self, field: str, spec: BucketSpec, asked: _Questions, answers: Answers) -> Iterator[Finding]:
        versioning = answers.maybe(asked.versioning)
        if versioning is not None and versioning != "Enabled":
            yield self.warning(
                field,
                spec.existing,
                "Versioning is off: a checkpoint that is overwritten or expires is gone at once.",
                "ask its owner to enable versioning",
                "s3-lifecycle-after-verified-copy",
            )
        for rule in answers.maybe(asked.lifecycle) or ():
            days = rule.get("Expiration", {}).get("Days")
            if rule.get("Status") == "Enabled" and days is not None and days < spec.recovery_window_days:
                yield self.error(
                    field,
                    spec.existing,
                    f"Its rule {rule.get('ID', '(without a name)')} deletes objects after {days} days, verified or "
                    f"not; recoveryWindowDays is {spec.recovery_window_days}.",
                    "ask its owner for a longer rule, or lower recoveryWindowDays",
                    "s3-lifecycle-after-verified-copy",
                )


def _of(bucket: str) -> _Questions:
    def head(aws: Aws) -> str:
        # us-east-1 is what S3 leaves unsaid.
        answer = aws.s3.head_bucket(Bucket=bucket)
        headers = answer["ResponseMetadata"].get("HTTPHeaders", {})
        return str(answer.get("BucketRegion") or headers.get("x-amz-bucket-region") or "us-east-1")

    return _Questions(
        head=Question(
            about=f"whether {bucket} is reachable",
            rights="s3:ListBucket",
            ask=head,
            absent=("404", "NoSuchBucket", "NotFound"),
        ),
        versioning=Question(
            about=f"whether {bucket} keeps versions",
            rights="s3:GetBucketVersioning",
            ask=lambda aws: str(aws.s3.get_bucket_versioning(Bucket=bucket).get("Status", "off")),
            absent=("NoSuchBucket",),
        ),
        lifecycle=Question(
            about=f"what {bucket} deletes by age",
            rights="s3:GetLifecycleConfiguration",
            ask=lambda aws: list(aws.s3.get_bucket_lifecycle_configuration(Bucket=bucket).get("Rules", ())),
            absent=("NoSuchBucket", "NoSuchLifecycleConfiguration"),
        ),
    )
