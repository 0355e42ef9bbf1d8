"""Definitions, then the operator, then clusters and their objects: each waits for the one before."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, PolicyResource, ReportViolation, Severity, StackValidationPolicy
from pulumi_policy import StackValidationArgs as Args

from policies.manifests import at
from policies.slurm_charts import CLUSTER, DEFINITIONS, OPERATOR, kind_of, values_of
from policies.slurm_order import EKS_CLUSTER, hidden, role_of, waits_for
from policies.values import is_true

WHY = {
    DEFINITIONS: "the API server does not know its kinds yet, and the update fails half-way",
    OPERATOR: "the operator's webhook does not answer yet, and the API server refuses the objects",
}
NEEDS = {OPERATOR: DEFINITIONS, CLUSTER: OPERATOR}


def _unmet(args: Args) -> Iterator[tuple[PolicyResource, str, list[PolicyResource]]]:
    """What does not wait as it should: the resource, the chart that comes before, and the releases of that chart."""
    roles = {r.urn: role_of(r) for r in args.resources}
    whole_platform = any(r.resource_type == EKS_CLUSTER for r in args.resources)
    for r in args.resources:
        before = NEEDS.get(roles[r.urn]) or (OPERATOR if kind_of(r.resource_type) else None)
        if before is None or (roles[r.urn] == OPERATOR and is_true(at(values_of(r.props), "crds", "enabled"))):
            continue
        those = [found for found in args.resources if roles[found.urn] == before]
        if (those or whole_platform) and not waits_for(r, those or hidden(args.resources)):
            yield r, before, those


def _validate(args: Args, report: ReportViolation) -> None:
    if not any(role_of(r) in NEEDS or kind_of(r.resource_type) for r in args.resources):
        args.not_applicable("no Slinky in this stack")
    for r, before, those in _unmet(args):
        kind = kind_of(r.resource_type) or "Release"
        missing = f"does not wait for {before} ('{those[0].name}')" if those else f"has no {before} in its stack"
        report(
            f"{kind} '{r.name}' {missing}: {WHY[before]}. Name the release of {before} in dependsOn, or pass a value "
            "of it on, so that Pulumi makes it first and removes it last.",
            r.urn,
        )


POLICY = StackValidationPolicy(
    name="slurm-install-order",
    display_name="Slinky is installed in its order",
    description="The operator of Slinky waits for its definitions, and what it serves waits for the operator.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-install-order"],
    remediation_steps="Chain cert-manager, slurm-operator-crds, slurm-operator and slurm by dependsOn.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/installation.md",
    validate=_validate,
)
