"""What saves and resumes is code of the trainer: no image `checkpoint-manager` exists, no setting resumes a job."""

import re

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import Workload, table, workload_of

IMAGE = re.compile(r"(^|/)checkpoint-manager([:@]|$)")
KEY = re.compile(r"auto[-_]?resume", re.IGNORECASE)


def _is_settings(workload: Workload) -> bool:
    return workload.kind == "ConfigMap" and workload.api_version == "v1"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not (workload.templates or _is_settings(workload)):
        args.not_applicable("neither something that makes pods nor a ConfigMap")
        return
    for template, container in workload.containers:
        if IMAGE.search(container.image):
            report(
                f"{workload.title} runs {container.image} in container '{container.name}' ({template.where or 'Pod'}): "
                "no such program exists, and nothing would be saved. Save and resume in the trainer, or run an "
                "uploader of your own under its own name.",
                None,
            )
    keys = [key for key in table(workload.content.get("data")) if KEY.fullmatch(key)]
    if keys and _is_settings(workload):
        report(
            f"{workload.title} has the key {keys[0]}: nothing reads it, and no job resumes by it. Load the newest "
            "complete checkpoint in the trainer (docs/checkpoints.md), or remove the key.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="ckpt-no-imaginary-manager",
    display_name="No invented checkpoint manager",
    description="Workloads run no invented checkpoint manager, and no setting pretends to resume a job.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckpt-no-imaginary-manager"],
    remediation_steps="Save and resume in the trainer, as docs/checkpoints.md says.",
    url="https://docs.pytorch.org/docs/stable/distributed.checkpoint.html",
    validate=_validate,
)
