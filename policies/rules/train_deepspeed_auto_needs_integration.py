"""`auto` in DeepSpeed's configuration is filled by Transformers or Accelerate; DeepSpeed itself does not know it."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import table, words, workload_of
from policies.train_deepspeed import KINDS, automatic, documents
from policies.values import UNKNOWN, is_true

INTEGRATION = "eks-training-platform/deepspeed-integration"
INTEGRATIONS = ("transformers", "accelerate")
_SHOWN = 3


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args) if args.resource_type in KINDS else None
    found = list(documents(workload)) if workload is not None else []
    if workload is None or not found:
        args.not_applicable("no configuration of DeepSpeed")
        return
    declared = table(workload.metadata.get("annotations")).get(INTEGRATION)
    if declared is UNKNOWN or words(declared).lower() in INTEGRATIONS:
        return
    for document in found:
        paths = list(automatic(document.config))
        if not paths or is_true(table(document.config.get("autotuning")).get("enabled")):
            continue
        more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        report(
            f"{workload.title}: {document.where} leaves {', '.join(paths[:_SHOWN])}{more} to auto, which plain "
            "DeepSpeed takes for a value and fails on. Write the numbers, or name who fills them in the annotation "
            f"{INTEGRATION}: {' or '.join(INTEGRATIONS)}.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="train-deepspeed-auto-needs-integration",
    display_name="Someone fills what is auto",
    description="DeepSpeed configurations with auto values name the integration that fills them.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["train-deepspeed-auto-needs-integration"],
    remediation_steps="Write concrete numbers, or annotate the object with the integration that replaces auto.",
    url="https://huggingface.co/docs/transformers/deepspeed",
    validate=_validate,
)
