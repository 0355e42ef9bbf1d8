"""What `up` prints at its end: which charts were real, which were not, and how long each component took."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from scripts.sandboxing import engine, summary, times
from scripts.sandboxing.charts import Provenance
from scripts.sandboxing.state import State, state_of

pytestmark = pytest.mark.scripts

STACK = "urn:pulumi:sandbox::eks-training-platform::pulumi:pulumi:Stack::eks-training-platform-sandbox"
VOLCANO = "ekstraining:platform:Volcano::volcano"
KARPENTER = "ekstraining:capacity:Karpenter::karpenter"
CRDS = "ekstraining:capacity:Karpenter$ekstraining:capacity:KarpenterCrds::karpenter-crds"
RELEASE = "ekstraining:platform:Volcano$kubernetes:helm.sh/v3:Release::volcano-release"
QUEUE = "ekstraining:platform:Volcano$kubernetes:scheduling.volcano.sh/v1beta1:Queue::volcano-queue"
CRD = f"{CRDS.partition('::')[0]}$kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition::nodepools"
PARENTS = {VOLCANO: STACK, KARPENTER: STACK, CRDS: KARPENTER, RELEASE: VOLCANO, QUEUE: VOLCANO, CRD: CRDS}


def urn(tail: str) -> str:
    return tail if tail.startswith("urn:") else f"urn:pulumi:sandbox::eks-training-platform::{tail}"


def event(kind: str, tail: str, at: int, op: str = "create") -> dict[str, Any]:
    """As Pulumi 3.276.0 writes it (recorded 2026-11-29), without what nobody reads."""
    state = {"urn": urn(tail), "parent": urn(PARENTS.get(tail, "")) if tail in PARENTS else "", "custom": True}
    if tail in (VOLCANO, KARPENTER, CRDS):
        del state["custom"]
    side = {"old": state, "new": None} if op == "delete" else {"old": None, "new": state}
    return {"timestamp": at, kind: {"metadata": {"op": op, "urn": urn(tail), **side}}}


def did(tail: str, start: int, end: int, op: str = "create") -> list[dict[str, Any]]:
    return [event("resourcePreEvent", tail, start, op), event("resOutputsEvent", tail, end, op)]


def components(at: int = 100) -> list[dict[str, Any]]:
    return [each for name in (VOLCANO, KARPENTER, CRDS) for each in did(name, at, at)]


@pytest.fixture
def log(tmp_path: Path):
    def write(events: Sequence[object], end: str = "") -> Path:
        path = tmp_path / "events.jsonl"
        path.write_text("".join(f"{json.dumps(each)}\n" for each in events) + end)
        return path

    return write


def test_the_slowest_component_comes_first_with_the_time_of_its_resources(log) -> None:
    path = log([*components(), *did(CRD, 100, 104), *did(RELEASE, 103, 116), *did(QUEUE, 116, 117)])
    assert times.table(path) == [
        "  17 s  all, 3 changes; components work side by side",
        "  14 s  Volcano volcano (2)",
        "   4 s  Karpenter karpenter (1)",
    ]


def test_a_resource_of_an_inner_component_counts_for_the_outermost(log) -> None:
    [found] = times.times(log([*components(), *did(CRD, 100, 104)]))
    assert (found.component, found.seconds, found.resources) == ("Karpenter karpenter", 4, 1)


def test_waiting_for_others_is_no_time_of_a_component(log) -> None:
    path = log([*components(100), *did(RELEASE, 150, 160), *did(QUEUE, 200, 201)])
    [found] = times.times(path)
    assert found.seconds == 11, "neither the 50 s before its release nor the 40 s before its queue"


def test_resources_made_side_by_side_count_once(log) -> None:
    assert times.times(log([*components(), *did(RELEASE, 100, 110), *did(QUEUE, 105, 112)]))[0].seconds == 12


def test_a_removal_counts_and_so_does_what_failed(log) -> None:
    failed = [event("resourcePreEvent", CRD, 100), event("resOpFailedEvent", CRD, 109)]
    found = times.times(log([*components(), *did(RELEASE, 100, 103, "delete"), *failed]))
    assert [(each.component, each.seconds) for each in found] == [("Karpenter karpenter", 9), ("Volcano volcano", 3)]


def test_components_of_less_than_a_second_are_counted_in_one_line(log) -> None:
    path = log([*components(), *did(CRD, 100, 100), *did(RELEASE, 100, 107)])
    assert times.table(path)[-1] == "  <1 s  1 more"


def test_what_lies_in_no_component_is_the_stack_s_own(log) -> None:
    provider = "pulumi:providers:aws::aws"
    assert times.times(log(did(provider, 100, 102)))[0].component == times.STACK


def test_nothing_changed_is_said(log, tmp_path: Path) -> None:
    assert times.table(log([*components(), *did(RELEASE, 100, 108, "same")])) == ["nothing changed"]
    assert times.table(tmp_path / "absent") == ["nothing changed"]


def test_the_log_of_a_killed_engine_is_read_as_far_as_it_goes(log) -> None:
    path = log([*components(), *did(RELEASE, 100, 108)], end='{"timestamp": 10')
    assert times.times(path)[0].seconds == 8


REAL = Provenance(chart="volcano", pin="1.15.2", source="../shared/charts", contents="1.15.2")
OLDER = Provenance(chart="karpenter", pin="1.15.2", source="../shared/charts", contents="1.14.1")
STAND_IN = Provenance(chart="cert-manager", pin="v1.21.1", source="no mirror, no registry within reach", contents=None)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    monkeypatch.setenv("EKS_SANDBOX_HOME", str(tmp_path))
    monkeypatch.setattr(engine, "resources", lambda _: [])
    monkeypatch.setattr(summary, "_nodes", lambda _: "none yet")
    found = state_of("sandbox")
    found.root.mkdir()
    return found


def section(text: str, label: str) -> list[str]:
    """Lines of one part of the summary, without its label."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"  {label:<9}  "))
    rest = next(number for number, line in enumerate(lines[start + 1 :], start + 1) if not line.startswith(" " * 13))
    return [line[13:] for line in lines[start:rest]]


def test_real_charts_and_stand_ins_stand_apart(state: State) -> None:
    text = summary.of(state, [REAL, STAND_IN, OLDER], 61.2)
    assert section(text, "charts") == [
        "2 of 3 that the environment installs are real",
        "volcano 1.15.2 (../shared/charts)",
        "karpenter 1.15.2: contents 1.14.1, pin 1.15.2 (../shared/charts)",
    ]
    assert section(text, "not shown") == [
        "cert-manager v1.21.1: STAND-IN, its contents are not tested (no mirror, no registry within reach)"
    ]


def test_where_every_chart_is_real_nothing_is_said_to_be_not_shown(state: State) -> None:
    assert "not shown" not in summary.of(state, [REAL], 61.2)


def test_the_summary_has_the_times_of_the_last_update(state: State) -> None:
    state.events.write_text("".join(f"{json.dumps(each)}\n" for each in [*components(), *did(RELEASE, 100, 107)]))
    assert section(summary.of(state, [REAL], 61.2), "time")[1:] == ["   7 s  Volcano volcano (1)"]
