"""Labels of nodes, and selectors of pods, name the accelerator that the instance type has."""

from collections.abc import Iterator
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.karpenter import INSTANCE_TYPE
from components.catalog.labels import TYPE_LABEL
from policies.gpu_hardware import contradictions, said_of
from policies.manifests import Workload, at, rows, table, workload_of
from policies.reading import EC2_NODE_CLASS, NODE_POOL

Claim = tuple[str, Any, list[Any]]
"""Where labels stand, the labels, and the types that they are held against."""


def _claims(resource_type: str, workload: Workload) -> Iterator[Claim]:
    if resource_type == NODE_POOL:
        inner = at(workload.spec, "template")
        required = [table(each) for each in rows(at(inner, "spec", "requirements"))]
        named = [each for each in required if each.get("key") == INSTANCE_TYPE and each.get("operator") == "In"]
        types = [name for each in named for name in rows(each.get("values"))]
        yield "spec.template.metadata.labels", at(inner, "metadata", "labels"), types
    elif resource_type == EC2_NODE_CLASS:
        labels = workload.metadata.get("labels")
        yield "metadata.labels", labels, [*said_of(labels, TYPE_LABEL)]
        yield "spec.tags", workload.spec.get("tags"), [*said_of(labels, TYPE_LABEL)]
    for template in workload.templates:
        selector = template.spec.get("nodeSelector")
        yield f"{template.where or 'spec'} nodeSelector", selector, [*said_of(selector, INSTANCE_TYPE)]


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    claims = list(_claims(args.resource_type, workload)) if workload is not None else []
    if workload is None or not claims:
        args.not_applicable("neither nodes nor pods")
        return
    for where, labels, types in claims:
        for key, value, name, has in contradictions(labels, types):
            report(
                f"{workload.title} ({where}) says {key}: {value}, and {name} has {has}: pods run on other hardware "
                f"than they name, or nowhere. Write {has}, or choose an instance type that has what the label names.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="gpu-label-matches-hardware",
    display_name="Labels name the hardware that is there",
    description="Labels of nodes and selectors of pods name the accelerator of their instance type.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["gpu-label-matches-hardware"],
    remediation_steps="Make pools with TrainingNodePool, whose accelerator label is the catalog's.",
    url="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    validate=_validate,
)
