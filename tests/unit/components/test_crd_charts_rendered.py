"""The definitions that this repository holds are those of their sources."""

import shutil
from pathlib import Path

import pulumi
import pytest
import yaml

from components import own_charts
from components.platform import crd_charts
from components.platform.crd_charts import DATA, crd_data, crd_release
from scripts import definitions
from tests.support import ROOT

pytestmark = pytest.mark.unit

SHARED = ROOT.parent / "shared" / "charts"
SOURCES = {
    "mpi-operator": SHARED / "mpi-operator" / "mpi-operator.yaml",
    "kuberay": SHARED / "kuberay-operator" / "crds",
}
MANIFEST = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.com"},
    "spec": {
        "versions": [
            {
                "schema": {
                    "openAPIV3Schema": {
                        "description": "a text",
                        "properties": {"description": {"type": "string", "description": "a text"}},
                    }
                }
            }
        ]
    },
    "status": {"conditions": []},
}


@pytest.mark.parametrize("folder", SOURCES)
def test_the_data_is_what_the_source_becomes(folder, tmp_path):
    source = SOURCES[folder]
    if not source.exists():
        pytest.skip("../shared/charts is not beside this checkout")
    manifests = sorted(source.glob("*.yaml")) if source.is_dir() else [source]
    assert definitions.main([*map(str, manifests), str(tmp_path)]) == 0
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert made == {
        path.name: path.read_text(encoding="utf-8") for path in (DATA / folder / "templates").glob("*.json")
    }


@pytest.mark.parametrize("folder", SOURCES)
def test_the_data_names_its_source_and_licence(folder):
    text = (DATA / folder / "README.md").read_text(encoding="utf-8")
    assert "Apache License 2.0" in text
    assert "sha256" in text
    assert "2026-11-29" in text


def test_descriptions_go_and_a_field_of_that_name_stays(tmp_path):
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(yaml.safe_dump_all([MANIFEST, {"kind": "Namespace"}, None]), encoding="utf-8")
    [found] = definitions.definitions_in(manifest.read_text(encoding="utf-8"))
    schema = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema == {"properties": {"description": {"type": "string"}}}
    assert "status" not in found


def test_without_a_manifest_it_says_how_to_use_it(capsys, tmp_path):
    assert definitions.main([str(tmp_path)]) == 2
    assert "python -m scripts.definitions" in capsys.readouterr().err
    assert list(Path(tmp_path).iterdir()) == []


CHARTS = sorted(path.parent.name for path in DATA.glob("*/Chart.yaml"))


@pytest.mark.parametrize("folder", CHARTS)
def test_helm_is_told_to_keep_every_definition(folder):
    kept = {
        d["metadata"]["name"]: d["metadata"]["annotations"].get("helm.sh/resource-policy") for d in crd_data(folder)
    }
    assert set(kept.values()) == {"keep"}, kept


@pytest.mark.parametrize("folder", CHARTS)
def test_helm_s_template_language_is_not_in_the_data(folder):
    assert [path for path in (DATA / folder / "templates").iterdir() if "{{" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("folder", CHARTS)
def test_a_chart_has_the_version_of_its_source(folder):
    chart = yaml.safe_load((DATA / folder / "Chart.yaml").read_text(encoding="utf-8"))
    assert (DATA / folder / "README.md").read_text(encoding="utf-8").splitlines()[0].endswith(f" {chart['version']}")


def test_changed_definitions_of_the_same_version_are_a_changed_release(build, monkeypatch, tmp_path):
    shutil.copytree(DATA / "mpi-operator", tmp_path / "data" / "mpi-operator")
    monkeypatch.setattr(own_charts, "ROOT", tmp_path)
    monkeypatch.setattr(crd_charts, "DATA", tmp_path / "data")

    def made() -> dict[str, object]:
        recorder = build(lambda: crd_release("crds", "mpi-operator", parent=pulumi.ComponentResource("a:b:C", "c")))
        return recorder.named("crds").inputs

    before = made()
    path = tmp_path / "data" / "mpi-operator" / "templates" / "mpijobs.kubeflow.org.json"
    path.write_text(path.read_text(encoding="utf-8").replace("v2beta1", "v2"), encoding="utf-8")
    after = made()
    assert before["version"] == after["version"]
    assert before["values"] != after["values"]
    assert before["chart"] == "./data/mpi-operator"


def test_a_folder_without_definitions_is_an_error():
    with pytest.raises(FileNotFoundError, match="no-such-part"):
        list(crd_data("no-such-part"))
