"""Pods that ask for accelerators select a pool and tolerate its taint: a restricted pool helps those that use it.

EKS adds the toleration of a resource that a pod asks for by the taint's own name (ExtendedResourceToleration). Other
clusters do not, and a pod that asks for Neuron cores gets none for the taint of Neuron devices: so it is written down.
"""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.labels import POOL_LABEL
from policies.manifests import table, workload_of
from policies.pool_workloads import QUEUE_LABEL, asked, missing_tolerations, names_a_pool


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    wanting = [template for template in workload.templates if asked(template)] if workload is not None else []
    if workload is None or not wanting:
        args.not_applicable("no pods that ask for accelerators")
        return
    if QUEUE_LABEL in table(workload.metadata.get("labels")):
        args.not_applicable("the queue's flavor sends its pods to a pool")
    for template in wanting:
        who = f"{workload.title} ({template.where or 'its pod'}) asks for {', '.join(asked(template))}"
        if not names_a_pool(template):
            report(
                f"{who} and selects no pool: Karpenter may start it in any zone and type that fits, and its ranks do "
                f"not reach each other. Add nodeSelector {POOL_LABEL}: <pool>, or require it by node affinity (In).",
                None,
            )
        for taint in missing_tolerations(template):
            report(
                f"{who} and does not tolerate the taint {taint} of the nodes that have it: it waits for ever. Add "
                f"the toleration {{key: {taint}, operator: Exists, effect: NoSchedule}}, or ask for no devices.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="pool-restriction-reaches-pods",
    display_name="Training pods use the training pools",
    description="Pods that ask for accelerators select a pool and tolerate its taint.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["pool-restriction-reaches-pods"],
    remediation_steps="Give the pod template the pool's nodeSelector and the toleration of its accelerator's taint.",
    url="https://karpenter.sh/docs/concepts/scheduling/",
    validate=_validate,
)
