"""A VPC of ours keeps flow logs."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.efa_groups import comes_from

VPC, LOG = "aws:ec2/vpc:Vpc", "aws:ec2/flowLog:FlowLog"


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    vpcs = [resource for resource in args.resources if resource.resource_type == VPC]
    if not vpcs:
        args.not_applicable("the stack makes no VPC")
    logs = [resource for resource in args.resources if resource.resource_type == LOG]
    for vpc in vpcs:
        if not any(comes_from(log, "vpcId", vpc) for log in logs):
            report(
                f"VPC '{vpc.name}' keeps no flow logs: dropped or unwanted traffic leaves no trace. Set "
                "network.flowLogs, or accept it where the account's owner keeps logs elsewhere.",
                vpc.urn,
            )


POLICY = StackValidationPolicy(
    name="ec2-vpc-flow-logs",
    display_name="VPCs keep flow logs",
    description="Every VPC has a flow log.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.LOW,
    tags=["ckv2-aws-11"],
    remediation_steps="Set network.flowLogs in the environment file.",
    url="https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs.html",
    validate=_validate,
)
