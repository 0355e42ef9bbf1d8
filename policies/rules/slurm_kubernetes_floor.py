"""A cluster that Slinky runs on has the Kubernetes that its operator needs."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from components.catalog.slurm import MINIMUM_KUBERNETES
from policies.manifests import words
from policies.slurm_charts import SLINKY_CHARTS, kind_of
from policies.slurm_order import EKS_CLUSTER, role_of
from policies.values import known


def _minor(version: str) -> tuple[int, int] | None:
    parts = version.strip().removeprefix("v").split(".")[:2]
    return (int(parts[0]), int(parts[1])) if len(parts) == 2 and all(part.isdigit() for part in parts) else None


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    slinky = [r for r in args.resources if role_of(r) in SLINKY_CHARTS or kind_of(r.resource_type)]
    clusters = [r for r in args.resources if r.resource_type == EKS_CLUSTER]
    if not slinky or not clusters:
        args.not_applicable("no Slinky, or its cluster is not in this stack")
    for cluster in clusters:
        said = known(cluster.props, "version")
        version = _minor(str(said) if isinstance(said, float) else words(said))
        if version is not None and version < (_minor(MINIMUM_KUBERNETES) or (0, 0)):
            report(
                f"Cluster '{cluster.name}' has Kubernetes {said}, and Slinky ('{slinky[0].name}') needs "
                f"{MINIMUM_KUBERNETES} or later: its chart refuses to install. Set a version that is at least "
                f"{MINIMUM_KUBERNETES} and that EKS still supports, or leave Slurm out.",
                cluster.urn,
            )


POLICY = StackValidationPolicy(
    name="slurm-kubernetes-floor",
    display_name="Slinky's oldest Kubernetes",
    description="A cluster with Slinky has the oldest Kubernetes that the operator supports or a later one.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-minimum-versions"],
    remediation_steps="Set cluster.kubernetesVersion to a version of the catalog.",
    url="https://github.com/SlinkyProject/slurm-operator",
    validate=_validate,
)
