"""Neither RAID0 of local disks nor a tag of a subnet switches EFA on: interfaces, plugin and request do."""

import re
from collections.abc import Iterator
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import at, plain, rows, table, words
from policies.reading import EC2_NODE_CLASS, has_static_efa
from policies.storage import SUBNET
from policies.values import is_true

_SWITCH = re.compile(r"(.*[/:._-])?(efa([/:._-]?(enabled?|on))?|enable[/:._-]efa)", re.IGNORECASE)
WAYS = "Give the pool efa: static or onRequest, or remove it."


def _switches(told: Any) -> list[str]:
    """Keys that pretend to switch EFA on."""
    on = (key for key, value in table(told).items() if is_true(value) or words(value).lower() in ("1", "on", "enabled"))
    return [key for key in on if _SWITCH.fullmatch(key)]


def _node_class(props: dict[str, Any]) -> Iterator[str]:
    for term in rows(at(props, "spec", "subnetSelectorTerms")):
        yield from (f"finds subnets by the tag {key}" for key in _switches(table(term).get("tags")))
    if not has_static_efa(props):
        places = {"label": at(props, "metadata", "labels"), "annotation": at(props, "metadata", "annotations")}
        places |= {"tag": at(props, "spec", "tags")}
        disks = " and RAID0 for its local disks" if at(props, "spec", "instanceStorePolicy") == "RAID0" else ""
        yield from (f"has the {what} {key}{disks}" for what, told in places.items() for key in _switches(told))


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    props = table(plain(args.props))
    if args.resource_type == SUBNET:
        problems = [f"Subnet '{args.name}' has the tag {key}" for key in _switches(props.get("tags"))]
    elif args.resource_type == EC2_NODE_CLASS:
        problems = [f"EC2NodeClass '{args.name}' {problem}" for problem in _node_class(props)]
    else:
        args.not_applicable("neither a subnet nor an EC2NodeClass")
        return
    for problem in problems:
        report(f"{problem}: that attaches no EFA interface, and traffic stays on TCP without an error. {WAYS}", None)


POLICY = ResourceValidationPolicy(
    name="efa-tags-enable-nothing",
    display_name="No tag switches EFA on",
    description="Subnets and EC2NodeClasses carry no tag or label that pretends to switch EFA on.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.LOW,
    tags=["efa-not-from-raid0-or-subnet-tag"],
    remediation_steps="Say efa: static or onRequest for the pool in the environment file, and drop the tag.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
    validate=_validate,
)
