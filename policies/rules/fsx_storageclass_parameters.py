"""StorageClasses of the FSx driver say all that decides what is made, as text, and only what their type takes."""

from collections.abc import Mapping

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.csi import LUSTRE_DRIVER
from policies.claims import lustre_parameters, name_of
from policies.storage import STORAGE_CLASS, driver_of
from policies.values import UNKNOWN, known, text


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != STORAGE_CLASS or driver_of(args.resource_type, args.props) != LUSTRE_DRIVER:
        args.not_applicable("no StorageClass of the FSx driver")
    found = known(args.props, "parameters")
    parameters: Mapping[str, object] = found if isinstance(found, Mapping) else {}
    who = f"StorageClass '{name_of(args.props, args.name)}'"
    if found is UNKNOWN:
        return
    for key in parameters:
        value = known(parameters, key)
        if value is not UNKNOWN and not isinstance(value, str):
            shown = text(value).lower() if isinstance(value, bool) else text(value)
            report(
                f'{who} has {key}: {shown}, and the API server takes text only. Write "{shown}", or remove {key}.', None
            )
    for problem in lustre_parameters(parameters):
        report(f"{who} {problem}", None)


POLICY = ResourceValidationPolicy(
    name="fsx-storageclass-parameters",
    display_name="StorageClasses for Lustre are complete",
    description="StorageClasses of the FSx driver say type and version as text, and throughput where the type has it.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-storageclass-scratch-no-throughput", "fsx-no-inline-dra-field"],
    remediation_steps="Make the class by storage.lustreClasses in the environment file.",
    url="https://github.com/kubernetes-sigs/aws-fsx-csi-driver/blob/master/examples/kubernetes/dynamic_provisioning/README.md",
    validate=_validate,
)
