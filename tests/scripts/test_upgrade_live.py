"""`./scripts/upgrade prod --kubeconfig FILE`: from what Helm and the API server say, made up at their processes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from typer.testing import CliRunner, Result

from components.catalog.pins import CHARTS
from components.catalog.slurm import IMAGE_TAG
from scripts.reaching import reach
from scripts.upgrading import __main__ as upgrading
from scripts.upgrading.live import pins_of_cluster
from scripts.upgrading.live_addons import addons_in_aws
from scripts.upgrading.live_objects import KINDS
from scripts.upgrading.pin_sets import KUBERNETES, PinSet
from tests.scripts.fake_cluster import obj

pytestmark = pytest.mark.scripts

KUBECTL = """#!/bin/sh
case "$*" in
  *api-resources*) cat {folder}/kinds ;;
  *--raw*) cat {folder}/version ;;
  *get*) cat {folder}/objects ;;
esac
"""
HELM = "#!/bin/sh\nif [ -e {folder}/fails ]; then cat {folder}/fails >&2; exit 1; fi\ncat {folder}/releases\n"

IN_PROD = (
    *("karpenter", "nvidia-device-plugin", "neuron-helm-chart", "aws-efa-k8s-device-plugin", "cert-manager"),
    *("slurm-operator", "slurm", "volcano", "kube-prometheus-stack", "dcgm-exporter", "external-secrets"),
)


def workload(kind: str, name: str, namespace: str, *images: str) -> dict[str, Any]:
    pod = {"containers": [{"image": image} for image in images]}
    return obj(kind, name, api="apps/v1", namespace=namespace, spec={"template": {"spec": pod}})


class Cluster:
    """A cluster that runs what prod pins; a test changes one thing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kubeconfig = folder / "config"
        self.kubeconfig.write_text("")
        (folder / "kinds").write_text("\n".join(KINDS))
        self.releases: dict[str, dict[str, str]] = {
            name: {
                "name": name,
                "namespace": CHARTS[name].namespace,
                "chart": f"{name}-{CHARTS[name].version}",
                "status": "deployed",
            }
            for name in IN_PROD
        }
        self.version = {"major": "1", "minor": "35+"}
        self.tag, self.mpi, self.ami = IMAGE_TAG, "0.8.2", "v20261023"
        self.more: list[dict[str, Any]] = []

    def write(self) -> None:
        node_class = obj("EC2NodeClass", "p5", namespace=None)
        node_class["spec"] = {"amiSelectorTerms": [{"alias": f"al2023@{self.ami}"}]}
        objects = [
            workload("Deployment", "mpi-operator", "mpi-operator", f"mirror.example.com/x/mpi-operator:{self.mpi}"),
            workload("DaemonSet", "neuron-monitor", "monitoring", "public.ecr.aws/neuron/neuron-monitor:1.3.0"),
            workload("StatefulSet", "slurm-controller", "slurm", f"ghcr.io/slinkyproject/slurmctld:{self.tag}"),
            node_class,
            *self.more,
        ]
        (self.folder / "releases").write_text(json.dumps(list(self.releases.values())))
        (self.folder / "objects").write_text(json.dumps({"items": objects}))
        (self.folder / "version").write_text(json.dumps(self.version))

    def upgrade(self, *options: str) -> Result:
        self.write()
        return CliRunner().invoke(upgrading.app, ["prod", "--kubeconfig", str(self.kubeconfig), *options])


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {"kubectl": KUBECTL, "helm": HELM}.items():
        (programs / name).write_text(text.format(folder=tmp_path))
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return Cluster(tmp_path)


def test_a_cluster_that_runs_what_is_pinned_has_no_step(cluster: Cluster) -> None:
    done = cluster.upgrade()
    assert done.exit_code == 0
    assert "prod: from the cluster to the working tree: no step" in done.stdout
    assert "comes new" not in done.stdout


def test_a_release_that_is_older_is_a_step(cluster: Cluster) -> None:
    cluster.releases["volcano"]["chart"] = "volcano-1.14.0"
    assert "1. volcano 1.14.0 -> 1.15.2" in cluster.upgrade().stdout


