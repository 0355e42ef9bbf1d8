"""The main job: the whole stack up on the real engine, looked at, unchanged by a second run, and down again.

One `up` serves all tests of this file; they run in the order in which they stand.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from policies.rules import ALL
from tests.engine.support import Sandbox, tracked_changes
from tests.support import ROOT

pytestmark = pytest.mark.engine

USERS_ACCOUNT = {"AWS_PROFILE": "no-such-profile", "AWS_REGION": "eu-central-1", "KUBECONFIG": "/nonexistent"}


@pytest.fixture(scope="module")
def before() -> list[str]:
    return list(tracked_changes())


@pytest.fixture(scope="module")
def up(sandbox: Sandbox, before: list[str]) -> subprocess.CompletedProcess[str]:
    """The first `up`, by someone who has an AWS profile set."""
    return sandbox.run("up", extra=USERS_ACCOUNT)


def test_up_ends_well_with_policies_and_a_summary(up: subprocess.CompletedProcess[str]) -> None:
    assert up.returncode == 0, up.stdout[-4000:]
    assert re.search(rf"policies +{len(ALL)} ran", up.stdout)
    assert re.search(r"resources +network \d+, cluster \d+, capacity \d+, storage \d+, platform \d+", up.stdout)
    assert "./scripts/sandbox down sandbox" in up.stdout
    assert "Traceback" not in up.stdout


@pytest.mark.usefixtures("up")
def test_the_pool_is_there_with_its_simulated_nodes(sandbox: Sandbox) -> None:
    pools = {pool["metadata"]["name"]: pool for pool in sandbox.get("nodepools.karpenter.sh")}
    classes = {node_class["metadata"]["name"] for node_class in sandbox.get("ec2nodeclasses.karpenter.k8s.aws")}
    assert "p5" in pools
    assert "p5" in classes
    types = Counter(node["metadata"]["labels"]["node.kubernetes.io/instance-type"] for node in sandbox.get("nodes"))
    assert types["m7i.2xlarge"] == 3
    [gpu, *_] = [node for node in sandbox.get("nodes") if "p5.48xlarge" in str(node["metadata"]["labels"])]
    assert gpu["status"]["allocatable"]["nvidia.com/gpu"] == "8"
    assert gpu["status"]["allocatable"]["vpc.amazonaws.com/efa"] == "32"


def test_nodes_of_pools_wait_for_no_driver_that_is_not_installed(
    sandbox: Sandbox, up: subprocess.CompletedProcess[str]
) -> None:
    assert up.returncode == 0
    # The last pool may have come a second ago.
    label = r"{.metadata.labels.karpenter\.sh/initialized}"
    sandbox.in_shell(f"kubectl wait node -l karpenter.sh/nodepool --for=jsonpath='{label}'=true --timeout=60s")
    nodes = [node for node in sandbox.get("nodes") if "karpenter.sh/nodepool" in node["metadata"]["labels"]]
    assert {node["metadata"]["labels"].get("karpenter.sh/initialized") for node in nodes} == {"true"}
    for node in nodes:
        assert [taint["key"] for taint in node["spec"].get("taints", []) if "agent-not-ready" in taint["key"]] == []


def test_volcano_is_a_real_helm_release_in_its_namespace(
    sandbox: Sandbox, up: subprocess.CompletedProcess[str]
) -> None:
    releases = sandbox.in_shell("helm list --all-namespaces")
    assert re.search(r"^volcano\s+volcano-system\s+1\s.*deployed", releases, re.MULTILINE)
    pods = [pod["metadata"]["name"] for pod in sandbox.get("pods", "--namespace=volcano-system")]
    # On a machine that reaches no chart a stand-in takes its place, and the summary must have said so.
    stands_in = re.search(r"volcano \S+: STAND-IN, its contents are not tested", up.stdout)
    assert any(name.startswith("volcano-" if stands_in else "volcano-scheduler-") for name in pods), pods


@pytest.mark.usefixtures("up")
def test_the_api_server_refuses_a_job_that_breaks_a_rule(
    sandbox: Sandbox, up: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    example = ROOT / "policies" / "examples" / "job-no-podip-as-master" / "bad-variable.yaml"
    wrong = tmp_path / "job.yaml"
    wrong.write_text(example.read_text().replace("namespace: training", "namespace: team-a"))
    said = sandbox.in_shell(f"kubectl create --dry-run=server -f {wrong} 2>&1 || true")
    assert "takes the master from status.podIP in container 'trainer'" in said
    assert "[job-no-podip-as-master]" in said


def test_plain_pulumi_in_the_shell_sees_the_same_stack(sandbox: Sandbox) -> None:
    output = sandbox.in_shell("pulumi preview --expect-no-changes --non-interactive && pulumi stack output clusterName")
    assert "training-sandbox" in output


@pytest.mark.usefixtures("up")
def test_verify_finds_nothing_wrong_and_names_what_somebody_broke(sandbox: Sandbox) -> None:
    good = sandbox.run("sandbox", "--sandbox", script="verify")
    assert good.returncode == 0, good.stdout
    assert "no pod runs in the sandbox" in good.stdout
    binding = "kubectl patch validatingadmissionpolicybinding workloads-mpi --type=merge -p"
    action = '{"spec":{"validationActions":["%s"]}}'
    sandbox.in_shell(f"{binding} '{action % 'Audit'}'")
    broken = sandbox.run("sandbox", "--sandbox", script="verify")
    sandbox.in_shell(f"{binding} '{action % 'Deny'}'")
    assert broken.returncode == 1
    assert 'ValidatingAdmissionPolicyBinding/workloads-mpi = ["Audit"]' in broken.stdout
    assert "The rule should deny" in broken.stdout


@pytest.mark.usefixtures("up")
def test_status_names_every_process_and_the_stack(sandbox: Sandbox) -> None:
    status = sandbox.run("status").stdout
    for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "companion"):
        assert re.search(rf"^  {name} +healthy, pid \d+$", status, re.MULTILINE), status
    assert re.search(r"'sandbox': \d\d+ resources in the stack", status)


@pytest.mark.usefixtures("up")
def test_a_second_up_changes_nothing(sandbox: Sandbox) -> None:
    again = sandbox.run("up")
    assert again.returncode == 0, again.stdout[-4000:]
    [*_, resources] = re.findall(r"Resources:\n((?: +.*\n)+)", again.stdout)
    assert re.fullmatch(r" +\d+ unchanged\n", resources), resources


@pytest.mark.usefixtures("up")
def test_down_leaves_no_file_no_process_and_no_tracked_change(sandbox: Sandbox, before: list[str]) -> None:
    down = sandbox.run("down")
    assert down.returncode == 0, down.stdout[-4000:]
    [kept] = re.findall(r"^stays   definitions.*$", down.stdout, re.MULTILINE)
    assert "slinky.slurm.net (" in kept
    assert "ray.io (4)" in kept, "a chart of ours keeps its definitions"
    assert not (sandbox.home / "sandbox").exists()
    assert sandbox.processes() == []
    assert "no sandbox" in sandbox.run("status").stdout
    assert list(tracked_changes()) == before


def test_down_without_a_sandbox_says_so_and_ends_well(sandbox: Sandbox) -> None:
    again = sandbox.run("down")
    assert again.returncode == 0
    assert "nothing to do" in again.stdout
