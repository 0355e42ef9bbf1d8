"""Karpenter pools with EFA: one subnet, one zone, one instance type. EFA traffic does not leave a zone."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.labels import EFA_LABEL
from policies.reading import EC2_NODE_CLASS, NODE_POOL, has_efa_type, has_static_efa, mapping, mappings, required_values

ZONE, TYPE = "topology.kubernetes.io/zone", "node.kubernetes.io/instance-type"


def _node_class(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if not has_static_efa(args.props):
        args.not_applicable("the node class has no EFA interfaces")
    terms = [list(term) for term in mappings(mapping(args.props, "spec"), "subnetSelectorTerms")]
    if terms != [["id"]]:
        keys = " and ".join(sorted({key for term in terms for key in term})) or "nothing"
        report(
            f"EC2NodeClass '{args.name}' puts EFA interfaces on its nodes and has {len(terms)} subnet selector term(s) "
            f"by {keys}: nodes may land in several zones, between which EFA does not work. Select the one subnet of "
            "the training zone by id, or remove networkInterfaces (efa: off).",
            None,
        )


def _node_pool(args: ResourceValidationArgs, report: ReportViolation) -> None:
    label = mapping(args.props, "spec", "template", "metadata", "labels").get(EFA_LABEL)
    types = required_values(args.props, TYPE)
    if label == "false" or (label != "true" and not has_efa_type(types)):
        args.not_applicable("the pool does not use EFA")
    for what, values in (("zone", required_values(args.props, ZONE)), ("instance type", types)):
        if values is None or len(values) != 1:
            seen = f"any {what}" if values is None else f"{len(values)} {what}s"
            report(
                f"NodePool '{args.name}' uses EFA and allows {seen}: EFA does not work between zones, and interface "
                f"layouts differ between types. Require exactly one {what} with operator In, or label the pool "
                f'{EFA_LABEL}: "false".',
                None,
            )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    judge = {EC2_NODE_CLASS: _node_class, NODE_POOL: _node_pool}.get(args.resource_type)
    if judge is None:
        args.not_applicable("neither an EC2NodeClass nor a NodePool")
    else:
        judge(args, report)


POLICY = ResourceValidationPolicy(
    name="karpenter-efa-pool-single-az",
    display_name="EFA pools stay in one zone",
    description="Karpenter pools with EFA use one subnet, one zone and one instance type.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["net-single-az-communication", "net-zone-key-is-the-only-zone-control", "pg-recommended-not-mandatory"],
    remediation_steps="Give the pool one zone in the environment file, or set efa: off for it.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    validate=_validate,
)
