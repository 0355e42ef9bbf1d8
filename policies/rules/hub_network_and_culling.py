"""Notebooks are reached from inside only, by whom the network policies let through, and end when nobody uses them."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.hub_values import Hub, hub_of
from policies.manifests import at, table
from policies.values import whole

INTERNAL = {
    "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
    "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
}


def _problems(hub: Hub) -> Iterator[str]:
    if hub.is_off("cull.enabled") or whole(hub.setting("cull.timeout")) == 0:
        yield "stops no idle server (cull): forgotten notebooks hold their nodes. Enable cull, or remove the line."
    elif whole(hub.setting("cull.maxAge")) == 0 and any(profile.devices for profile in hub.profiles):
        yield (
            "has profiles with accelerators and no cull.maxAge: an open tab counts as use and holds a node for ever. "
            "Set cull.maxAge, or take the accelerators out of the profiles."
        )
    for path in ("singleuser.networkPolicy.enabled", "hub.networkPolicy.enabled"):
        if hub.is_off(path):
            yield f"has {path} false: every pod reaches it. Remove the line, or open what you need by ingress rules."
    kind = hub.setting("proxy.service.type")
    annotations = table(at(hub.values, "proxy", "service", "annotations"))
    is_internal = any(str(annotations.get(key)).lower() == value for key, value in INTERNAL.items())
    if kind == "NodePort" or (kind == "LoadBalancer" and not is_internal):
        yield (
            f"has a proxy of type {kind}, the chart's default or not: it listens outside the cluster without TLS. Set "
            "proxy.service.type: ClusterIP with an ingress, or make the load balancer internal."
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    hub = hub_of(args.resource_type, args.name, args.props)
    if hub is None:
        args.not_applicable("no release of JupyterHub")
        return
    for problem in _problems(hub):
        report(f"{hub.title} {problem}", None)


POLICY = ResourceValidationPolicy(
    name="hub-network-and-culling",
    display_name="Notebooks are closed and end when idle",
    description="JupyterHub stops idle servers, keeps its network policies and is not reached from outside.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["hub-network-and-culling", "cost-idle-resources"],
    remediation_steps="Make the hub by platform.jupyterhub of the environment, which culls and has a ClusterIP proxy.",
    url="https://z2jh.jupyter.org/en/stable/jupyterhub/customizing/user-management.html#culling-user-pods",
    validate=_validate,
)
