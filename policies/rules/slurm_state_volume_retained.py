"""The volume of Slurm's state stays when its claim goes."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.claims import name_of
from policies.manifests import read, words
from policies.slurm_state import states
from policies.storage import CLAIM, STORAGE_CLASS, of_type
from policies.values import is_said, known


def _class_of(persistence: dict[str, object], claims: dict[str, PolicyResource]) -> str:
    claim = claims.get(words(persistence.get("existingClaim")))
    return words(known(claim.props, "spec", "storageClassName") if claim else persistence.get("storageClassName"))


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    resources = [(each, read(each.resource_type, each.name, each.props)) for each in args.resources]
    found = [(resource, state) for resource, workload in resources for state in states(workload, resource.props)]
    if not found:
        args.not_applicable("no Controller of Slurm whose state lies in the cluster")
    classes = {name_of(made.props, made.name): made for made in of_type(args, STORAGE_CLASS)}
    claims = {name_of(made.props, made.name): made for made in of_type(args, CLAIM)}
    for resource, state in found:
        made = classes.get(_class_of(dict(state.persistence), claims))
        # A class without properties is one of a first preview, whose cluster does not exist yet.
        if made is None or not is_said(known(made.props, "provisioner")):
            continue
        policy = known(made.props, "reclaimPolicy")
        if policy is None or (isinstance(policy, str) and policy != "Retain"):
            report(
                f"{state.title} keeps its state on a volume of StorageClass '{name_of(made.props, made.name)}' with "
                f"reclaimPolicy {policy or 'Delete (the default)'}: whoever deletes the claim or its namespace deletes "
                f"Slurm's queue and jobs. Set reclaimPolicy: Retain, or name a claim of such a class in {state.path}.",
                resource.urn,
            )


POLICY = StackValidationPolicy(
    name="slurm-state-volume-retained",
    display_name="The volume of Slurm's state is retained",
    description="The state of a Slurm cluster lies on a volume of a StorageClass that retains it.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-statesave-preserved"],
    remediation_steps="Use the component SlurmState, whose class retains the volume.",
    url="https://kubernetes.io/docs/concepts/storage/storage-classes/#reclaim-policy",
    validate=_validate,
)
