"""Checkpoints leave the node."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.s3_durable_only_after_transfer import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy

MOUNT = [{"name": "ckpt", "mountPath": "/ckpt"}]
LABEL, UPLOADER = "eks-training-platform/checkpoints", "eks-training-platform/checkpoint-uploader"
ON_THE_NODE = [{"name": "ckpt", "emptyDir": {}}]


def job(volumes=ON_THE_NODE, *, label="ckpt", uploader=None, sidecars=()):
    found = mpi_job(volumeMounts=MOUNT)
    template = found["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
    template["metadata"] = {"labels": {LABEL: label}, "annotations": {UPLOADER: uploader} if uploader else {}}
    template["spec"]["volumes"] = volumes
    template["spec"]["initContainers"] = list(sidecars)
    return found


def sidecar(**more):
    return {"name": "uploader", "restartPolicy": "Always", "volumeMounts": MOUNT, **more}


def test_a_claim_and_a_pod_without_the_label_pass(check):
    claim = [{"name": "ckpt", "persistentVolumeClaim": {"claimName": "lustre-data"}}]
    assert check(POLICY, MPI_JOB, job(claim)) == []
    assert check(POLICY, MPI_JOB, mpi_job()) == []


def test_an_uploader_that_mounts_the_volume_passes(check):
    assert check(POLICY, MPI_JOB, job(uploader="uploader", sidecars=[sidecar()])) == []


@pytest.mark.parametrize("kind", ["emptyDir", "ephemeral", "hostPath"])
def test_a_volume_of_the_node_alone_is_refused_with_ways_out(check, kind):
    [message] = check(POLICY, MPI_JOB, job([{"name": "ckpt", kind: {}}]))
    assert "MPIJob 'train' writes checkpoints to volume ckpt in spec.mpiReplicaSpecs.Worker.template" in message
    assert "or write to a claim on Lustre" in message


@pytest.mark.parametrize(
    ("uploader", "sidecars"),
    [
        ("uploader", []),
        (None, [sidecar()]),
        ("uploader", [sidecar(volumeMounts=[])]),
        ("uploader", [sidecar(restartPolicy=None)]),
    ],
    ids=["is not there", "is not named", "does not mount it", "ends before the training"],
)
def test_an_uploader_that_cannot_upload_is_refused(check, uploader, sidecars):
    assert len(check(POLICY, MPI_JOB, job(uploader=uploader, sidecars=sidecars))) == 1


def test_a_volume_that_is_not_there_is_refused(check):
    [message] = check(POLICY, MPI_JOB, job(label="other"))
    assert f"is labelled {LABEL}: other and has no volume of that name" in message


def test_a_slurm_node_set_is_judged_too_and_refused(check):
    values = slurm_values()
    node_set = values["values"]["nodesets"]["gpu"]
    node_set["metadata"] = {"labels": {LABEL: "ckpt"}}
    node_set["podSpec"] = {**node_set["podSpec"], "volumes": ON_THE_NODE}
    assert len(check(POLICY, RELEASE, values)) == 1


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check):
    for volumes in (UNKNOWN, [UNKNOWN], [{"name": UNKNOWN}]):
        assert check(POLICY, MPI_JOB, job(volumes)) == []
    assert check(POLICY, MPI_JOB, job(label=UNKNOWN)) == []
    assert check(POLICY, MPI_JOB, job(uploader=UNKNOWN, sidecars=[sidecar()])) == []
    assert check(POLICY, MPI_JOB, job(uploader="uploader", sidecars=[sidecar(volumeMounts=UNKNOWN)])) == []


def test_odd_volumes_pass_without_an_error(check):
    assert len(check(POLICY, MPI_JOB, job(["x", None, 3]))) == 1


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, job(), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
