"""Who logs in is known, and profiles with accelerators are for groups that someone named."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.hub_values import Hub, hub_of, is_limited
from policies.manifests import at, words
from policies.values import is_said

AUTHENTICATOR = "hub.config.JupyterHub.authenticator_class"


def _problems(hub: Hub) -> Iterator[str]:
    said = hub.setting(AUTHENTICATOR)
    absent = at(hub.values, *AUTHENTICATOR.split(".")) is None
    if "dummy" in words(said).lower() and not (absent and is_said(at(hub.values, "hub", "existingSecret"))):
        yield (
            f"lets in whoever types a name ({AUTHENTICATOR}: {said}{', by default' if absent else ''}). Name an "
            "authenticator of your identity provider, or say null until there is one."
        )
    costly = [profile.name for profile in hub.profiles if profile.devices]
    if costly and words(said) != "null" and is_limited(hub) is False:
        yield (
            f"shows the accelerators of {', '.join(costly)} to everyone who can log in. Let hub.extraConfig set "
            "KubeSpawner.profile_list by the user's groups, or limit the hub by allowed_groups."
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    hub = hub_of(args.resource_type, args.name, args.props)
    if hub is None:
        args.not_applicable("no release of JupyterHub")
        return
    for problem in _problems(hub):
        report(f"{hub.title} {problem}", None)


POLICY = ResourceValidationPolicy(
    name="hub-profile-authorized",
    display_name="Accelerated notebooks are for named groups",
    description="JupyterHub knows who logs in and limits profiles with accelerators to groups.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["hub-profile-authorized"],
    remediation_steps="Say auth and the groups of each profile in platform.jupyterhub of the environment.",
    url="https://z2jh.jupyter.org/en/stable/administrator/authentication.html",
    validate=_validate,
)
