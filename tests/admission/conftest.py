"""Real local clusters for the admission tier: one that its tests share, and others for tests that hurt theirs."""

import subprocess
from collections.abc import Callable, Iterator

import pytest

from scripts import engine_build
from scripts.sandboxing.cluster import LocalCluster
from tests.admission.support import Sandbox, eventually, system_group

SUMMARY = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def summary(request: pytest.FixtureRequest) -> list[str]:
    """Lines for the end of the run: what a test found, for a person to read."""
    lines: list[str] = []
    request.config.stash[SUMMARY] = lines
    return lines


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in config.stash.get(SUMMARY, []):
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
    """The tier's shared cluster, with Karpenter's CRDs and three system nodes."""
    sandbox = new_sandbox()
    for number, zone in enumerate(("us-west-2a", "us-west-2b", "us-west-2c")):
        sandbox.record(
            "ec2-subnet", f"subnet-{number}", {"id": f"subnet-{number}", "outputs": {"availabilityZone": zone}}
        )
    sandbox.record("eks-nodeGroup", "system", system_group(3))
    sandbox.cluster.start()
    crds = tmp_path_factory.mktemp("crds")
    subprocess.run([engine_build.karpenter_crds(), crds], check=True, timeout=60)
    sandbox.kubectl("apply", "--server-side", "-f", str(crds))
    sandbox.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    eventually(lambda: len(sandbox.get("nodes")["items"]) >= 3, "three system nodes")
    return sandbox
