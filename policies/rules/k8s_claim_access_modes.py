"""Claims on file systems are for many nodes, claims on disks for one."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.claims import claim_of, is_disk, is_file_system, name_of
from policies.storage import CLAIM
from policies.values import UNKNOWN, items, known


def _problems(source: str, modes: list[str], raw: bool) -> Iterator[str]:
    if is_disk(source) and not raw and {"ReadWriteMany", "ReadOnlyMany"} & set(modes):
        yield (
            "a disk is mounted by one node, and the other pods wait for ever. Ask for ReadWriteOnce, or put what they "
            "share on a claim of Lustre or EFS (lustre-..., efs-...)."
        )
    if is_file_system(source) and modes != ["ReadWriteMany"]:
        yield (
            "the ranks of a job mount it on many nodes, and the driver refuses ReadOnlyMany. Ask for ReadWriteMany, "
            "with readOnly: true on the pod's volume for reading alone, or use a disk (gp3) for one pod."
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != CLAIM:
        args.not_applicable("no PersistentVolumeClaim")
    modes, raw = items(args.props, "spec", "accessModes"), known(args.props, "spec", "volumeMode") in ("Block", UNKNOWN)
    source = claim_of(args.props)
    if UNKNOWN in modes or known(args.props, "spec", "accessModes") is UNKNOWN:
        return
    for problem in _problems(source, [str(mode) for mode in modes], raw):
        who, said = name_of(args.props, args.name), ", ".join(map(str, modes)) or "no access mode"
        report(f"PersistentVolumeClaim '{who}' asks {source} for {said}: {problem}", None)


POLICY = ResourceValidationPolicy(
    name="k8s-claim-access-modes",
    display_name="Claims ask for what their storage can do",
    description="Claims on Lustre and EFS are for many nodes and claims on disks for one.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["fsx-shared-access-mode"],
    remediation_steps="Use the claims that the environment makes for its file systems.",
    url="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    validate=_validate,
)
