"""Slinky's operator comes after cert-manager, from which its webhook has the certificate."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from components.catalog.pins import CERT_MANAGER
from policies.slurm_charts import OPERATOR
from policies.slurm_order import hidden, role_of, waits_for


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    operators = [r for r in args.resources if role_of(r) == OPERATOR]
    if not operators:
        args.not_applicable("no release of Slinky's operator")
    issuers = [r for r in args.resources if role_of(r) == CERT_MANAGER.name]
    for operator in operators:
        if waits_for(operator, issuers or hidden(args.resources)):
            continue
        fault = (
            f"does not wait for cert-manager ('{issuers[0].name}')" if issuers else "has no cert-manager in this stack"
        )
        report(
            f"Release '{operator.name}' is Slinky's operator and {fault}: without the certificate its webhook never "
            "answers, and the API server refuses every object of Slurm. Install cert-manager in this stack and name it "
            "in dependsOn of the operator, or remove the operator.",
            operator.urn,
        )


POLICY = StackValidationPolicy(
    name="slurm-cert-manager-first",
    display_name="cert-manager comes before Slinky",
    description="A stack with the operator of Slinky has cert-manager and makes the operator after it.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ops-cert-manager-first", "slurm-install-order"],
    remediation_steps="Add a release of cert-manager and dependsOn; here: certManager beside slurm under platform.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/installation.md",
    validate=_validate,
)
