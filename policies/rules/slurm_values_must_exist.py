"""Helm takes a key that its chart does not read without a word, and nothing is configured."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.chart_values import has_list, keys_of
from policies.manifests import RELEASES, words
from policies.slurm_charts import chart_of, values_of
from policies.slurm_values import invented, is_listed
from policies.values import known


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    chart = chart_of(args.resource_type, args.props)
    if args.resource_type not in RELEASES or not has_list(chart):
        args.not_applicable("no release of a chart whose keys are listed")
    if not is_listed(chart, known(args.props, "version")):
        args.not_applicable("a version of the chart whose keys nobody listed")
    name = words(known(args.props, "name")) or args.name
    for found in invented(chart, values_of(args.props)):
        tops = ", ".join(sorted({key.split(".")[0] for key in keys_of(chart)})) or "no key at all"
        way = f"Write {found.nearest}" if found.nearest else f"Look the key up (the chart reads {tops})"
        report(
            f"Release '{name}' sets {found.path}, which the chart {chart} does not read: Helm ignores it without a "
            f"word, and nothing is configured. {way}, or remove {found.path}.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="slurm-values-must-exist",
    display_name="Values are keys of their chart",
    description="Releases of charts whose keys are known set no key that the chart does not read.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-values-must-exist"],
    remediation_steps="Compare the values with the chart's list in components/catalog/data/chart-values.",
    url="https://helm.sh/docs/chart_template_guide/values_files/",
    validate=_validate,
)
