"""The address of the master is never the pod's own."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.job_master import own_ip
from policies.manifests import workload_of


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for _, container in workload.containers:
        if found := own_ip(container):
            report(
                f"{workload.title} takes {found} from status.podIP in container '{container.name}': every pod names "
                "itself, and as many masters wait as there are pods. Write the DNS name of the pod of index 0 behind a "
                "headless Service (<job>-0.<service>), or start it by an operator that sets the master (PyTorchJob, "
                "MPIJob).",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="job-master-not-podip",
    display_name="No pod is its own master",
    description="Pods never take their own IP address for the master of a training.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["job-no-podip-as-master"],
    remediation_steps="Set MASTER_ADDR to the stable name of the pod of index 0.",
    url="https://docs.pytorch.org/docs/stable/elastic/run.html",
    validate=_validate,
)
