"""What is written for the hub reaches it: as values that its chart reads, not as an object that nothing mounts."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from components.catalog.chart_values import unknown_keys
from policies.hub_config import loose_maps
from policies.hub_values import hubs_of


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    hubs, (maps, loose) = hubs_of(args), loose_maps(args)
    if not hubs and not maps:
        args.not_applicable("the stack has no JupyterHub and no configuration for one")
    for release, hub in hubs:
        for key in unknown_keys("jupyterhub", hub.values):
            instead = f"Write {key.nearest}" if key.nearest else "Move it below hub.config or hub.extraConfig"
            report(f"{hub.title} says {key.path}, which its chart does not read. {instead}, or remove it.", release.urn)
    for resource, found in loose:
        report(
            f"{found.title} is written for a JupyterHub and nothing of the stack names it: no hub reads it. Put what "
            "it says into the values of the hub's release, or mount it by hub.extraVolumes.",
            resource.urn,
        )


POLICY = StackValidationPolicy(
    name="hub-config-wired",
    display_name="The hub's configuration reaches the hub",
    description="Configuration for JupyterHub is in values that its chart reads or in objects that it mounts.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["hub-config-wired"],
    remediation_steps="Write it into platform.jupyterhub of the environment, or into its values.",
    url="https://z2jh.jupyter.org/en/stable/resources/reference.html",
    validate=_validate,
)
