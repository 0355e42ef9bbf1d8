"""The folder mirror of charts that the sandbox installs from, and an account of where each one came from.

Order: the environment's own mirror, ../shared/charts beside the checkout, the public registry, else a labelled
stand-in. A folder chart's own version silently replaces the pinned one in what the engine and the policies see, so
the pin is written into the copy and the difference is reported.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import yaml

from components.catalog.pins import CHARTS, KARPENTER_CRDS, ChartPin
from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.sandboxing import stand_in
from scripts.sandboxing.state import State

SHARED = ROOT.parent / "shared" / "charts"
# A registry that is there answers within a second or two; a machine without internet must not wait long for each chart.
REGISTRY_SECONDS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """Where one chart of the mirror came from; contents is its own version, None for a stand-in."""

    chart: str
    pin: str
    source: str
    contents: str | None

    @property
    def is_stand_in(self) -> bool:
        """Whether nothing of the chart itself was at hand."""
        return self.contents is None

    @property
    def line(self) -> str:
        """For the summary."""
        if self.is_stand_in:
            return f"{self.chart} {self.pin}: STAND-IN, its contents are not tested ({self.source})"
        if self.contents != self.pin:
            return f"{self.chart} {self.pin}: contents {self.contents}, pin {self.pin} ({self.source})"
        return f"{self.chart} {self.pin} ({self.source})"


def prepare(
    state: State, mirror: str | None, say: Callable[[str], None], wanted: Collection[str] | None = None
) -> list[Provenance]:
    """Fills the mirror with the pinned charts that it lacks at their pins; returns the account of all of them.

    Args:
        state: the sandbox.
        mirror: `artifacts.charts` of the environment.
        say: takes a line of progress for each chart that was fetched.
        wanted: names of the charts that the environment installs; None: every pinned one.
    """
    state.charts.mkdir(parents=True, exist_ok=True)
    pins = [pin for name, pin in CHARTS.items() if wanted is None or name in wanted]
    return [_prepare(state, pin, mirror, say) for pin in pins]


def _prepare(state: State, pin: ChartPin, mirror: str | None, say: Callable[[str], None]) -> Provenance:
    target = state.charts / pin.name
    # A stand-in too: Pulumi would not see that the same version has other contents, and its release would stay.
    if found := _recorded(target, pin):
        return found
    with tempfile.TemporaryDirectory(dir=state.charts, prefix=f".{pin.name}-") as scratch:
        chart = Path(scratch) / pin.name
        source = _fetch(pin, mirror, state, chart)
        if source is None and pin is KARPENTER_CRDS:
            stand_in.karpenter_crd_chart(chart, pin, engine_build.karpenter_crds(say))
            source = "Karpenter's Go library"
        contents: str | None = None
        if source is None:
            stand_in.chart(chart, pin)
            source = "no mirror, no registry within reach"
        else:
            contents = _write_pin(chart, pin)
        provenance = Provenance(chart=pin.name, pin=pin.version, source=source, contents=contents)
        (chart / ".provenance.yaml").write_text(
            yaml.safe_dump({"pin": pin.version, "source": source, "contents": contents})
        )
        shutil.rmtree(target, ignore_errors=True)
        chart.rename(target)
    say(f"charts  {provenance.line}")
    return provenance


def _recorded(target: Path, pin: ChartPin) -> Provenance | None:
    record = target / ".provenance.yaml"
    if not record.exists():
        return None
    content = yaml.safe_load(record.read_text())
    if content["pin"] != pin.version:
        return None
    return Provenance(chart=pin.name, pin=pin.version, source=content["source"], contents=content["contents"])


def _fetch(pin: ChartPin, mirror: str | None, state: State, target: Path) -> str | None:
    """Puts the unpacked chart at target; says where it was found, or None."""
    for folder in (Path(mirror) if mirror and "://" not in mirror else None, SHARED):
        if folder is not None and (folder / pin.name / "Chart.yaml").exists():
            _copy(folder / pin.name, target)
            return "../shared/charts" if folder == SHARED else str(folder)
    for reference in filter(None, (mirror if mirror and "://" in mirror else None, pin.repository)):
        if _pull(reference, pin, state, target):
            return reference
    return None


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target)
    # The source may be a read-only checkout; the copy must be removable.
    for path in (target, *target.rglob("*")):
        path.chmod(path.stat().st_mode | (0o700 if path.is_dir() else 0o600))


def _pull(reference: str, pin: ChartPin, state: State, target: Path) -> bool:
    where = (
        [f"{reference.rstrip('/')}/{pin.name}"] if reference.startswith("oci://") else [pin.name, "--repo", reference]
    )
    command = [str(state.bin / "helm"), "pull", *where, "--version", pin.version, "--untar", "-d", str(target.parent)]
    try:
        subprocess.run(command, capture_output=True, timeout=REGISTRY_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return (target / "Chart.yaml").exists()


def _write_pin(chart: Path, pin: ChartPin) -> str:
    """Writes the pinned version into the chart; returns the version that it had."""
    path = chart / "Chart.yaml"
    content = yaml.safe_load(path.read_text())
    contents = str(content["version"])
    path.write_text(yaml.safe_dump(content | {"version": pin.version}, sort_keys=False))
    return contents
