"""The one way a Helm release, or a chart of definitions, is made here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.artifacts import ChartSource, chart_source
from components.catalog.pins import ChartPin

TIMEOUT_SECONDS = 600


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseArgs:
    """One release of a pinned chart. Another name or namespace REPLACES it."""

    pin: ChartPin
    values: Mapping[str, Any]
    """What the chart is told; every key is one that the chart has (a test compares them with the catalog's lists)."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    create_namespace: bool = False
    """Let Helm make the namespace; false where it is a resource of ours or one of the cluster's own."""
    skip_crds: bool = False
    """Leave the chart's folder `crds/` out: its definitions are resources of their own."""
    timeout_seconds: int = TIMEOUT_SECONDS


def helm_release(
    name: str,
    args: ReleaseArgs,
    *,
    parent: pulumi.Resource,
    after: Sequence[pulumi.Resource] = (),
) -> k8s.helm.v3.Release:
    """A real Helm release, hooks included: fixed name, exact version, waits, and rolls back when it fails.

    Args:
        name: of the resource in Pulumi's state.
        args: see `ReleaseArgs`.
        parent: the component that it belongs to.
        after: what must stand first and go last.
    """
    return release(
        name,
        chart_source(args.pin, args.charts),
        # Charts build the names of services, accounts and webhooks from it.
        called=args.pin.name,
        namespace=args.pin.namespace,
        values=args.values,
        parent=parent,
        after=after,
        create_namespace=args.create_namespace,
        skip_crds=args.skip_crds,
        timeout_seconds=args.timeout_seconds,
    )


def release(
    name: str,
    source: ChartSource,
    *,
    called: str,
    namespace: str,
    values: Mapping[str, Any],
    parent: pulumi.Resource,
    after: Sequence[pulumi.Resource] = (),
    create_namespace: bool = False,
    skip_crds: bool = False,
    timeout_seconds: int = TIMEOUT_SECONDS,
) -> k8s.helm.v3.Release:
    """The same of any chart, pinned or ours; `called` is Helm's name of it. Most parts want `helm_release`."""
    return k8s.helm.v3.Release(
        name,
        name=called,
        chart=source.chart,
        version=source.version,
        repository_opts=k8s.helm.v3.RepositoryOptsArgs(repo=source.repository) if source.repository else None,
        namespace=namespace,
        create_namespace=create_namespace,
        skip_crds=skip_crds,
        atomic=True,
        timeout=timeout_seconds,
        values=dict(values),
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=list(after),
            # Two releases of one name cannot stand side by side.
            delete_before_replace=True,
        ),
    )


def definitions(
    name: str,
    *,
    pin: ChartPin,
    charts: str | None,
    parent: pulumi.Resource,
    values: Mapping[str, Any] | None = None,
) -> k8s.helm.v4.Chart:
    """A chart of custom resource definitions, each an object of its own that stays when it leaves the stack.

    Helm upgrades no definition of a folder `crds/` and deletes those of `templates/`, with every object of theirs, when
    the release goes.
    """
    source = chart_source(pin, charts)
    return k8s.helm.v4.Chart(
        name,
        # Also the release name in labels, so it does not follow Pulumi's name.
        name=pin.name,
        chart=source.chart,
        version=source.version,
        repository_opts=k8s.helm.v4.RepositoryOptsArgs(repo=source.repository) if source.repository else None,
        namespace=pin.namespace,
        values=values,
        # The chart's objects inherit this from their parent.
        opts=pulumi.ResourceOptions(parent=parent, retain_on_delete=True),
    )
