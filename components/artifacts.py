"""Where a Helm chart comes from: the public registry of its pin, a private registry, or a folder."""

from dataclasses import dataclass

from components.catalog.pins import ChartPin


@dataclass(frozen=True, kw_only=True, slots=True)
class ChartSource:
    """The arguments that tell Pulumi's Helm resources which chart to take."""

    chart: str
    """A chart's name (with `repository`), an `oci://` address or a folder."""
    repository: str | None
    version: str


def chart_source(pin: ChartPin, mirror: str | None) -> ChartSource:
    """Locate a pinned chart.

    Args:
        pin: chart and version.
        mirror: `artifacts.charts` of the environment: None, `oci://...`, or a folder that holds unpacked charts
            (`<folder>/<name>/Chart.yaml`).

    A folder's own Chart.yaml decides the version that is installed; whoever fills the folder answers for it.
    """
    if mirror is not None:
        return ChartSource(chart=f"{mirror.rstrip('/')}/{pin.name}", repository=None, version=pin.version)
    if pin.repository.startswith("oci://"):
        return ChartSource(chart=f"{pin.repository}/{pin.name}", repository=None, version=pin.version)
    return ChartSource(chart=pin.name, repository=pin.repository, version=pin.version)
