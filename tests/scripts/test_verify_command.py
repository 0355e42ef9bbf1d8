"""`./scripts/verify ENV` as a command: what it asks, what it prints, how it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scripts.verifying import __main__ as verifying
from scripts.verifying.cluster import Cluster
from scripts.verifying.look import CHECKS
from tests.scripts.fake_cluster import FakeCluster, install
from tests.scripts.working_cluster import environment, find, without, working


@pytest.fixture(scope="module")
def all_good() -> Cluster:
    return working(environment())


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    made = install(tmp_path, monkeypatch)
    made.put("api-resources", "\n".join(kind for check in CHECKS for kind in check.kinds))
    return made


def verify(tools: FakeCluster, cluster: Cluster, *options: str) -> Result:
    tools.objects(*map(dict, cluster.objects))
    tools.put("list", json.dumps(cluster.releases))
    return CliRunner().invoke(verifying.app, ["dev", "--kubeconfig", str(tools.kubeconfig), *options])


def test_a_good_cluster_ends_with_0_and_nothing_was_changed(tools: FakeCluster, all_good: Cluster) -> None:
    done = verify(tools, all_good)
    assert done.exit_code == 0, done.output
    assert "dev: nothing to say" in done.output
    assert [call.split()[0] for call in tools.calls] == ["kubectl", "kubectl", "helm"]


def test_an_error_ends_with_1_and_is_shown_with_its_way_out(tools: FakeCluster, all_good: Cluster) -> None:
    done = verify(tools, replace(all_good, releases=[]))
    assert done.exit_code == 1
    assert "error    Release/kube-system/karpenter = missing" in done.output
    assert "-> pulumi up" in done.output


def test_what_could_not_be_asked_ends_with_3(tools: FakeCluster) -> None:
    cluster = working(environment())
    find(cluster, "NodePool", "p5")["status"] = {}
    assert verify(tools, cluster).exit_code == 3


def test_notes_end_with_0_and_can_be_left_out(tools: FakeCluster, all_good: Cluster) -> None:
    empty = without(all_good, "Node", "p5-0")
    assert "note     NodePool/p5 = no node" in verify(tools, empty).output
    done = verify(tools, empty, "--no-notes")
    assert done.exit_code == 0
    assert "NodePool/p5" not in done.output


def test_json_has_findings_and_counts(tools: FakeCluster, all_good: Cluster) -> None:
    done = verify(tools, without(all_good, "Node", "p5-0"), "--json")
    document = json.loads(done.stdout)
    assert document["environment"] == "dev"
    assert document["counts"]["note"] == 1
    assert document["findings"][0]["field"] == "NodePool/p5"


def test_an_unknown_environment_ends_with_2(tools: FakeCluster) -> None:
    done = CliRunner().invoke(verifying.app, ["nowhere", "--kubeconfig", str(tools.kubeconfig)])
    assert done.exit_code == 2
    assert "nowhere" in done.output
    assert "Traceback" not in done.output


def test_a_cluster_that_does_not_answer_ends_with_2(tools: FakeCluster, all_good: Cluster) -> None:
    tools.put("get.fails", "Unable to connect to the server")
    done = verify(tools, all_good)
    assert done.exit_code == 2
    assert "Unable to connect" in done.output
