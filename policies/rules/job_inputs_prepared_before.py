"""What a training needs is there before its devices are."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.job_inputs import fetched
from policies.job_training import is_trainer
from policies.manifests import Template, workload_of


def _is_training(template: Template) -> bool:
    return any(is_trainer(each) or "mpirun" in each.line for each in template.containers)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template, container in workload.containers:
        found = fetched(container.line) if _is_training(template) else None
        if found:
            report(
                f"{workload.title} starts container '{container.name}' with `{found}`: devices wait while it loads, "
                "every pod may get another version, and a server that does not answer ends the run. Build it into the "
                "image, or mount it from a volume that is filled before.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="job-inputs-prepared-before",
    display_name="Inputs are prepared before the start",
    description="Pods of a training install no packages and download no scripts when they start.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["job-inputs-prepared"],
    remediation_steps="Put packages and scripts into the image, or on a volume that is filled before the Job starts.",
    url="https://kubernetes.io/docs/concepts/containers/images/",
    validate=_validate,
)
