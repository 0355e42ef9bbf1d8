"""A chart whose definitions are among its templates, without letting them go with it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.artifacts import chart_source
from components.catalog.pins import ChartPin

_DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"


def retain_definitions(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """Let a definition stay in the cluster when it leaves the stack, and drop its descriptions.

    Nothing checks descriptions, and Pulumi would carry them through every state file: 1.4 MB of Kueue's alone.
    """
    if args.type_ != _DEFINITION:
        return None
    opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(retain_on_delete=True))
    return pulumi.ResourceTransformResult(_without_descriptions(args.props), opts)


def chart_objects(
    name: str,
    *,
    pin: ChartPin,
    charts: str | None,
    values: Mapping[str, Any],
    parent: pulumi.Resource,
    after: Sequence[pulumi.Resource] = (),
) -> k8s.helm.v4.Chart:
    """Every object of a chart as a resource of ours, definitions retained; for charts without hooks only.

    A release of such a chart deletes its definitions, and every object of theirs, when it goes; retained instead, it
    could not be added again. Here only the definitions stay, and coming back adopts them (server-side apply).

    Args:
        name: in Pulumi's state.
        pin: the chart. One with hooks would lose them.
        charts: `artifacts.charts` of the environment.
        values: what the chart is told.
        parent: the component that it belongs to.
        after: what must stand first and go last.
    """
    source = chart_source(pin, charts)
    return k8s.helm.v4.Chart(
        name,
        # Also the release name in labels and names of the chart, so it does not follow Pulumi's name.
        name=pin.name,
        chart=source.chart,
        version=source.version,
        repository_opts=k8s.helm.v4.RepositoryOptsArgs(repo=source.repository) if source.repository else None,
        namespace=pin.namespace,
        values=dict(values),
        opts=pulumi.ResourceOptions(parent=parent, depends_on=list(after), transforms=[retain_definitions]),
    )


def _without_descriptions(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_descriptions(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    # A field of that name is a schema, never a text.
    return {
        key: _without_descriptions(value)
        for key, value in node.items()
        if not (key == "description" and isinstance(value, str))
    }
