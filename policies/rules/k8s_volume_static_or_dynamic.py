"""A volume is either there already or made for a claim, never both."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.claims import name_of
from policies.storage import CLAIM, VOLUME, driver_of
from policies.values import UNKNOWN, is_said, known


def _volume(args: ResourceValidationArgs, report: ReportViolation) -> None:
    storage_class = known(args.props, "spec", "storageClassName")
    if is_said(storage_class) and storage_class is not UNKNOWN:
        report(
            f"PersistentVolume '{name_of(args.props, args.name)}' exists already and names StorageClass "
            f"{storage_class}: any claim of that class may take it, and dynamic claims compete with it. Set "
            'storageClassName: "", or leave the volume out and let the class make it.',
            None,
        )


def _claim(args: ResourceValidationArgs, report: ReportViolation) -> None:
    volume, storage_class = known(args.props, "spec", "volumeName"), known(args.props, "spec", "storageClassName")
    if is_said(volume) and storage_class not in ("", UNKNOWN):
        seen = "no StorageClass, so it gets the default one" if storage_class is None else f"class {storage_class}"
        report(
            f"PersistentVolumeClaim '{name_of(args.props, args.name)}' names volume {volume} and {seen}: it never "
            'binds, or a second volume is made. Set storageClassName: "", or remove volumeName.',
            None,
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type == VOLUME and is_said(driver_of(VOLUME, args.props)):
        _volume(args, report)
    elif args.resource_type == CLAIM:
        _claim(args, report)
    else:
        args.not_applicable("neither a PersistentVolume of a CSI driver nor a claim")


POLICY = ResourceValidationPolicy(
    name="k8s-volume-static-or-dynamic",
    display_name="A volume is there, or is made for a claim",
    description="Volumes that exist have no StorageClass, nor do claims that name their volume.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-static-vs-dynamic-exclusive"],
    remediation_steps="Mount file systems of the environment by the component StaticVolume.",
    url="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume",
    validate=_validate,
)
