"""Nodes with accelerators are tainted: otherwise any pod may take the room of a job, and keeps an empty node alive."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import GPU_RESOURCE
from policies.pools import is_training, template
from policies.reading import NODE_POOL, mappings
from policies.values import UNKNOWN, known

_EFFECTS = ("NoSchedule", "NoExecute")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != NODE_POOL or not is_training(args.props):
        args.not_applicable("no NodePool of accelerated nodes")
    pool = template(args.props)
    # PreferNoSchedule keeps nobody out when the cluster is full, and Karpenter starts nodes for such pods.
    if not any(known(taint, "effect") in (*_EFFECTS, UNKNOWN) for taint in mappings(pool, "taints")):
        report(
            f"NodePool '{args.name}' has accelerators and no taint of effect {' or '.join(_EFFECTS)}: any pod may "
            f"start there, fill a node and keep it alive. Add the taint {{key: {GPU_RESOURCE}, value: 'true', effect: "
            "NoSchedule} (aws.amazon.com/neuron on Neuron), or make the pool with TrainingNodePool, which does.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-training-pool-tainted",
    display_name="Training nodes are tainted",
    description="NodePools with accelerators keep other pods out by a taint.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["pool-restriction-reaches-pods"],
    remediation_steps="Make the pool with TrainingNodePool, or add the taint of its accelerator.",
    url="https://karpenter.sh/docs/concepts/nodepools/#spectemplatespectaints",
    validate=_validate,
)
