"""The gateway endpoint of S3 says which buckets it leads to; without a policy it leads to those of every account."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.documents import document_of, reaches_all_buckets, statements, words
from policies.values import is_said, known

ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    service = str(known(args.props, "serviceName"))
    if args.resource_type != ENDPOINT or not service.endswith(".s3"):
        args.not_applicable("no endpoint of S3")
    who = f"Endpoint '{args.name}'"
    way_out = "Name the buckets that nodes need, or add the condition aws:ResourceAccount with the own account."
    if not is_said(known(args.props, "policy")):
        report(f"{who} has no policy: stolen credentials may write to anyone's bucket. {way_out}", None)
    document = document_of(args.props, "policy")
    for statement in statements(document or {}, "Allow"):
        whole = any(action in ("*", "s3:*", "s3:PutObject") for action in words(statement.get("Action")))
        wide = any(reaches_all_buckets(resource) for resource in words(statement.get("Resource")))
        if whole and wide and not statement.get("Condition"):
            report(f"{who} leads to every bucket of every account: its policy is as good as none. {way_out}", None)


POLICY = ResourceValidationPolicy(
    name="s3-endpoint-policy-present",
    display_name="The way to S3 leads to known buckets",
    description="Endpoints of S3 have a policy that does not allow every bucket.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.MEDIUM,
    tags=["sec-identity-designed-together"],
    remediation_steps="Use the component Network, whose endpoint has a policy.",
    url="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html#edit-vpc-endpoint-policy-s3",
    validate=_validate,
)
