"""The plan of prod between what it pins and one thing less: order, reasons to stop, which nodes roll."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from scripts.upgrading.output import as_document, as_text
from scripts.upgrading.pin_sets import ADDONS, KUBERNETES, NODE_IMAGE, SLURM, SLURM_DIGESTS, SLURM_NODES, VPC_CNI
from scripts.upgrading.plan import Plan, Step, plan_of
from scripts.upgrading.revision_pins import environment_at, pins_at
from scripts.upgrading.runbook import read_runbook
from scripts.upgrading.sources import WorkingTree
from scripts.upgrading.stack_pins import installed
from tests.support import ROOT

pytestmark = pytest.mark.scripts

TREE = WorkingTree(ROOT)
PROD = environment_at(TREE, "prod")
NOW = pins_at(TREE, "prod", today=PROD)


def plan(before: Mapping[str, str], after: Mapping[str, str] | None = None, **told: Any) -> Plan:
    """From what prod pins, changed, to what it pins, changed."""
    old = replace(NOW, name="v1.0.0", versions={**NOW.versions, **before}, **told)
    new = replace(NOW, versions={**NOW.versions, **(after or {})})
    return plan_of("prod", PROD, old, new, read_runbook())


def only_step(made: Plan) -> Step:
    (step,) = made.steps
    return step


def test_the_same_pins_are_no_step() -> None:
    made = plan({})
    assert made.steps == ()
    assert as_text(made) == "prod: from v1.0.0 to the working tree: no step"


def test_a_step_has_the_lines_of_the_runbook() -> None:
    text = as_text(plan({"external-secrets": "2.8.0"}))
    assert "1. external-secrets 2.8.0 -> 2.9.0" in text
    assert "definitions  in the release, kept" in text
    assert "restarts     operator; Secrets stay" in text
    assert "check        `kubectl get externalsecrets -A` SecretSynced" in text
    assert "back         revert" in text
    assert "  - Read the release notes" in text


def test_steps_come_in_the_order_of_the_runbook() -> None:
    made = plan({"slurm": "1.2.2", "volcano": "1.15.1", "karpenter": "1.15.1", NODE_IMAGE: "v20260923", VPC_CNI: "v1"})
    assert [step.changes[0].name for step in made.steps] == [VPC_CNI, NODE_IMAGE, "karpenter", "volcano", "slurm"]


def test_definitions_stand_before_what_uses_them_in_one_step() -> None:
    step = only_step(plan({"karpenter": "1.15.1", "karpenter-crd": "1.15.1"}))
    assert [change.name for change in step.changes] == ["karpenter-crd", "karpenter"]
    assert not step.stops


@pytest.mark.parametrize(
    ("name", "before", "after", "left_out"),
    [
        ("cert-manager", "v1.19.4", "v1.21.1", "1.20"),
        (KUBERNETES, "1.32", "1.35", "1.33, 1.34"),
        (VPC_CNI, "v1.19.2-eksbuild.1", "v1.21.0-eksbuild.1", "1.20"),
    ],
)
def test_a_minor_left_out_is_a_stop(name: str, before: str, after: str, left_out: str) -> None:
    made = plan({name: before}, {name: after})
    (stop,) = only_step(made).stops
    assert made.is_stopped
    assert stop.what == f"{name} {before} -> {after} leaves out {left_out}"
    assert stop.accepted.startswith("one minor at a time (https://")
    assert stop.ways_out == (f"go by way of {left_out[:4]}: update, check, then go on", f"stay at {before}")


def test_where_to_stop_stands_above_too() -> None:
    text = as_text(plan({"cert-manager": "v1.19.4", "external-secrets": "2.8.0"}))
    assert text.splitlines()[1] == "STOP at 1: not to be taken as it is."


def test_a_chart_that_may_leave_out_minors_does() -> None:
    assert not plan({"volcano": "1.12.0"}).is_stopped


@pytest.mark.parametrize(
    ("name", "before", "after", "accepted"),
    [
        (KUBERNETES, "1.36", "1.35", "within 7 days"),
        (SLURM, "26.11-ubuntu26.04", "26.05-ubuntu26.04", "snapshots of state and database"),
    ],
)
def test_a_way_back_that_a_revert_is_not_is_a_stop(name: str, before: str, after: str, accepted: str) -> None:
    step = only_step(plan({name: before}, {name: after}))
    (stop,) = step.stops
    assert stop.what == f"{name} goes back from {before} to {after}, and a revert is not enough"
    assert accepted in stop.accepted
    assert step.warnings == (), "the page's way back for everything else"


def test_any_other_way_back_says_what_goes_with_it() -> None:
    step = only_step(plan({"volcano": "1.16.0"}))
    assert not step.stops
    assert step.warnings[0].startswith("volcano goes back: `git revert`, `pulumi up`. Definitions go back too")


def test_another_base_of_the_same_slurm_is_no_way_back() -> None:
    assert not plan({SLURM: "26.05-ubuntu28.04"}).is_stopped


def test_slurm_goes_over_three_releases_and_no_more() -> None:
    step = only_step(plan({SLURM: "24.11-ubuntu24.04"}))
    assert (step.stops, step.warnings) == ((), ())
    (stop,) = only_step(plan({SLURM: "24.05-ubuntu24.04"})).stops
    assert stop.what == "Slurm 24.05-ubuntu24.04 -> 26.05-ubuntu26.04 is 4 releases at once"
    assert stop.accepted == "at most 3 (https://slurm.schedmd.com/upgrades.html)"


@pytest.mark.parametrize("name", ["karpenter", "slurm-operator"])
def test_charts_that_belong_together_have_one_version(name: str) -> None:
    (stop,) = only_step(plan({}, {name: "1.99.0"})).stops
    assert f"{name} 1.99.0" in stop.what
    assert stop.what.endswith("they belong together")
    assert stop.ways_out[0] == "pin all at 1.99.0"


def test_versions_that_are_apart_are_one_stop_of_the_step() -> None:
    made = plan({"karpenter": "1.15.1", "karpenter-crd": "1.15.1"}, {"karpenter-crd": "1.16.0"})
    assert len(only_step(made).stops) == 1


def test_a_karpenter_below_the_floor_of_kubernetes_is_a_stop() -> None:
    made = plan({KUBERNETES: "1.35"}, {KUBERNETES: "1.36", "karpenter": "1.12.0", "karpenter-crd": "1.12.0"})
    stop = made.steps[0].stops[0]
    assert stop.what == "Kubernetes 1.36 with karpenter 1.12.0"
    assert stop.accepted.startswith("karpenter 1.13.0 or newer")


def test_a_karpenter_that_kubernetes_waits_for_goes_first() -> None:
    made = plan({KUBERNETES: "1.34", "karpenter": "1.8.0", "karpenter-crd": "1.8.0"})
    assert [step.changes[0].name for step in made.steps] == ["karpenter-crd", KUBERNETES]
    assert "before Kubernetes, which wants karpenter 1.9.0 or newer" in made.steps[0].warnings


def test_a_karpenter_that_knows_the_minor_already_keeps_its_place() -> None:
    made = plan({KUBERNETES: "1.34", "karpenter": "1.15.1", "karpenter-crd": "1.15.1"})
    assert [step.changes[0].name for step in made.steps] == [KUBERNETES, "karpenter-crd"]


def test_kubernetes_says_which_addons_stay_and_what_the_catalog_knows_of_the_minor() -> None:
    addon = {f"{ADDONS}.coredns": "v1.12.4-eksbuild.1"}
    looks = only_step(plan({KUBERNETES: "1.35", **addon}, {KUBERNETES: "1.36", **addon})).warnings
    assert any("coredns v1.12.4-eksbuild.1. Is each offered for 1.36?" in look for look in looks)
    assert any(look.startswith("Kubernetes 1.36: support dates open") for look in looks)


def test_images_of_slurm_nodes_go_after_slurm_itself() -> None:
    old = "registry.example.com/slurmd-gpu@sha256:" + 64 * "2"
    made = plan({SLURM: "25.11-ubuntu26.04", f"{SLURM_NODES}.gpu": old})
    assert [step.changes[0].name for step in made.steps] == [SLURM, f"{SLURM_NODES}.gpu"]
    assert made.steps[1].warnings == (
        "in an update of its own, after Slurm itself: a slurmd must not be newer than its slurmctld",
    )
    assert "runbook      as in step 1" in as_text(made)


def test_a_new_major_is_said() -> None:
    assert only_step(plan({"kube-prometheus-stack": "86.1.0"})).warnings == (
        "kube-prometheus-stack is a new major: its release notes say what breaks",
    )


def test_an_addon_without_a_version_is_what_eks_takes_that_day() -> None:
    step = only_step(plan({f"{ADDONS}.coredns": "v1.12.4-eksbuild.1"}))
    assert step.changes[0].line == "cluster.addonVersions.coredns v1.12.4-eksbuild.1 -> EKS' default"
    assert "becomes EKS' default on the day of the update" in step.warnings[0]


def test_a_node_image_replaces_nodes_of_pools_when_their_window_says() -> None:
    assert only_step(plan({NODE_IMAGE: "v20260923"})).nodes == (
        "p5en (p5en.48xlarge): never by themselves, since nodes.fixed keeps them (no maintenanceWindow)",
        'p5 (p5.48xlarge): 1 at a time, "0 6 * * 1" UTC for 4h',
        'trn1 (trn1.32xlarge): 1 at a time, "0 6 * * 1" UTC for 4h',
        "general: at any time, a tenth at once (no maintenanceWindow)",
    )


def test_a_minor_of_kubernetes_replaces_system_nodes_too() -> None:
    nodes = only_step(plan({KUBERNETES: "1.34"})).nodes
    assert nodes[0] == "system nodes (4 of m7i.4xlarge): a new one first, then drained, zone by zone"


def test_a_chart_replaces_no_nodes() -> None:
    assert only_step(plan({"external-secrets": "2.8.0"})).nodes == ()


def test_values_of_a_chart_are_a_step_though_its_version_stays() -> None:
    old = {"volcano": {"basic": {"image_pull_policy": "Always"}, "custom": {}}}
    step = only_step(plan({}, values=old))
    assert step.changes[0].line == "volcano 1.15.2 (values: basic.image_pull_policy, custom)"


def test_what_the_environment_has_not_is_one_line_at_the_end() -> None:
    made = plan({"kueue": "0.18.2", "external-secrets": "2.8.0"})
    assert len(made.steps) == 1
    assert as_text(made).splitlines()[-1] == "also changed, not installed in prod: kueue 0.18.2 -> 0.19.2"


def test_an_image_of_a_job_has_no_step() -> None:
    made = plan({"mariadb": "11.4.11"})
    assert made.steps == ()
    assert "also changed, without a line in the runbook: mariadb 11.4.11 -> 11.4.12" in as_text(made)


def test_what_comes_and_what_goes_is_no_upgrade() -> None:
    old = {"kueue": "0.18.2", "volcano": "1.14.0"}
    made = plan(old, installed=(NOW.installed - {"volcano"}) | {"kueue"})
    assert made.steps == ()
    assert made.difference.elsewhere == ()
    text = as_text(made)
    assert "comes new: volcano 1.15.2" in text
    assert "goes (docs/configuration.md says what goes with it): kueue 0.18.2" in text


def test_slurmdbd_is_there_with_accounting_alone() -> None:
    assert PROD.platform.slurm is not None
    slurm = PROD.platform.slurm.model_copy(update={"accounting": None})
    without = PROD.model_copy(update={"platform": PROD.platform.model_copy(update={"slurm": slurm})})
    assert installed(PROD) - installed(without) == {f"{SLURM_DIGESTS}.slurmdbd", "aws-cli", "mariadb"}


def test_what_one_side_cannot_tell_is_not_guessed() -> None:
    made = plan({SLURM: "26.11-x"}, unseen=frozenset({SLURM}))
    assert made.steps == ()
    assert "not compared: Slurm" in as_text(made)


def test_a_release_that_an_update_left_half_way_is_a_stop() -> None:
    made = plan({"volcano": "1.15.1"}, half_way={"volcano": "pending-upgrade"})
    (stop,) = only_step(made).stops
    assert stop.what == "release volcano is pending-upgrade: an update was killed"
    assert stop.ways_out[0] == "./scripts/unstick prod, which shows and with --yes mends it"


def test_programs_get_the_same() -> None:
    document = as_document(plan({"cert-manager": "v1.19.4"}))
    (step,) = document["steps"]
    assert document["stopped"]
    assert step["changes"] == [
        {"component": "cert-manager", "from": "v1.19.4", "to": "v1.21.1", "direction": "up", "values": []}
    ]
    assert step["stops"][0]["what"] == "cert-manager v1.19.4 -> v1.21.1 leaves out 1.20"
    assert step["restarts"] == "controller, webhook, cainjector; certificates stay"


def test_on_a_terminal_a_line_goes_on_below_its_text() -> None:
    text = as_text(plan({KUBERNETES: "1.34"}), width=80)
    assert max(len(line) for line in text.splitlines() if "https://" not in line and "kubectl" not in line) <= 80
    assert (
        "\n   runbook 2    Drain the calendar: nodes are replaced afterwards. Checkpoints\n                written"
        in text
    )
