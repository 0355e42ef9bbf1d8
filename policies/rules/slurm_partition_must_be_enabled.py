"""Node sets that a slurm release renders belong to a partition that is switched on."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import at, table, workload_of
from policies.slurm_charts import CLUSTER, chart_of, has_partition, node_sets, opens_partition
from policies.values import UNKNOWN


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or chart_of(args.resource_type, args.props) != CLUSTER:
        args.not_applicable("no release of the slurm chart")
        return
    values = dict(workload.content)
    sets = dict(node_sets(values))
    if UNKNOWN in (at(values, "partitions"), at(values, "nodesets")) or opens_partition(values):
        return
    if sets and not any(has_partition(found) for found in sets.values()):
        said = ", ".join(sorted(table(values.get("partitions")))) or "none is said, and the chart's own, all, is off"
        report(
            f"Release '{workload.name}' makes the node sets {', '.join(sorted(sets))} and no partition that is on "
            f"({said}): Slurm refuses every job. Set partitions.all.enabled: true, or partition.enabled: true in a "
            "node set.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="slurm-partition-must-be-enabled",
    display_name="Node sets of a release have a partition",
    description="A slurm release with node sets switches a partition on.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-partition-must-be-enabled"],
    remediation_steps="Set partitions.all.enabled: true beside nodesets.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/helm/slurm/values.yaml",
    validate=_validate,
)
