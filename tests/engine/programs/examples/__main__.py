"""Registers the resources that the file named by EXAMPLES lists, without the SDKs of their providers."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pulumi

NOT_KNOWN = os.environ["EXAMPLES_NOT_KNOWN"]
made: dict[str, pulumi.Resource] = {}


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


# As in the first preview of a stack: nobody knows the cluster yet, and nobody asks it.
cluster = pulumi.ProviderResource("kubernetes", "cluster", {"kubeconfig": unknown([])})

for told in json.loads(Path(os.environ["EXAMPLES"]).read_text()):
    props = {
        key: value_of(value, [made[name] for name in told["sources"].get(key, ()) if name in made])
        for key, value in told["props"].items()
    }
    options = pulumi.ResourceOptions(
        protect=told["protect"],
        depends_on=[made[name] for name in told["after"] if name in made],
        parent=made.get(told["parent"]),
        provider=cluster if told["type"].startswith("kubernetes:") else None,
    )
    if told["type"].startswith("ekstraining:"):
        made[told["name"]] = pulumi.ComponentResource(told["type"], told["name"], props, options)
    else:
        made[told["name"]] = pulumi.CustomResource(told["type"], told["name"], props, options)
