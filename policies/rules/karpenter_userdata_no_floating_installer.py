"""User data installs no driver whose version is decided at boot."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import EC2_NODE_CLASS, LAUNCH_TEMPLATE, mapping
from policies.user_data import floating_installers, text_of


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    holder = {EC2_NODE_CLASS: mapping(args.props, "spec"), LAUNCH_TEMPLATE: args.props}.get(args.resource_type)
    user_data = holder.get("userData") if holder is not None else None
    if not user_data:
        args.not_applicable("nothing with user data")
    for what in floating_installers(text_of(user_data)):
        report(
            f"User data of '{args.name}' installs {what}: each boot may get another version, and nodes of one job "
            "differ. Use a pinned image that has the driver, or a fixed version with its checksum.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-userdata-no-floating-installer",
    display_name="No floating driver installers at boot",
    description="User data of nodes installs no driver or EFA installer of an undecided version.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["pool-no-floating-driver-installer"],
    remediation_steps="Remove the installer; the EKS-optimized AL2023 images have the drivers and EFA.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html",
    validate=_validate,
)
