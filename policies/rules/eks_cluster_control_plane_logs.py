"""The control plane logs all five kinds."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import sequence

CLUSTER = "aws:eks/cluster:Cluster"
KINDS = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != CLUSTER:
        args.not_applicable("no EKS cluster")
    logged = list(sequence(args.props, "enabledClusterLogTypes"))
    missing = [kind for kind in KINDS if kind not in logged]
    if missing:
        report(
            f"Cluster '{args.name}' does not log {', '.join(missing)}: who did what cannot be told afterwards. Add "
            "them to enabledClusterLogTypes, or use the component TrainingCluster.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="eks-cluster-control-plane-logs",
    display_name="The control plane logs everything",
    description="EKS clusters send all five kinds of control plane logs to CloudWatch.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["ckv-aws-37"],
    remediation_steps="Enable api, audit, authenticator, controllerManager and scheduler.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html",
    validate=_validate,
)