def test_definitions_without_a_release_have_the_version_of_their_chart(cluster: Cluster) -> None:
    cluster.releases["karpenter"]["chart"] = "karpenter-1.15.1"
    text = cluster.upgrade().stdout
    assert "1. karpenter-crd 1.15.1 -> 1.15.2\n   karpenter 1.15.1 -> 1.15.2" in text


def test_an_operator_of_manifests_is_known_by_its_image_wherever_it_is_mirrored(cluster: Cluster) -> None:
    cluster.mpi = "0.8.1"
    assert "1. mpi-operator 0.8.1 -> 0.8.2" in cluster.upgrade().stdout


def test_the_api_server_says_its_minor(cluster: Cluster) -> None:
    cluster.version["minor"] = "34+"
    assert "1. cluster.kubernetesVersion 1.34 -> 1.35" in cluster.upgrade().stdout


def test_node_classes_say_the_image_of_nodes(cluster: Cluster) -> None:
    cluster.ami = "v20260923"
    assert "1. amiRelease v20260923 -> v20261023" in cluster.upgrade().stdout


def test_the_tag_of_slurmctld_is_slurm_itself(cluster: Cluster) -> None:
    cluster.tag = "25.11-ubuntu26.04"
    assert f"1. Slurm 25.11-ubuntu26.04 -> {IMAGE_TAG}" in cluster.upgrade().stdout


def kueue(**labels: str) -> dict[str, Any]:
    made = workload("Deployment", "kueue-controller-manager", "kueue-system", "registry.k8s.io/kueue/kueue:v0.18.2")
    made["metadata"]["labels"] = labels
    return made


def test_a_chart_whose_objects_are_the_stacks_own_says_its_version_by_a_label(cluster: Cluster) -> None:
    cluster.more = [kueue(**{"helm.sh/chart": "kueue-0.18.2"})]
    # prod has none, so that what is there goes.
    assert "goes (docs/configuration.md says what goes with it): kueue 0.18.2" in cluster.upgrade().stdout


def test_a_stand_in_for_it_is_neither_new_nor_gone(cluster: Cluster) -> None:
    cluster.more = [kueue(**{"app.kubernetes.io/name": "kueue"})]
    to_come = PinSet(name="the working tree", versions={"kueue": "0.19.2"}, installed=frozenset({"kueue"}))
    cluster.write()
    way = reach("prod", sandbox=False, kubeconfig=cluster.kubeconfig)
    assert "kueue" in pins_of_cluster(way, to_come, in_aws=False).unseen


def test_the_api_server_of_the_sandbox_is_no_pin(cluster: Cluster) -> None:
    cluster.version["minor"] = "36"
    cluster.write()
    way = replace(reach("prod", sandbox=False, kubeconfig=cluster.kubeconfig), sandbox=True)
    to_come = PinSet(name="the working tree", versions={KUBERNETES: "1.35"}, installed=frozenset({KUBERNETES}))
    assert KUBERNETES in pins_of_cluster(way, to_come, in_aws=False).unseen


def test_a_chart_that_is_not_there_comes_new(cluster: Cluster) -> None:
    del cluster.releases["volcano"]
    assert "comes new: volcano 1.15.2" in cluster.upgrade().stdout


def test_a_release_of_the_same_name_elsewhere_is_somebody_elses(cluster: Cluster) -> None:
    cluster.releases["volcano"] |= {"namespace": "theirs", "chart": "volcano-1.9.0"}
    assert "comes new: volcano 1.15.2" in cluster.upgrade().stdout


def test_a_release_that_was_uninstalled_is_not_there(cluster: Cluster) -> None:
    cluster.releases["volcano"]["status"] = "uninstalled"
    assert "comes new: volcano 1.15.2" in cluster.upgrade().stdout


def test_a_release_left_half_way_is_said_and_stops_its_own_step(cluster: Cluster) -> None:
    cluster.releases["volcano"]["status"] = "pending-upgrade"
    done = cluster.upgrade()
    assert done.exit_code == 0
    assert "note: release volcano is pending-upgrade: ./scripts/unstick prod" in done.stdout
    cluster.releases["volcano"]["chart"] = "volcano-1.14.0"
    done = cluster.upgrade()
    assert done.exit_code == 1
    assert "STOP         release volcano is pending-upgrade: an update was killed" in done.stdout


