"""`./scripts/drain` against a fake kubectl: what blocks is listed, jobs are waited for, only named things are ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scripts.draining import __main__ as draining
from scripts.draining import promises
from tests.scripts.fake_cluster import FakeCluster, controller, install, job, obj


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.setattr(draining, "LOOK_EVERY_SECONDS", 0.01)
    monkeypatch.setattr(promises, "findings", lambda *_, **__: [])
    return install(tmp_path, monkeypatch)


def drain(cluster: FakeCluster, *options: str) -> Result:
    return CliRunner().invoke(
        draining.app, ["sandbox", "--no-aws", "--kubeconfig", str(cluster.kubeconfig), "--minutes", "0", *options]
    )


def test_an_empty_cluster_is_clear(cluster: FakeCluster) -> None:
    done = drain(cluster)
    assert done.exit_code == 0
    assert "nothing stands in the way" in done.output


def test_a_job_at_work_is_listed_and_nothing_is_changed(cluster: FakeCluster) -> None:
    cluster.objects(job(), obj("CronJob", "nightly", api="batch/v1"))
    done = drain(cluster, "--list")
    assert done.exit_code == 1
    assert "job/team/train: at work" in done.output
    assert "--force job/team/train" in done.output
    assert not cluster.told("patch")
    assert not cluster.told("delete")


def test_a_job_of_the_platform_is_no_work_of_people(cluster: FakeCluster) -> None:
    cluster.objects(job(namespace="kube-system"))
    assert drain(cluster, "--list").exit_code == 0


def test_a_drain_waits_for_a_job_and_says_for_which(cluster: FakeCluster) -> None:
    cluster.objects(job())
    (cluster.folder / "get.later").write_text(json.dumps({"items": [job()]}))
    done = drain(cluster, "--minutes", "0.002")
    assert "waiting for 1: job/team/train" in done.output
    assert done.exit_code == 1


def test_a_drain_ends_well_when_its_job_does(cluster: FakeCluster) -> None:
    cluster.objects(job())
    cluster.objects(later=True)
    assert drain(cluster, "--minutes", "1").exit_code == 0


def test_what_starts_work_is_closed_with_a_mark(cluster: FakeCluster) -> None:
    cluster.objects(
        obj("CronJob", "nightly", api="batch/v1"),
        obj("ClusterQueue", "gpu", namespace=None),
        obj("Queue", "research", api="scheduling.volcano.sh/v1beta1", namespace=None),
    )
    drain(cluster)
    assert cluster.told("patch cronjobs.batch nightly -n team", '"suspend": true', "eks-training-platform/drained")
    assert cluster.told("patch clusterqueues.kueue.x-k8s.io gpu", '"stopPolicy": "Hold"')
    assert json.loads((cluster.folder / "stdin").read_text())["action"] == "CloseQueue"


def test_undo_opens_only_what_carries_the_mark(cluster: FakeCluster) -> None:
    mark = {"annotations": {"eks-training-platform/drained": "true"}}
    cluster.objects(obj("CronJob", "ours", api="batch/v1", meta=mark), obj("CronJob", "theirs", api="batch/v1"))
    assert drain(cluster, "--undo").exit_code == 0
    assert cluster.told("patch cronjobs.batch ours")
    assert not cluster.told("theirs")


def test_jobs_of_slurm_block_and_its_nodes_are_drained(cluster: FakeCluster) -> None:
    cluster.objects(controller())
    cluster.put("squeue", "7|RUNNING|ann|2|1:00|llm\n8|PENDING|bob|1|0:00|next\n")
    cluster.put("sinfo", "gpu-0|mixed|none\ngpu-1|drained|a person said so\n")
    done = drain(cluster)
    assert "slurm/7: 'llm' of ann: running for 1:00 on 2 nodes" in done.output
    assert "slurm/pending: 1 jobs wait and never start: 8" in done.output
    assert cluster.told("scontrol update NodeName=gpu-0 State=DRAIN")
    assert not cluster.told("scancel")


def test_force_cancels_the_slurm_job_that_it_names(cluster: FakeCluster) -> None:
    cluster.objects(controller())
    cluster.put("squeue", "7|RUNNING|ann|2|1:00|llm\n8|RUNNING|bob|1|0:10|other\n")
    drain(cluster, "--force", "slurm/7")
    assert cluster.told("scancel 7")
    assert not cluster.told("scancel 8")


def test_a_silent_slurm_is_not_taken_for_an_idle_one(cluster: FakeCluster) -> None:
    cluster.objects(controller())
    cluster.put("squeue.fails", "slurm_load_jobs error")
    done = drain(cluster, "--list")
    assert done.exit_code == 3
    assert "whether jobs run is not known" in done.output


def test_force_refuses_a_name_that_is_not_there_before_it_does_anything(cluster: FakeCluster) -> None:
    cluster.objects(job(), obj("CronJob", "nightly", api="batch/v1"))
    done = drain(cluster, "--force", "job/team/trian")
    assert done.exit_code == 2
    assert "near it: job/team/train" in done.output
    assert not cluster.told("patch")


def test_force_deletes_the_job_that_it_names_and_no_other(cluster: FakeCluster) -> None:
    cluster.objects(job(), job("other"))
    drain(cluster, "--force", "job/team/train")
    assert cluster.told("delete jobs.batch train -n team")
    assert not cluster.told("delete", "other")


def test_a_volume_of_a_claim_and_a_load_balancer_block(cluster: FakeCluster) -> None:
    volume = obj(
        "PersistentVolume",
        "pv",
        namespace=None,
        meta={"annotations": {"pv.kubernetes.io/provisioned-by": "ebs.csi.aws.com"}},
        spec={"claimRef": {"namespace": "team", "name": "data"}, "csi": {"volumeHandle": "vol-1"}},
    )
    cluster.objects(volume, obj("Service", "web", spec={"type": "LoadBalancer"}))
    done = drain(cluster, "--list", "--json")
    found = {each["name"]: each["level"] for each in json.loads(done.stdout)["findings"]}
    assert found == {"volume/team/data": "blocks", "service/team/web": "blocks"}


def test_no_api_server_is_no_empty_cluster(cluster: FakeCluster) -> None:
    cluster.put("api-resources", "")
    done = drain(cluster)
    assert done.exit_code == 2
    assert "does not answer" in done.output
