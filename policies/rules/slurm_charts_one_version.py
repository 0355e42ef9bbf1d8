"""Slinky's definitions, operator and cluster charts are of one version."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.manifests import words
from policies.slurm_charts import SLINKY_CHARTS, chart_of
from policies.values import known


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    releases = [r for r in args.resources if chart_of(r.resource_type, r.props) in SLINKY_CHARTS]
    versions = {r.urn: words(known(r.props, "version")).strip().removeprefix("v") for r in releases}
    if len(releases) < 2:
        args.not_applicable("fewer than two charts of Slinky whose versions a preview shows")
    found = {version for version in versions.values() if version}
    if len(found) < 2:
        return
    listed = ", ".join(
        f"{chart_of(r.resource_type, r.props)} {versions[r.urn]} ('{r.name}')" for r in releases if versions[r.urn]
    )
    newest = max(found, key=lambda version: [int(part) if part.isdigit() else -1 for part in version.split(".")])
    for release in releases:
        if versions[release.urn] not in ("", newest):
            report(
                f"Release '{release.name}' is of another version than the others: {listed}. Slinky releases and tests "
                "its charts together; with mixed ones the operator meets fields that the definitions do not have. Set "
                f"version: {newest} here, or one version for all (components/catalog/pins.py).",
                release.urn,
            )


POLICY = StackValidationPolicy(
    name="slurm-charts-one-version",
    display_name="Slinky's charts are of one version",
    description="The charts slurm-operator-crds, slurm-operator and slurm of a stack carry one version.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-charts-one-version"],
    remediation_steps="Move the three pins together and update definitions, operator and cluster in this order.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/versioning.md",
    validate=_validate,
)
