"""Access points of EFS say as whom files are written, whatever user a pod runs as."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.storage import ACCESS_POINT
from policies.values import UNKNOWN, is_said, known, text, whole

MOST = 2**32 - 1
"""Highest id. Source: EFS API, PosixUser (2026-11-29)."""


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != ACCESS_POINT:
        args.not_applicable("no access point of EFS")
    if known(args.props, "posixUser") is UNKNOWN:
        return
    for key in ("uid", "gid"):
        value = known(args.props, "posixUser", key)
        if not is_said(value):
            report(
                f"Access point '{args.name}' says no posixUser.{key}: each pod then writes as the user it claims to "
                f"be. Set posixUser.{key} to the id that its pods run as, or remove the access point.",
                None,
            )
        elif value is not UNKNOWN and not 0 <= (-1 if whole(value) is None else whole(value) or 0) <= MOST:
            report(
                f"Access point '{args.name}' has posixUser.{key} {text(value)}, which is no id. Set a whole number "
                f"between 0 and {MOST}, or remove the access point.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="efs-access-point-identity",
    display_name="Access points say their user",
    description="Access points of EFS say the user and the group as which every pod writes.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efs-access-point-identity"],
    remediation_steps="Say uid and gid of each entry of accessPoints in the environment file.",
    url="https://docs.aws.amazon.com/efs/latest/ug/enforce-identity-access-points.html",
    validate=_validate,
)
