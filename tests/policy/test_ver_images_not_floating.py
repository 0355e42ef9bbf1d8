"""Images and tags that move."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.image_tags import moves
from policies.rules.ver_images_not_floating import POLICY
from tests.policy.workload_samples import BUCKET, IMAGE, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy

FLOATING = [
    "nginx",
    "registry.example:5000/trainer",
    "trainer:latest",
    "a.io/b/c:latest-gpu",
    "trainer:stable",
    "trainer:nightly-py3.12",
    "trainer:main",
    "operator:main-latest",
    "trainer:production",
    "ubuntu:noble",
]
EXACT = [
    IMAGE,
    "trainer:latest@sha256:" + "a" * 64,
    "trainer:2.14.0",
    "registry.example:5000/trainer:1.4.2",
    "ghcr.io/slinkyproject/slurmctld:26.05-ubuntu26.04",
    "trainer:v1",
    "trainer:1234",
    "trainer:main-3f2c1a9",
    "trainer:nightly-2026-11-01",
    "trainer:dev-1.2.3",
    "trainer:3f2c1a9",
]


@pytest.mark.parametrize("image", EXACT)
def test_an_exact_image_passes(check, image):
    assert not moves(image)
    assert check(POLICY, MPI_JOB, mpi_job(image=image)) == []


@pytest.mark.parametrize("image", FLOATING)
def test_a_floating_image_is_refused(check, image):
    assert moves(image)
    [message] = check(POLICY, MPI_JOB, mpi_job(image=image))
    assert f"MPIJob 'train' takes {image} (spec.mpiReplicaSpecs.Worker.template.spec.containers[0].image)" in message
    assert "Name an exact version, or pin the image by its digest." in message


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"image": {"repository": "a/b", "tag": "latest"}}, "latest (image.tag)"),
        ({"basic": {"image_tag_version": "latest"}}, "latest (basic.image_tag_version)"),
        ({"imageTag": "main"}, "main (imageTag)"),
        ({"sidecarImage": "a/b:latest"}, "a/b:latest (sidecarImage)"),
        ({"extraContainers": [{"name": "x", "image": "a/b"}]}, "a/b (extraContainers[0].image)"),
        ({"profiles": [{"kubespawner_override": {"image": "a/b"}}]}, "a/b (profiles[0].kubespawner_override.image)"),
    ],
)
def test_a_floating_tag_in_values_is_refused(check, values, said):
    [message] = check(POLICY, RELEASE, slurm_values(**values))
    assert f"Release 'slurm' takes {said}" in message


@pytest.mark.parametrize(
    "values",
    [
        {"image": {"repository": "a/b"}},
        {"image": {"repository": "a/b", "tag": ""}},
        {"image": {"repository": "a/b", "tag": "latest", "digest": "sha256:" + "a" * 64}},
        {"image": {"name": "a/b", "tag": "4.4.0"}},
        {"driver": {"repository": "nvcr.io/nvidia", "image": "driver", "version": "580.1"}},
        {"operator": {"image": "a/b", "imageTag": "v1.2.3"}},
        {"image": "a/b"},
    ],
)
def test_a_part_of_a_reference_that_the_chart_completes_passes(check, values):
    assert check(POLICY, RELEASE, slurm_values(**values)) == []


def test_images_of_other_objects_are_refused_too(check):
    controller = {"metadata": {"name": "slurm"}, "spec": {"slurmctld": {"image": "a/slurmctld:latest"}}}
    [message] = check(POLICY, "kubernetes:slinky.slurm.net/v1beta1:Controller", controller)
    assert "Controller 'slurm' takes a/slurmctld:latest (spec.slurmctld.image)" in message


def test_a_preview_that_does_not_know_the_image_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job(image=UNKNOWN)) == []
    assert check(POLICY, RELEASE, slurm_values(image={"repository": UNKNOWN, "tag": UNKNOWN})) == []
    assert check(POLICY, RELEASE, slurm_values(image={"tag": "latest", "digest": UNKNOWN})) == []


@pytest.mark.parametrize("odd", [None, [], 7, True, {}, [None], {"x": 1}])
def test_an_odd_image_passes(check, odd):
    assert check(POLICY, MPI_JOB, mpi_job(image=odd)) == []
    assert check(POLICY, RELEASE, slurm_values(image=odd, tag=odd)) == []


@pytest.mark.parametrize("kind", ["core/v1:ConfigMap", "core/v1:Secret"])
def test_what_holds_no_images_is_not_its_business(check, kind):
    assert check(POLICY, f"kubernetes:{kind}", {"data": {"image": "x:latest"}}) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, mpi_job(image="trainer:latest"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
