"""Real local clusters for the admission tier: one that its tests share, and others for tests that hurt theirs."""

import subprocess
from collections.abc import Callable, Iterator

import pytest
import yaml

from components.catalog.pins import KUEUE, SLURM_OPERATOR_CRDS, VOLCANO
from components.platform.crd_charts import crd_data
from components.platform.volcano_values import volcano_values
from scripts import engine_build
from scripts.sandboxing.charts import SHARED
from scripts.sandboxing.cluster import LocalCluster
from stacks.volcano import VolcanoSpec
from tests.admission import fleet as fleets
from tests.admission.landing import Landings
from tests.admission.support import Sandbox, eventually, system_group

NEED_CHART = {"test_kueue_chart.py": KUEUE}
collect_ignore = [name for name, pin in NEED_CHART.items() if not (SHARED / pin.name).exists()]
"""Tests of charts that ../shared/charts lacks. A skipped test would fail the tier for what no checkout here can show;
the end of the run says that they were left out."""

SUMMARY = pytest.StashKey[list[str]]()
LANDED = pytest.StashKey[Landings]()


@pytest.fixture(scope="session")
def summary(request: pytest.FixtureRequest) -> list[str]:
    """Lines for the end of the run: what a test found, for a person to read."""
    lines: list[str] = []
    request.config.stash[SUMMARY] = lines
    return lines


@pytest.fixture(scope="session")
def landed(request: pytest.FixtureRequest) -> Landings:
    """The table at the end of the run: which pods landed where, with which devices."""
    return request.config.stash.setdefault(LANDED, Landings())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("markexpr") == "admission":
        for name in collect_ignore:
            terminalreporter.write_line(f"NOT SHOWN: {name}: the chart {NEED_CHART[name].name} is not in {SHARED}")
    for line in [*config.stash.get(SUMMARY, []), *config.stash.get(LANDED, Landings()).table()]:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def binaries() -> engine_build.Binaries:
    return engine_build.binaries()


@pytest.fixture(scope="session")
def new_sandbox(
    binaries: engine_build.Binaries, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Sandbox]]:
    """Makes sandboxes that are not started yet; whatever runs of them ends with the session."""
    made: list[Sandbox] = []

    def make() -> Sandbox:
        folder = tmp_path_factory.mktemp("sandbox")
        account = folder / "account"
        account.mkdir()
        sandbox = Sandbox(LocalCluster(folder / "cluster", binaries, account=account), account, binaries)
        made.append(sandbox)
        return sandbox

    yield make
    for sandbox in made:
        sandbox.cluster.stop(wipe=True)


@pytest.fixture(scope="session")
def sandbox(new_sandbox: Callable[[], Sandbox], tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """The tier's shared cluster, with Karpenter's CRDs, the EBS driver's add-on and three system nodes.

    A module adds what it needs under names of its own and takes away what others would meet: pods, pools, rules.
    Definitions may stay, and so may a namespace on its way out.
    """
    sandbox = new_sandbox()
    for number, zone in enumerate(("us-west-2a", "us-west-2b", "us-west-2c")):
        sandbox.record(
            "ec2-subnet", f"subnet-{number}", {"id": f"subnet-{number}", "outputs": {"availabilityZone": zone}}
        )
    sandbox.record("eks-nodeGroup", "system", system_group(3))
    # Every environment has it; without it no node of a pool would ever lose its startup taint.
    sandbox.record("eks-addon", "ebs", {"id": "train:ebs", "inputs": {"addonName": "aws-ebs-csi-driver"}})
    sandbox.cluster.start()
    crds = tmp_path_factory.mktemp("crds")
    subprocess.run([engine_build.karpenter_crds(), crds], check=True, timeout=60)
    sandbox.store_definitions(yaml.safe_load(file.read_text()) for file in sorted(crds.iterdir()))
    eventually(lambda: len(sandbox.get("nodes")["items"]) >= 3, "three system nodes")
    return sandbox


@pytest.fixture(scope="session")
def fleet(sandbox: Sandbox) -> fleets.Fleet:
    """The shared cluster with a node of every kind."""
    return fleets.start(sandbox)


@pytest.fixture(scope="session")
def definitions(sandbox: Sandbox) -> frozenset[str]:
    """Names of the definitions of MPI Operator, KubeRay and, where their charts are at hand, Volcano and Slinky."""
    wanted = [*crd_data("mpi-operator"), *crd_data("kuberay")]
    if (SHARED / VOLCANO.name).exists():
        chart = sandbox.rendered(VOLCANO, volcano_values(VolcanoSpec(), None))
        wanted += [thing for thing in chart if thing["kind"] == "CustomResourceDefinition"]
    if (SHARED / SLURM_OPERATOR_CRDS.name).exists():
        wanted += sandbox.rendered(SLURM_OPERATOR_CRDS, {})
    return frozenset(sandbox.store_definitions(wanted))
