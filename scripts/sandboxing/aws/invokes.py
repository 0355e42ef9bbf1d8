"""The questions that the local AWS answers. There are few on purpose: a component that looks nothing up can be
previewed anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .context import ACCOUNT, ProviderConfig
from .plausible import short_region
from .policy_document import policy_document

_ZONES = "abc"


class UnansweredError(LookupError):
    """The local AWS does not know the answer."""


def answer(token: str, arguments: Mapping[str, Any], config: ProviderConfig) -> dict[str, Any]:
    """The result of the invoke `token`; `UnansweredError` with a way out if it is not in the table."""
    if token not in ANSWERS:
        raise UnansweredError(
            f"The sandbox's local AWS does not answer {token}: it has no account to look into. It answers "
            f"{', '.join(sorted(ANSWERS))}. Take the value from the environment file (stacks/Pulumi.<env>.yaml) and "
            "hand it to the component, or run this stack against an AWS account with plain `pulumi`."
        )
    return ANSWERS[token](arguments, config)


def _region(arguments: Mapping[str, Any], config: ProviderConfig) -> str:
    return arguments.get("region") or arguments.get("name") or config.region or ""


def _get_region(arguments: Mapping[str, Any], config: ProviderConfig) -> dict[str, Any]:
    name = _region(arguments, config)
    return {"description": name, "endpoint": f"ec2.{name}.amazonaws.com", "id": name, "name": name, "region": name}


def _get_caller_identity(_: Mapping[str, Any], __: ProviderConfig) -> dict[str, Any]:
    arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/sandbox/sandbox"
    return {"accountId": ACCOUNT, "arn": arn, "id": ACCOUNT, "userId": "AROASANDBOX:sandbox"}


def _get_partition(_: Mapping[str, Any], __: ProviderConfig) -> dict[str, Any]:
    return {"dnsSuffix": "amazonaws.com", "id": "aws", "partition": "aws", "reverseDnsPrefix": "com.amazonaws"}


def _get_availability_zones(arguments: Mapping[str, Any], config: ProviderConfig) -> dict[str, Any]:
    name = _region(arguments, config)
    return {
        "groupNames": [name],
        "id": name,
        "names": [f"{name}{letter}" for letter in _ZONES],
        "region": name,
        "zoneIds": [f"{short_region(name)}-az{index}" for index, _ in enumerate(_ZONES, 1)],
    }


def _get_addon_version(arguments: Mapping[str, Any], config: ProviderConfig) -> dict[str, Any]:
    # pulumi-eks asks for it when an add-on of its own has no pinned version. No real build is named: the sandbox
    # installs none.
    version = f"v{arguments.get('kubernetesVersion', '0.0')}.0-eksbuild.1"
    return {**arguments, "id": arguments.get("addonName", ""), "region": _region(arguments, config), "version": version}


ANSWERS: Mapping[str, Callable[[Mapping[str, Any], ProviderConfig], dict[str, Any]]] = {
    "aws:eks/getAddonVersion:getAddonVersion": _get_addon_version,
    "aws:iam/getPolicyDocument:getPolicyDocument": lambda arguments, _: policy_document(arguments),
    "aws:index/getAvailabilityZones:getAvailabilityZones": _get_availability_zones,
    "aws:index/getCallerIdentity:getCallerIdentity": _get_caller_identity,
    "aws:index/getPartition:getPartition": _get_partition,
    "aws:index/getRegion:getRegion": _get_region,
}
