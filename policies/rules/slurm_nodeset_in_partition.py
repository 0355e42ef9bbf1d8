"""NodeSets that are objects of their own have a partition: theirs, or one in slurm.conf."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.manifests import plain, table
from policies.slurm_charts import (
    CLUSTER,
    chart_of,
    has_partition,
    kind_of,
    opens_partition,
    slurm_lines,
    values_of,
    writes_partition,
)
from policies.values import UNKNOWN, known


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    sets = {r.urn: (r, plain(known(r.props, "spec"))) for r in args.resources if kind_of(r.resource_type) == "NodeSet"}
    releases = [r for r in args.resources if chart_of(r.resource_type, r.props) == CLUSTER]
    controllers = [r for r in args.resources if kind_of(r.resource_type) == "Controller" and len(r.props)]
    # In the first preview of a stack objects have no properties.
    seen = {urn: found for urn, found in sets.items() if isinstance(found[1], dict)}
    if not seen or not (releases or controllers):
        args.not_applicable("no NodeSet, or its controller is not in this stack")
    unknown = any(spec is UNKNOWN for _, spec in sets.values())
    opened = any(known(r.props, "values") is UNKNOWN or opens_partition(values_of(r.props)) for r in releases)
    written = any(writes_partition(slurm_lines(table(plain(known(r.props, "spec"))))) for r in controllers)
    if unknown or opened or written or any(has_partition(spec) for _, spec in seen.values()):
        return
    for resource, _ in seen.values():
        report(
            f"NodeSet '{resource.name}' is in no partition, and neither its controller's slurm.conf nor another "
            "NodeSet has one: Slurm refuses every job. Set spec.partition.enabled: true, or write a line "
            "PartitionName=all Nodes=ALL into the controller's extraConf.",
            resource.urn,
        )


POLICY = StackValidationPolicy(
    name="slurm-nodeset-in-partition",
    display_name="NodeSets have a partition",
    description="A stack with a Slurm controller and NodeSets has a partition.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-partition-must-be-enabled"],
    remediation_steps="Set spec.partition.enabled: true in a NodeSet, or partitions of platform.slurm here.",
    url="https://slurm.schedmd.com/slurm.conf.html",
    validate=_validate,
)
