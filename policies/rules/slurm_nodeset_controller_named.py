"""A NodeSet says which Controller it belongs to."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import at, workload_of
from policies.slurm_objects import slurm_objects
from policies.values import UNKNOWN


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    objects = [found for found in slurm_objects(workload) if found.kind == "NodeSet"] if workload is not None else []
    if not objects:
        args.not_applicable("no NodeSet")
    for found in objects:
        named = at(dict(found.content), "spec", "controllerRef", "name")
        if named is not UNKNOWN and not (isinstance(named, str) and named.strip()):
            report(
                f"{found.title} names no Controller (spec.controllerRef.name): its slurmd pods know no slurmctld, and "
                "none of its nodes joins a cluster. Set controllerRef: {name: <Controller in the same namespace>}, or "
                "let platform.slurm.nodeSets make the NodeSet.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="slurm-nodeset-controller-named",
    display_name="NodeSets name their Controller",
    description="A NodeSet names its Controller in controllerRef.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-nodeset-controller-ref"],
    remediation_steps="Set spec.controllerRef.name to the Controller of the same namespace.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/concepts/nodeset-controller.md",
    validate=_validate,
)
