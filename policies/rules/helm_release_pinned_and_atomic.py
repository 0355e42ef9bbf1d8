"""Helm releases have a fixed name and an exact version, wait within a timeout, and roll back when that fails."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.helm import is_exact, is_made_up

RELEASE, CHART = "kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart"


def _check_version(args: ResourceValidationArgs, report: ReportViolation) -> None:
    version = args.props.get("version")
    if not is_exact(version):
        report(
            f"'{args.name}' names {f'version {version!r}' if version else 'no version'}: the next update may install "
            "another chart than the tested one. Name one exact version, such as 1.15.2, or pin the chart in a mirror.",
            None,
        )


def _check_release(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if is_made_up(args.props.get("name"), args.name):
        report(
            f"Release '{args.name}' has no fixed name: Pulumi makes one up, and all that the chart names after the "
            "release moves with it. Set name to the chart's name, or to another fixed word.",
            None,
        )
    if not args.props.get("atomic") and args.props.get("skipAwait"):
        report(
            f"Release '{args.name}' neither rolls back nor waits (atomic is off, skipAwait is on): a broken release "
            "counts as done. Set atomic: true, or remove skipAwait.",
            None,
        )
    if not args.props.get("timeout"):
        report(
            f"Release '{args.name}' has no timeout: a default decides how long an update hangs on a pod that never "
            "starts. Give it a timeout in seconds, above the chart's slowest start, or take its slow part out.",
            None,
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != RELEASE and (args.resource_type != CHART or len(args.props) == 0):
        args.not_applicable("no Helm release, or a v4 chart, a component whose arguments the engine does not show")
    _check_version(args, report)
    if args.resource_type == RELEASE:
        _check_release(args, report)


POLICY = ResourceValidationPolicy(
    name="helm-release-pinned-and-atomic",
    display_name="Helm releases are pinned and atomic",
    description="Helm releases have a fixed name, an exact version and a timeout, and wait or roll back.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["ver-no-floating"],
    remediation_steps="Take name and version from components/catalog/pins.py; set atomic and timeout.",
    url="https://www.pulumi.com/registry/packages/kubernetes/api-docs/helm/v3/release/",
    validate=_validate,
)
