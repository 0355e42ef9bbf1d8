"""Interfaces of an EC2NodeClass are those that its instance type takes; others launch nothing, or a slow node."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.labels import TYPE_LABEL
from policies.reading import EC2_NODE_CLASS, mapping, mappings


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    spec = mapping(args.props, "spec") if args.resource_type == EC2_NODE_CLASS else {}
    given = [
        tuple(each.get(key) for key in ("networkCardIndex", "deviceIndex", "interfaceType"))
        for each in mappings(spec, "networkInterfaces")
    ]
    if not given:
        args.not_applicable("no EC2NodeClass with a list of interfaces")
    who, named = f"EC2NodeClass '{args.name}'", mapping(args.props, "metadata", "labels").get(TYPE_LABEL)
    facts = INSTANCE_TYPES.get(str(named))
    if (0, 0, "interface") not in given:
        report(f"{who} has no ordinary interface at (0, 0). Add it, or leave networkInterfaces out.", None)
    if spec.get("associatePublicIPAddress"):
        report(
            f"{who} asks for a public address on several interfaces; EC2 refuses. Set it to false, or leave it.", None
        )
    if facts is None:
        if not any(set(given) == set(t.efa_layout) for t in INSTANCE_TYPES.values()):
            report(
                f"{who} lists interfaces of no type in the catalog, and names none. Label it {TYPE_LABEL}: <type>, or "
                "use a layout of components/catalog/data/instances.csv.",
                None,
            )
        return
    efa = [card for card, _, kind in given if kind == "efa-only"]
    if len(efa) != facts.efa_interfaces:
        report(
            f"{who} has {len(efa)} EFA interfaces; {facts.name} has {facts.efa_interfaces}, and Karpenter advertises "
            "what is listed. List them all, or use another type.",
            None,
        )
    if 0 in efa and not facts.card_zero_has_efa:
        report(f"{who} puts EFA on network card 0, where {facts.name} takes none. Move it, or use efa: off.", None)


POLICY = ResourceValidationPolicy(
    name="karpenter-efa-interfaces-match-type",
    display_name="EFA interfaces fit the instance type",
    description="EC2NodeClasses list as many EFA interfaces as their type has, where it has them.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efa-count-per-instance", "efa-instance-supported", "efa-stack-complete"],
    remediation_steps="Set efa: static in the environment file; the layout then comes from the catalog.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    validate=_validate,
)
