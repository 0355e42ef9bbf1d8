"""Checkpoints that a pod writes to its own node are copied to S3 by a container that sees them."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.labels import CHECKPOINTS_LABEL
from policies.manifests import Template, at, rows, table, words, workload_of
from policies.s3_checkpoints import ON_THE_NODE, UPLOADER, uploads
from policies.values import UNKNOWN


def _problems(template: Template) -> Iterator[str]:
    volume, volumes = words(template.labels.get(CHECKPOINTS_LABEL)), template.spec.get("volumes")
    if not volume or volumes is UNKNOWN or UNKNOWN in rows(volumes):
        return
    named = [table(each) for each in rows(volumes) if at(each, "name") in (volume, UNKNOWN)]
    if not named:
        yield (
            f"is labelled {CHECKPOINTS_LABEL}: {volume} and has no volume of that name. Name the volume that "
            "checkpoints are written to, or remove the label."
        )
    elif any(kind in named[0] for kind in ON_THE_NODE) and not uploads(template, volume):
        where = f" in {template.where}" if template.where else ""
        yield (
            f"writes checkpoints to volume {volume}{where}, which ends with the pod or its node; nothing uploads them. "
            f"Add a container that mounts it and copies to S3, and name it in the annotation {UPLOADER}, or write to "
            "a claim on Lustre."
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template in workload.templates:
        for problem in _problems(template):
            report(f"{workload.title} {problem}", None)


POLICY = ResourceValidationPolicy(
    name="s3-durable-only-after-transfer",
    display_name="Checkpoints leave the node",
    description="Pods that write checkpoints to their node have a container that uploads them.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["s3-durable-only-after-transfer"],
    remediation_steps="Write checkpoints to a claim, or name the uploader in the annotation.",
    url="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir",
    validate=_validate,
)
