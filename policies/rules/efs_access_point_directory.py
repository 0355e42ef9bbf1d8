"""The directory of an access point is made with an owner and permissions, and its user may write there."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.claims import others_may_write
from policies.storage import ACCESS_POINT
from policies.values import UNKNOWN, is_said, known, text, whole

FIELDS = {"ownerUid": "uid", "ownerGid": "gid"}


def _problems(props: Mapping[str, Any]) -> Iterator[str]:
    if known(props, "rootDirectory", "path") in (None, "", "/"):
        yield "opens the whole file system. Set rootDirectory.path to a directory of its own, or remove it."
    made = ("rootDirectory", "creationInfo")
    permissions = known(props, *made, "permissions")
    missing = [key for key in (*FIELDS, "permissions") if not is_said(known(props, *made, key))]
    if missing:
        yield (
            f"says no rootDirectory.creationInfo.{', '.join(missing)}: EFS does not make the directory and mounts "
            'fail. Say the owner and permissions such as "0750", or name a directory that you made yourself elsewhere.'
        )
    elif permissions is not UNKNOWN and not re.fullmatch(r"[0-7]{3,4}", str(permissions)):
        yield f'has permissions {text(permissions)}, which is no octal mode. Write "0750", or "0770" for a group.'
    elif others_may_write(permissions):
        yield f'lets everyone write (permissions {permissions}). Write "0750", or "0770" for a group.'
    for owner, user in FIELDS.items():
        one, other = known(props, *made, owner), known(props, "posixUser", user)
        if None not in (whole(one), whole(other)) and whole(one) != whole(other):
            yield (
                f"makes its directory for {user} {text(one)} and writes as {user} {text(other)}. Set both to the id "
                "that its pods run as, or give the writer another access point."
            )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != ACCESS_POINT:
        args.not_applicable("no access point of EFS")
    if known(args.props, "rootDirectory") is not UNKNOWN:
        for problem in _problems(args.props):
            report(f"Access point '{args.name}' {problem}", None)


POLICY = ResourceValidationPolicy(
    name="efs-access-point-directory",
    display_name="Access points have a directory of their own",
    description="Access points of EFS make a directory whose owner is their user and that others cannot write to.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efs-directory-permissions", "efs-access-point-identity"],
    remediation_steps="Say path and permissions of each entry of accessPoints in the environment file.",
    url="https://docs.aws.amazon.com/efs/latest/ug/enforce-root-directory-access-point.html",
    validate=_validate,
)
