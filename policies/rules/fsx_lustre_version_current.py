"""Lustre of a version that nodes mount: the client of AL2023 does not mount 2.10, which FSx takes by default."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.csi import LUSTRE_DRIVER
from components.catalog.lustre import CURRENT_VERSION, LUSTRE_VERSIONS
from policies.storage import LUSTRE, STORAGE_CLASS, driver_of
from policies.values import UNKNOWN, known


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type == LUSTRE:
        said, what = known(args.props, "fileSystemTypeVersion"), f"Lustre file system '{args.name}'"
    elif driver_of(args.resource_type, args.props) == LUSTRE_DRIVER and args.resource_type == STORAGE_CLASS:
        said, what = known(args.props, "parameters", "fileSystemTypeVersion"), f"StorageClass '{args.name}'"
    else:
        args.not_applicable("neither a Lustre file system nor a StorageClass for one")
        return
    # As a number 2.10 would read 2.1; the versions that nodes mount have no zero to lose, so both spellings count.
    if said is not UNKNOWN and str(said) not in LUSTRE_VERSIONS:
        report(
            f"{what} {'says no Lustre version' if said is None else f'has Lustre {said}'}: the client of Amazon Linux "
            f'2023 cannot mount it. Set fileSystemTypeVersion: "{CURRENT_VERSION}", or move the data to a new one.',
            None,
        )


POLICY = ResourceValidationPolicy(
    name="fsx-lustre-version-current",
    display_name="Lustre is of a version that nodes can mount",
    description="Lustre file systems and their StorageClasses say a version that the nodes can mount.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-csi-driver-present", "ver-baseline-pins"],
    remediation_steps='Set lustreVersion: "2.15" in the environment file.',
    url="https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html",
    validate=_validate,
)
