"""Access goes by access entries, which IAM shows, not by a ConfigMap that anyone in the cluster may edit."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import mapping

CLUSTER = "aws:eks/cluster:Cluster"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != CLUSTER:
        args.not_applicable("no EKS cluster")
    mode = mapping(args.props, "accessConfig").get("authenticationMode")
    if mode != "API":
        report(
            f"Cluster '{args.name}' has authentication mode {mode or 'CONFIG_MAP (the default)'}: the aws-auth "
            "ConfigMap can give away the cluster. Set authenticationMode: API, or use the component TrainingCluster.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="eks-cluster-access-entries-only",
    display_name="Access goes by access entries only",
    description="EKS clusters use the authentication mode API.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["kb-4-1-7"],
    remediation_steps="Set the authentication mode to API; it cannot be changed back.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html",
    validate=_validate,
)
