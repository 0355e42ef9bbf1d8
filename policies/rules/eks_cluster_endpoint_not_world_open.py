"""The Kubernetes API does not answer the whole internet."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.addresses import is_wide_open
from policies.reading import mapping, sequence

CLUSTER = "aws:eks/cluster:Cluster"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != CLUSTER:
        args.not_applicable("no EKS cluster")
    config = mapping(args.props, "vpcConfig")
    if config.get("endpointPublicAccess") is False:
        return
    blocks = sequence(config, "publicAccessCidrs")
    # AWS opens the endpoint, to everyone, where nothing is said.
    if not blocks or any(is_wide_open(block) for block in blocks):
        report(
            f"Cluster '{args.name}' lets {', '.join(blocks) or 'every address'} reach the Kubernetes API. Set "
            "endpointPublicAccess: false, or name the blocks of your offices and runners in publicAccessCidrs.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="eks-cluster-endpoint-not-world-open",
    display_name="The Kubernetes API is not open to the world",
    description="EKS endpoints are private or limited to named address blocks.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["ckv-aws-38", "ckv-aws-39"],
    remediation_steps="Set cluster.endpoint.publicCidrs to your own blocks, or leave it empty.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    validate=_validate,
)