def test_what_a_cluster_cannot_tell_is_named(cluster: Cluster) -> None:
    last = cluster.upgrade().stdout.splitlines()[-1]
    assert last.startswith("not compared: ")
    assert "platform.slurm.nodeImage.gpu" in last
    assert "mariadb" in last
    assert "addonVersions" not in last, "prod names none"


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("releases", "Error", "`helm list` said what is no list of releases: 'Error"),
        ("version", "<html>", "The API server does not say its version: '<html>'"),
    ],
)
def test_an_answer_that_is_none_is_said(cluster: Cluster, file: str, text: str, said: str) -> None:
    cluster.write()
    cluster.write = lambda: None  # type: ignore[method-assign]
    (cluster.folder / file).write_text(text)
    done = cluster.upgrade()
    assert done.exit_code == 2
    assert said in done.stderr
    assert "name a revision: --from" in done.stderr


def test_a_cluster_that_cannot_be_reached_is_said(cluster: Cluster) -> None:
    (cluster.folder / "fails").write_text("Error: Kubernetes cluster unreachable")
    done = cluster.upgrade()
    assert done.exit_code == 2
    assert "The cluster of 'prod' does not say what runs: Error: Kubernetes cluster unreachable" in done.stderr
    assert "name a revision: --from" in done.stderr


def test_values_of_charts_are_not_asked_for_and_none_seem_to_change(cluster: Cluster) -> None:
    cluster.write()
    way = reach("prod", sandbox=False, kubeconfig=cluster.kubeconfig)
    values = {"volcano": {"basic": {"image_pull_policy": "Always"}}}
    to_come = PinSet(name="the working tree", versions={}, installed=frozenset(), values=values)
    assert pins_of_cluster(way, to_come, in_aws=False).values == values


def test_progress_is_not_in_the_answer(cluster: Cluster) -> None:
    done = cluster.upgrade("--json")
    assert json.loads(done.stdout)["from"] == "the cluster"
    assert "helm    listing releases" in done.stderr


class Eks:
    """A boto3 session with one client, whose answers are stubbed."""

    def __init__(self) -> None:
        self.eks = boto3.client("eks", region_name="us-west-2", aws_access_key_id="a", aws_secret_access_key="b")  # noqa: S106
        self.stub = Stubber(self.eks)
        self.stub.activate()

    def client(self, service_name: str, /, **options: Any) -> Any:
        assert service_name == "eks"
        return self.eks

    def get_credentials(self) -> Any:
        return None


FIELDS = ("cluster.addonVersions.coredns", "cluster.addonVersions.vpc-cni")


def test_eks_says_versions_of_addons() -> None:
    eks = Eks()
    for name, version in {"coredns": "v1.12.4-eksbuild.1", "vpc-cni": "v1.20.1-eksbuild.3"}.items():
        asked = {"clusterName": "training-prod", "addonName": name}
        eks.stub.add_response("describe_addon", {"addon": {"addonVersion": version}}, asked)
    found, notes = addons_in_aws("prod", FIELDS, eks)
    assert found == dict(zip(FIELDS, ("v1.12.4-eksbuild.1", "v1.20.1-eksbuild.3"), strict=True))
    assert notes == []


def test_an_addon_that_is_not_there_is_no_error() -> None:
    eks = Eks()
    eks.stub.add_client_error("describe_addon", "ResourceNotFoundException")
    eks.stub.add_response("describe_addon", {"addon": {"addonVersion": "v1.20.1-eksbuild.3"}})
    assert addons_in_aws("prod", FIELDS, eks) == ({FIELDS[1]: "v1.20.1-eksbuild.3"}, [])


def test_addons_that_may_not_be_asked_are_a_note() -> None:
    eks = Eks()
    eks.stub.add_client_error("describe_addon", "AccessDeniedException", "not authorized")
    found, notes = addons_in_aws("prod", FIELDS, eks)
    assert found == {}
    assert notes[0].startswith("add-ons could not be asked (eks:DescribeAddon): ")
    assert "not authorized" in notes[0]
