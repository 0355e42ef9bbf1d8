"""A training names the version of its data and code: the same job tomorrow then trains on the same."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from policies.manifests import workload_of
from policies.s3_inputs import floating_inputs


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    templates = workload.templates if workload else ()
    if workload is None or not any(each.asked(r) for each in templates for r in (GPU_RESOURCE, NEURON_RESOURCE)):
        args.not_applicable("nothing that trains on accelerators")
        return
    for template, container in workload.containers:
        for found in floating_inputs(container):
            report(
                f"{workload.title} reads {found} in container '{container.name}' ({template.where or 'Pod'}), which "
                "names no version: the same job reads something else tomorrow. Put the version into the address, or "
                "say it beside it (DATASET_REVISION).",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="s3-versioned-inputs",
    display_name="Trainings start from versions",
    description="Trainings name the version of the data and the code that they start from.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["s3-versioned-inputs"],
    remediation_steps="Write the version, date or hash into the address of the data set.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html",
    validate=_validate,
)
