"""User data fixes no GPU clocks: one number for all is wrong on all but one device type."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import EC2_NODE_CLASS, LAUNCH_TEMPLATE, mapping
from policies.user_data import clock_settings, text_of


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    holder = {EC2_NODE_CLASS: mapping(args.props, "spec"), LAUNCH_TEMPLATE: args.props}.get(args.resource_type)
    user_data = holder.get("userData") if holder is not None else None
    if not user_data:
        args.not_applicable("nothing with user data")
    for command in clock_settings(text_of(user_data)):
        report(
            f"User data of '{args.name}' fixes GPU clocks ({command}): numbers of one device type slow or break "
            "another. Remove the command, or set clocks in a job that checks the device and records the gain.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-userdata-no-gpu-clocks",
    display_name="No fixed GPU clocks at boot",
    description="User data of nodes sets no GPU clocks.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["pool-no-gpu-clock-hardcode"],
    remediation_steps="Remove the nvidia-smi command from the user data.",
    url="https://docs.nvidia.com/deploy/nvidia-smi/index.html",
    validate=_validate,
)
