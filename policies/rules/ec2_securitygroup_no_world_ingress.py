"""No security group lets the whole internet in."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity
from pulumi_policy.proxy import UnknownValueError

from policies.addresses import is_wide_open
from policies.efa_groups import INGRESS_RULE, LEGACY_RULE
from policies.reading import SECURITY_GROUP, mappings, sequence

BLOCKS = ("cidrBlocks", "ipv6CidrBlocks")


def _open_to(args: ResourceValidationArgs) -> Iterator[str]:
    if args.resource_type == INGRESS_RULE:
        yield from (str(args.props.get(key)) for key in ("cidrIpv4", "cidrIpv6") if args.props.get(key))
        return
    blocks = mappings(args.props, "ingress") if args.resource_type == SECURITY_GROUP else [args.props]
    for block in blocks:
        yield from (str(cidr) for key in BLOCKS for cidr in sequence(block, key))


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    legacy = args.resource_type == LEGACY_RULE and args.props.get("type") == "ingress"
    if args.resource_type not in {INGRESS_RULE, SECURITY_GROUP} and not legacy:
        args.not_applicable("no rule for traffic that comes in")
    try:
        wide = [block for block in _open_to(args) if is_wide_open(block)]
    except UnknownValueError:
        # A block that another resource makes is a subnet's or a VPC's, never the internet.
        wide = []
    if wide:
        report(
            f"'{args.name}' lets {', '.join(wide)} in: a large part of the internet. Name the security group or the "
            "block that needs to come in, or reach the place through SSM (./scripts/tunnel).",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="ec2-securitygroup-no-world-ingress",
    display_name="No security group is open to the world",
    description="Security group rules let no block wider than eight bits in.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["sec-no-public-ssh-by-default"],
    remediation_steps="Name the source as a security group or a narrow block.",
    url="https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html",
    validate=_validate,
)
