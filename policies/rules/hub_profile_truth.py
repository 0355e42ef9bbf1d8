"""A profile gives what its text promises: its hardware is on the nodes that it selects, and its image can use it."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.hub_profiles import facts_of, problems_of, types_of_pools
from policies.hub_values import hubs_of


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    hubs = hubs_of(args)
    if not hubs:
        args.not_applicable("the stack has no release of JupyterHub")
    types = types_of_pools(args)
    for release, hub in hubs:
        for profile in hub.profiles:
            for problem in problems_of(hub, profile, facts_of(profile, types)):
                report(f"{hub.title}: profile '{profile.name}' {problem}", release.urn)


POLICY = StackValidationPolicy(
    name="hub-profile-truth",
    display_name="Notebook profiles say what they give",
    description="Profiles of JupyterHub name the accelerators of the nodes they select and ask for them.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["hub-profile-truth"],
    remediation_steps="Say the profile with its pool in platform.jupyterhub.profiles of the environment.",
    url="https://z2jh.jupyter.org/en/stable/jupyterhub/customizing/user-environment.html",
    validate=_validate,
)
