"""Logs end some day."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

GROUP = "aws:cloudwatch/logGroup:LogGroup"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != GROUP:
        args.not_applicable("no log group")
    if not args.props.get("retentionInDays"):
        report(
            f"Log group '{args.name}' keeps everything for ever, and is billed for it. Set retentionInDays, or give it "
            "to a bucket with a lifecycle.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="logs-group-retention",
    display_name="Logs have an end",
    description="CloudWatch log groups have a retention.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.LOW,
    tags=["ckv-aws-66"],
    remediation_steps="Set retentionInDays.",
    url="https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/Working-with-log-groups-and-streams.html",
    validate=_validate,
)
