"""What users write outlives their servers, and what they take together has a bound."""

from collections.abc import Iterator, Sequence
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.hub_values import Hub, hubs_of
from policies.manifests import at, plain
from policies.storage import of_type
from policies.values import UNKNOWN, whole

QUOTA = "kubernetes:core/v1:ResourceQuota"


def _problems(hub: Hub, quotas: Sequence[dict[str, Any]]) -> Iterator[str]:
    kind = hub.setting("singleuser.storage.type")
    if kind not in ("dynamic", "static", UNKNOWN):
        yield (
            f"has singleuser.storage.type {kind}: a user's work goes with the server. Set dynamic with a StorageClass, "
            "or static with a claim that many nodes mount."
        )
    elif kind == "static" and at(hub.values, "singleuser", "storage", "static", "pvcName") is None and hub.complete:
        yield (
            "has static home folders and names no claim: no server starts. Name one in singleuser.storage.static."
            "pvcName, or set type: dynamic."
        )
    limit = at(hub.values, "hub", "activeServerLimit")
    # A quota without properties is one of a first preview, whose cluster does not exist yet.
    places = [at(quota, "metadata", "namespace") if quota.get("spec") else UNKNOWN for quota in quotas]
    bounded = bool(places) and (hub.namespace is UNKNOWN or any(each in (hub.namespace, UNKNOWN) for each in places))
    if not bounded and hub.complete and limit is not UNKNOWN and not whole(limit):
        yield (
            "bounds nothing: one user may start servers until the pools are full. Add a ResourceQuota to its "
            "namespace, or set hub.activeServerLimit."
        )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    hubs = hubs_of(args)
    if not hubs:
        args.not_applicable("the stack has no release of JupyterHub")
    quotas = [plain(quota.props) for quota in of_type(args, QUOTA)]
    for release, hub in hubs:
        for problem in _problems(hub, quotas):
            report(f"{hub.title} {problem}", release.urn)


POLICY = StackValidationPolicy(
    name="hub-user-storage-quota",
    display_name="Users have home folders and a quota",
    description="JupyterHub keeps what users write on volumes and runs under a quota.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["hub-user-storage-and-quota"],
    remediation_steps="Say home and quota in platform.jupyterhub of the environment.",
    url="https://z2jh.jupyter.org/en/stable/jupyterhub/customizing/user-storage.html",
    validate=_validate,
)
