"""The charts of definitions that this repository holds, by the real Helm on the real API server."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.own_charts import NAMESPACE
from components.platform.crd_charts import DATA, crd_data
from tests.admission.support import Sandbox, eventually

pytestmark = pytest.mark.admission

CHARTS = sorted(path.parent.name for path in DATA.glob("*/Chart.yaml"))


def _helm(sandbox: Sandbox, *arguments: str) -> str:
    done = sandbox.run("helm", *arguments, "--namespace", NAMESPACE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _generation(sandbox: Sandbox, name: str) -> tuple[str, str]:
    """A definition's identity, and which release it says it belongs to."""
    done = sandbox.run("kubectl", "get", "crd", name, "-o", "json")
    assert done.returncode == 0, done.stderr
    metadata: dict[str, Any] = json.loads(done.stdout)["metadata"]
    return metadata["uid"], metadata["annotations"]["meta.helm.sh/release-name"]


@pytest.mark.parametrize("folder", CHARTS)
def test_helm_renders_a_chart_as_the_data_is(sandbox: Sandbox, folder: str) -> None:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = [thing for thing in yaml.load_all(_helm(sandbox, "template", folder, str(DATA / folder)), loader) if thing]
    assert sorted(found, key=lambda thing: thing["metadata"]["name"]) == list(crd_data(folder))


@pytest.fixture
def widgets(tmp_path: Path) -> Path:
    """A chart like ours, of a kind that no other test needs."""
    chart = tmp_path / "widgets"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text((DATA / "mpi-operator" / "Chart.yaml").read_text())
    [definition] = crd_data("mpi-operator")
    text = json.dumps(definition).replace("kubeflow.org", "example.com").replace("mpijob", "widget")
    (chart / "templates" / "widgets.json").write_text(text.replace("MPIJob", "Widget"))
    return chart


def test_a_definition_stays_when_its_release_goes_and_is_taken_over_when_it_comes_back(
    sandbox: Sandbox, widgets: Path
) -> None:
    _helm(sandbox, "install", "widgets", str(widgets), "--wait")
    first = _generation(sandbox, "widgets.example.com")
    assert "widgets.example.com" in _helm(sandbox, "uninstall", "widgets"), "Helm names what it keeps"
    assert _generation(sandbox, "widgets.example.com") == first
    _helm(sandbox, "install", "widgets", str(widgets), "--wait")
    assert _generation(sandbox, "widgets.example.com") == first
    _helm(sandbox, "uninstall", "widgets")
    assert sandbox.run("kubectl", "delete", "crd", "widgets.example.com", "--timeout=60s").returncode == 0
    eventually(lambda: sandbox.run("kubectl", "get", "crd", "widgets.example.com").returncode != 0, "the end")
