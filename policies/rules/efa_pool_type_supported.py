"""EFA is asked for only on instance types that have it."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.karpenter import INSTANCE_TYPE
from components.catalog.labels import EFA_LABEL
from policies.manifests import at, plain, rows, table, words
from policies.reading import NODE_POOL
from policies.values import is_true


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    template = at(table(plain(args.props)), "spec", "template")
    if args.resource_type != NODE_POOL or not is_true(at(template, "metadata", "labels", EFA_LABEL)):
        args.not_applicable("no NodePool with EFA")
    named = {
        words(value)
        for each in rows(at(template, "spec", "requirements"))
        if at(each, "key") == INSTANCE_TYPE and at(each, "operator") == "In"
        for value in rows(at(each, "values"))
    }
    without = sorted(name for name in named if name in INSTANCE_TYPES and not INSTANCE_TYPES[name].has_efa)
    if without:
        report(
            f"NodePool '{args.name}' is labelled {EFA_LABEL}: \"true\" and may start {', '.join(without)}, which has "
            "no EFA interface: pods that ask for EFA never start there. Require a type that has EFA, such as "
            "p5.48xlarge, or set efa: off.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="efa-pool-type-supported",
    display_name="EFA on types that have it",
    description="Pools that say they have EFA require instance types with EFA interfaces.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efa-instance-supported"],
    remediation_steps="Choose a type with EFA from components/catalog/data/instances.csv, or set efa: off.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types",
    validate=_validate,
)
