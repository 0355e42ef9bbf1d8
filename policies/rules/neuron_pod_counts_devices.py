"""Pods count Neuron hardware in the unit of the resource that they name: devices, or cores."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import INSTANCE_TYPES, NEURON_RESOURCE
from components.catalog.karpenter import INSTANCE_TYPE
from components.catalog.neuron import CORE_RESOURCE, DEVICE_ALIAS
from policies.manifests import Template, table, words, workload_of
from policies.neuron_jobs import names

_TYPES = {name: facts for name, facts in INSTANCE_TYPES.items() if facts.is_neuron}


def _room(template: Template) -> tuple[str, int, int]:
    """Who has how many devices and cores: the type that the pod selects, else the largest."""
    named = words(table(template.spec.get("nodeSelector")).get(INSTANCE_TYPE))
    found = [_TYPES[named]] if named in _TYPES else list(_TYPES.values())
    devices, cores = (max(facts.accelerator_count for facts in found), max(f.neuron_cores_total or 0 for f in found))
    return (named if named in _TYPES else "the largest type"), devices, cores


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template in workload.templates:
        where = f"{workload.title} ({template.where or 'spec'})"
        who, devices, cores = _room(template)
        if any(names(container, DEVICE_ALIAS) for container in template.containers):
            report(
                f"{where} asks for {DEVICE_ALIAS}, which no plugin registers: the pod waits for ever. Ask for "
                f"{NEURON_RESOURCE} to count devices, or for {CORE_RESOURCE} to count cores.",
                None,
            )
        for resource, unit, most in ((NEURON_RESOURCE, "devices", devices), (CORE_RESOURCE, "cores", cores)):
            if (asked := template.asked(resource)) > most:
                report(
                    f"{where} asks for {asked} {resource}, which counts {unit}, and {who} has {most} (and {cores} "
                    f"cores): the pod waits for ever. Ask for at most {most} {unit} in a pod, or spread the ranks over "
                    "more pods.",
                    None,
                )


POLICY = ResourceValidationPolicy(
    name="neuron-pod-counts-devices",
    display_name="Neuron devices are not cores",
    description="Pods ask for no more Neuron devices than an instance has, and name their unit.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["neuron-core-vs-device"],
    remediation_steps="Ask for devices (aws.amazon.com/neuron), and take the number of ranks from the cores.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/device-management-neuron.html",
    validate=_validate,
)
