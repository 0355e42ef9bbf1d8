"""`./scripts/verify ENV --bandwidth POOL`: the job, what its log proves, and that nothing of it stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from components.catalog.collectives import FLOORS
from components.catalog.images import NCCL_TESTS
from components.catalog.instance_types import INSTANCE_TYPES
from scripts.findings import Finding, Level
from scripts.verifying import __main__ as verifying
from scripts.verifying import bandwidth
from scripts.verifying.bandwidth_job import default_image, job, world
from scripts.verifying.bandwidth_log import Bandwidth, read
from stacks.node_pools import NodePool
from tests.scripts.collective_logs import NEURON, nccl
from tests.scripts.fake_cluster import FakeCluster, install
from tests.scripts.working_cluster import environment


def pool(instance_type: str = "p5.48xlarge", **fields: Any) -> NodePool:
    efa = {"efa": "static", "placementGroup": "create"} if INSTANCE_TYPES[instance_type].has_efa else {}
    common = {"name": "p5", "zone": "us-west-2b", "nodes": {"max": 4}}
    return NodePool.model_validate({**common, "instanceType": instance_type, **efa, **fields})


def judged(log: str, of: NodePool | None = None) -> list[Finding]:
    return list(Bandwidth().judge(of or pool(), read(log), log))


def test_a_good_measurement_says_its_number_and_the_floor() -> None:
    (finding,) = judged(nccl())
    assert finding.level is Level.NOTE
    assert finding.seen == "480.5 GB/s bus bandwidth, all-reduce of 17179869184 bytes over 2 nodes"
    assert finding.reason == "At least 300 GB/s, as it should be."


def test_less_than_the_floor_of_the_type_fails_and_names_the_source() -> None:
    (finding,) = judged(nccl(busbw=210))
    assert finding.level is Level.ERROR
    assert "A p5.48xlarge shows at least 300 GB/s (NVIDIA/aicr" in finding.reason
    assert finding.constraints == ("efa-bandwidth-not-universal",)


def test_a_type_without_a_sourced_floor_only_reports() -> None:
    assert "p4d.24xlarge" not in FLOORS
    (finding,) = judged(nccl(busbw=1), pool("p4d.24xlarge"))
    assert finding.level is Level.NOTE
    assert "No source gives a floor for p4d.24xlarge; its wires carry 50 GB/s each way" in finding.reason


def test_traffic_over_tcp_fails_however_fast_it_is() -> None:
    (finding, _) = judged(nccl(network="Socket"))
    assert finding.level is Level.ERROR
    assert finding.seen == "Using network Socket"
    assert finding.constraints == ("efa-transport-proven",)


def test_a_log_that_names_no_network_proves_none() -> None:
    (finding, _) = judged(nccl().replace("Using network", "Took"))
    assert finding.seen == "Using network (not said)"


def test_a_pool_without_efa_may_take_tcp() -> None:
    (finding,) = judged(nccl(network="Socket"), pool(efa="off", placementGroup="none"))
    assert "GB/s" in str(finding.seen)


def test_ranks_that_share_a_host_are_counted_where_they_ran() -> None:
    (finding, _) = judged(nccl(hosts=("w-0", "w-0")))
    assert finding.seen == {"w-0": 16}
    assert finding.constraints == ("mpi-world-size-proved",)


def test_a_wrong_sum_fails() -> None:
    assert [each.level for each in judged(nccl(wrong="3"))] == [Level.ERROR, Level.NOTE]
    assert judged(nccl(wrong="3"))[0].seen == "3 wrong values"


def test_a_log_without_a_table_is_no_measurement_and_its_end_is_shown() -> None:
    (finding,) = judged("one\nNCCL WARN Cuda failure 'invalid argument'\n")
    assert finding.level is Level.ERROR
    assert "Cuda failure" in str(finding.seen)


def test_neurons_table_is_read_too() -> None:
    (finding,) = judged(NEURON, pool("trn1.32xlarge"))
    assert finding.seen == "76.44 GB/s bus bandwidth, all-reduce of 2147483648 bytes over 2 nodes"


def test_every_floor_is_of_a_type_of_the_catalog_and_below_no_wire_of_it() -> None:
    for name, floor in FLOORS.items():
        assert floor.gb_per_s <= INSTANCE_TYPES[name].network_gbps / 8
        assert floor.source


@pytest.mark.parametrize("name", [name for name, facts in INSTANCE_TYPES.items() if facts.is_accelerated])
def test_the_job_takes_two_whole_nodes_of_every_type(name: str) -> None:
    made = job(pool(name), "image:1")
    worker = made["spec"]["mpiReplicaSpecs"]["Worker"]
    (container,) = worker["template"]["spec"]["containers"]
    facts = INSTANCE_TYPES[name]
    assert worker["replicas"] == 2
    assert container["resources"]["limits"][facts.accelerator_resource] == str(facts.accelerator_count)
    assert container["resources"]["limits"].get("vpc.amazonaws.com/efa") == (
        str(facts.efa_interfaces) if facts.has_efa else None
    )
    command = " ".join(made["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["command"])
    assert f" -np {world(pool(name))} " in command or f" -r {world(pool(name))} " in command
    assert made["spec"]["slotsPerWorker"] * 2 == world(pool(name))


def test_the_image_comes_through_the_mirror() -> None:
    assert default_image(pool(), "mirror.example/x") == f"mirror.example/x/hpc-cloud/nccl-tests:{NCCL_TESTS.version}"


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.setattr(bandwidth, "LOOK_EVERY_SECONDS", 0.01)
    return install(tmp_path, monkeypatch)


def verify(cluster: FakeCluster, *options: str) -> Result:
    return CliRunner().invoke(verifying.app, ["dev", "--kubeconfig", str(cluster.kubeconfig), *options])


def answered(cluster: FakeCluster, kind: str, log: str) -> None:
    """The job ends at the second look."""
    cluster.put("get", json.dumps({"status": {"replicaStatuses": {"Worker": {"active": 2}}}}))
    cluster.put("get.later", json.dumps({"items": [], "status": {"conditions": [{"type": kind, "status": "True"}]}}))
    cluster.put("logs", log)


def test_the_job_is_started_waited_for_read_and_taken_away(cluster: FakeCluster) -> None:
    answered(cluster, "Succeeded", nccl())
    done = verify(cluster, "--bandwidth", "p5")
    assert "480.5 GB/s" in done.output
    assert "Worker 2 active" in done.output
    verbs = [call.split()[2] for call in cluster.calls if "verify-bandwidth" in call or "create" in call]
    assert verbs == ["create", "create", "get", "get", "logs", "delete"]
    assert json.loads((cluster.folder / "stdin").read_text())["kind"] == "MPIJob"


def test_a_job_that_does_not_end_is_told_and_taken_away(cluster: FakeCluster) -> None:
    cluster.put("get", json.dumps({"items": []}))
    cluster.put("logs.fails", "container is waiting")
    done = verify(cluster, "--bandwidth", "p5", "--minutes", "0")
    assert done.exit_code == 1
    assert "not ended after 0 min" in done.output
    assert cluster.told("delete namespace verify-bandwidth")


@pytest.mark.parametrize(
    ("stack", "name", "message"),
    [
        ("dev", "p6", "there is no pool 'p6'; there are p5, trn1"),
        ("dev", "trn1", "no public image with nccom-test and sshd is known"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is_made(
    cluster: FakeCluster, stack: str, name: str, message: str
) -> None:
    done = verify(cluster, "--bandwidth", name)
    assert done.exit_code == 2
    assert message in done.output
    assert not cluster.told("create")


def test_without_the_mpi_operator_or_a_second_node_both_are_said() -> None:
    spec = environment(
        platform={"volcano": {}},
        nodePools=[{**pool().model_dump(by_alias=True, exclude_unset=True), "nodes": {"max": 1}}],
    )
    settings = bandwidth.Settings(pool="p5", image=None, seconds=1)
    with pytest.raises(bandwidth.ReachError, match=r"platform.mpiOperator is off.*at most 1 node"):
        bandwidth.measure(None, spec, settings, print)  # type: ignore[arg-type]
