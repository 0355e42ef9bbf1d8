"""Slurm clusters are made of the six kinds that Slinky has, in the one version of its API."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.slurm import API_VERSION, KINDS, OLD_KINDS
from policies.manifests import workload_of
from policies.slurm_objects import SlurmObject, slurm_objects


def _wrong(found: SlurmObject) -> str | None:
    if found.kind in OLD_KINDS:
        return (
            f"{found.title} is of a kind that Slinky does not have: the API server knows no such object, or nothing "
            "acts on it. Write a Controller and one NodeSet for each kind of node, or set platform.slurm in the "
            "environment, which makes both."
        )
    if found.kind not in KINDS:
        return (
            f"{found.title} is of a kind that {API_VERSION} does not have ({', '.join(KINDS)}): the update stops at "
            "it. Say it in one of these kinds (partitions: extraConf of the Controller, or partition of the NodeSet), "
            "or remove the object."
        )
    if found.version != API_VERSION:
        return (
            f"{found.title} is written in {found.version}: the operator reads {API_VERSION} only, and the fields are "
            f"others. Set apiVersion: {API_VERSION} and write its fields anew, or remove the object."
        )
    return None


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    objects = list(slurm_objects(workload)) if workload is not None else []
    if not objects:
        args.not_applicable("no object of Slinky's API")
    for found in objects:
        if (wrong := _wrong(found)) is not None:
            report(wrong, None)


POLICY = ResourceValidationPolicy(
    name="slurm-object-known-kind",
    display_name="Slurm objects are of kinds that exist",
    description="Objects of Slinky's API are of its six kinds and in its current version.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-api-group-version", "slurm-kinds-closed-set", "slurm-legacy-kinds-forbidden"],
    remediation_steps="Describe the cluster in platform.slurm, or in kinds of slinky.slurm.net/v1beta1.",
    url="https://github.com/SlinkyProject/slurm-operator/tree/main/config/crd/bases",
    validate=_validate,
)
