"""Argo CD deletes nothing of Slinky by itself, unless someone looked at what that may be."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.slurm_argo import REVIEWED, is_slinkys, prunes


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not is_slinkys(workload):
        args.not_applicable("no Application of Argo CD that deploys a part of Slinky")
        return
    if prunes(workload):
        report(
            f"{workload.title} prunes by itself (spec.syncPolicy.automated.prune): a definition that leaves the source "
            "takes every Slurm cluster along, and a claim takes the queue. Remove prune, or add the sync option "
            f"Prune=confirm, or write who reviewed it and when into the annotation {REVIEWED}.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="slurm-argocd-prune-reviewed",
    display_name="Argo CD prunes nothing of Slinky unasked",
    description="Applications of Argo CD for Slinky prune nothing without a review.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-prune-and-deletion-guard"],
    remediation_steps="Remove prune from syncPolicy.automated, or add the sync option Prune=confirm.",
    url="https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/#automatic-pruning",
    validate=_validate,
)
