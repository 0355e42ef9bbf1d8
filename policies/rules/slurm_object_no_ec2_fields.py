"""Placement groups, instance types and scaling of machines stand in Karpenter's objects, never in Slurm's."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.slurm_fields import ec2_fields
from policies.slurm_objects import parts


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    found = list(parts(workload)) if workload is not None else []
    if not found:
        args.not_applicable("nothing of a Slurm cluster")
    for part in found:
        fields = [path for path, _ in ec2_fields(part)]
        if fields:
            report(
                f"{part.title} says {', '.join(fields)}: Slinky starts no EC2 instance and has no such field, so it "
                "changes nothing. Say it in the EC2NodeClass and NodePool (nodePools in the environment) and send the "
                "pods there by nodeSelector and tolerations, or remove it.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="slurm-object-no-ec2-fields",
    display_name="Slurm objects say nothing about EC2",
    description="Slurm objects name no placement group, no instance type and no setting of Karpenter.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["pg-not-a-slurm-field"],
    remediation_steps="Say it in nodePools of the environment, which become EC2NodeClass and NodePool.",
    url="https://karpenter.sh/docs/concepts/nodeclasses/",
    validate=_validate,
)
