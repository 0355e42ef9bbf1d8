"""No invented checkpoint manager."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.ckpt_no_imaginary_manager import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


@pytest.mark.parametrize("image", ["registry.example/trainer:1", "example.com/checkpoint-manager-ui:2.0.1"])
def test_another_image_passes(check, image):
    assert check(POLICY, MPI_JOB, mpi_job(image=image)) == []


@pytest.mark.parametrize("image", ["checkpoint-manager", "a/checkpoint-manager:latest", "checkpoint-manager@sha256:0"])
def test_the_invented_image_is_refused_with_ways_out(check, image):
    [message] = check(POLICY, MPI_JOB, mpi_job(image=image))
    assert f"MPIJob 'train' runs {image} in container 'worker'" in message
    assert "Save and resume in the trainer, or run an uploader" in message


def test_so_is_a_sidecar_of_a_slurm_node_set_and_it_is_refused(check):
    values = slurm_values()
    values["values"]["nodesets"]["gpu"]["podSpec"]["containers"] = [{"name": "c", "image": "checkpoint-manager:1"}]
    [message] = check(POLICY, RELEASE, values)
    assert "Release 'slurm' runs checkpoint-manager:1 in container 'c' (nodesets.gpu)" in message


@pytest.mark.parametrize("key", ["auto_resume", "AUTO_RESUME", "autoResume", "auto-resume"])
def test_a_setting_that_nothing_reads_is_refused(check, key):
    [message] = check(POLICY, CONFIG_MAP, {"metadata": {"name": "auto"}, "data": {key: "true", "steps": "5"}})
    assert f"ConfigMap 'auto' has the key {key}" in message


def test_other_settings_pass(check):
    assert check(POLICY, CONFIG_MAP, {"metadata": {"name": "a"}, "data": {"resume_from": "newest"}}) == []
    assert check(POLICY, CONFIG_MAP, {"metadata": {"name": "a"}}) == []


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check):
    assert check(POLICY, MPI_JOB, mpi_job(image=UNKNOWN)) == []
    assert check(POLICY, CONFIG_MAP, {"data": UNKNOWN}) == []
    assert len(check(POLICY, CONFIG_MAP, {"data": {"auto_resume": UNKNOWN}})) == 1


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:Service", {"data": {"auto_resume": "x"}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, mpi_job(image="checkpoint-manager"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
