"""A release that holds Slinky's definitions is protected: deleting it deletes every Slurm cluster."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.manifests import RELEASES, at
from policies.slurm_charts import DEFINITIONS, OPERATOR, chart_of, values_of
from policies.values import is_true

RELEASE = RELEASES[0]
"""A v4 chart makes each definition an object of its own; whether these stay behind, no policy is shown."""


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    charts = [
        (made, chart_of(made.resource_type, made.props)) for made in args.resources if made.resource_type == RELEASE
    ]
    holding = [
        made
        for made, chart in charts
        if chart == DEFINITIONS or (chart == OPERATOR and is_true(at(values_of(made.props), "crds", "enabled")))
    ]
    if not holding:
        args.not_applicable("no release holds Slinky's definitions")
    for made in holding:
        if not made.opts.protect:
            report(
                f"Release '{made.name}' holds Slinky's definitions and may be deleted or replaced by any update: with "
                "the definitions go all Controllers and NodeSets, and their pods. Set protect on it, or install the "
                "definitions as objects that stay (component SlinkyOperator).",
                made.urn,
            )


POLICY = StackValidationPolicy(
    name="slurm-definitions-protected",
    display_name="Slinky's definitions are protected",
    description="A release that holds the definitions of Slinky is protected from deletion.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["slurm-prune-and-deletion-guard"],
    remediation_steps="Protect the release, or use the component SlinkyOperator.",
    url="https://www.pulumi.com/docs/iac/concepts/resources/options/protect/",
    validate=_validate,
)
