"""No packages on top of an old Neuron container: they pull in another compiler, runtime or framework than its own."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.neuron import TRAINING_SDK
from policies.manifests import workload_of
from policies.neuron_jobs import installs_packages, is_old, sdk_of


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template, container in workload.containers:
        sdk = sdk_of(container.image)
        if sdk is not None and is_old(sdk) and installs_packages(container):
            report(
                f"{workload.title} installs packages in container '{container.name}' ({template.where or 'spec'}) on "
                f"top of the container of Neuron SDK {sdk}: they bring a framework or a compiler that this SDK was "
                f"never tested with. Build an image for SDK {TRAINING_SDK} with everything in it, or run the container "
                "as it is.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="neuron-image-no-pip",
    display_name="No packages on top of old Neuron containers",
    description="Pods install no packages into a container of an old Neuron SDK.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["neuron-no-old-dlc-plus-pip"],
    remediation_steps="Build an image for the chosen Neuron SDK, with every package in it.",
    url="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/deploy/environments/dlc-images.html",
    validate=_validate,
)
