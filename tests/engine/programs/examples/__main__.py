"""Registers the resources that the file named by EXAMPLES lists, without the SDKs of their providers."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pulumi

NOT_KNOWN = os.environ["EXAMPLES_NOT_KNOWN"]
resources: list[dict[str, Any]] = json.loads(Path(os.environ["EXAMPLES"]).read_text())
listed = {told["name"]: told for told in resources}
made: dict[tuple[str, str], pulumi.Resource] = {}


def value_of(told: Any, sources: list[pulumi.Resource]) -> Any:
    """The value, as an output of the resources that it comes from; unknown where the file says so."""
    if isinstance(told, dict):
        return {key: value_of(inner, sources) for key, inner in told.items()}
    if isinstance(told, list):
        return [value_of(inner, sources) for inner in told]
    if told == NOT_KNOWN:
        return unknown(sources)
    return told


def unknown(sources: list[pulumi.Resource]) -> pulumi.Output[Any]:
    def future(value: Any) -> asyncio.Future[Any]:
        made_of: asyncio.Future[Any] = asyncio.get_event_loop().create_future()
        made_of.set_result(value)
        return made_of

    return pulumi.Output(future(set(sources)), future(pulumi.runtime.rpc.UNKNOWN), future(False))


# Objects go to a folder, so that rules about the whole stack see them as they do once the cluster is known. Releases
# meet a provider that is not configured yet, as in the first preview of a stack: else it would look for their charts.
folder = pulumi.ProviderResource("kubernetes", "folder", {"renderYamlToDirectory": os.environ["EXAMPLES"] + ".d"})
cluster = pulumi.ProviderResource("kubernetes", "cluster", {"kubeconfig": unknown([])})


def make(told: dict[str, Any]) -> pulumi.Resource:
    """A resource, after those that it comes from: a file lists them in any order."""

    def of(names: list[str]) -> list[pulumi.Resource]:
        return [make(listed[name]) for name in names]

    identity = (told["type"], told["name"])
    if identity in made:
        return made[identity]
    props = {key: value_of(value, of(told["sources"].get(key, []))) for key, value in told["props"].items()}
    kind = told["type"].partition(":")[0]
    options = pulumi.ResourceOptions(
        protect=told["protect"],
        depends_on=of(told["after"]),
        parent=make(listed[told["parent"]]) if told["parent"] else None,
        provider=None if kind != "kubernetes" else cluster if "helm.sh" in told["type"] else folder,
    )
    base = pulumi.ComponentResource if kind == "ekstraining" else pulumi.CustomResource
    found = base(told["type"], told["name"], props, options)
    made[identity] = found
    return found


for told in resources:
    make(told)
