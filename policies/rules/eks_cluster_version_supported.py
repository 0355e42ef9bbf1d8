"""The Kubernetes version is one that EKS still supports."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from components.catalog.pins import AS_OF

CLUSTER = "aws:eks/cluster:Cluster"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != CLUSTER:
        args.not_applicable("no EKS cluster")
    version = args.props.get("version")
    if version not in KUBERNETES_VERSIONS:
        report(
            f"Cluster '{args.name}' asks for Kubernetes {version or 'of no version (the newest of the day)'}; "
            f"supported on {AS_OF}: {', '.join(KUBERNETES_VERSIONS)}. Name one of them, or add the version to "
            "components/catalog/pins.py with its dates.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="eks-cluster-version-supported",
    display_name="The Kubernetes version is supported",
    description="EKS clusters name a version that EKS supports.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-339", "ver-minimum-is-not-support"],
    remediation_steps="Name a version of the catalog in cluster.kubernetesVersion.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html",
    validate=_validate,
)
