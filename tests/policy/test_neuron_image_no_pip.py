"""Packages on top of old Neuron containers."""

import pytest
import yaml
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.neuron import TRAINING_SDK
from policies.constraints import ADMISSION
from policies.neuron_jobs import sdk_of
from policies.rules.neuron_image_no_pip import POLICY
from tests.policy.neuron_samples import NEW_CONTAINER, ODD_PODS, OLD_CONTAINER, neuron_job, odd_job, script
from tests.policy.workload_samples import BUCKET, IMAGE, INDEXED_JOB

pytestmark = pytest.mark.policy


@pytest.mark.parametrize(
    "install",
    [
        ["pip", "install", "optimum-neuron"],
        ["python3", "-m", "pip", "--quiet", "install", "optimum-neuron"],
        script("set -e", "pip3.10 install optimum-neuron && torchrun train.py"),
        script("uv pip install optimum-neuron"),
        script("pip \\", "  install optimum-neuron"),
        script("conda install -y transformers"),
    ],
)
def test_packages_on_top_of_an_old_container_are_refused(check, install):
    [message] = check(POLICY, INDEXED_JOB, neuron_job(image=OLD_CONTAINER, command=install))
    assert "Job 'train' installs packages in container 'trainer' (spec.template)" in message
    assert "the container of Neuron SDK 2.18" in message
    assert "Build an image for SDK 2.31.0 with everything in it, or run the container as it is." in message


@pytest.mark.parametrize("image", [IMAGE, NEW_CONTAINER])
def test_another_image_passes(check, image):
    assert check(POLICY, INDEXED_JOB, neuron_job(image=image, command=["pip", "install", "x"])) == []


@pytest.mark.parametrize(
    "line", ["torchrun train.py", "# pip install x", "pip list | grep install", "pip -V; ./install"]
)
def test_an_old_container_that_installs_nothing_passes(check, line):
    assert check(POLICY, INDEXED_JOB, neuron_job(image=OLD_CONTAINER, command=script(line))) == []


def test_a_digest_after_the_tag_hides_nothing_and_is_refused(check):
    job = neuron_job(image=f"{OLD_CONTAINER}@sha256:{'a' * 64}", command=["pip", "install", "x"])
    assert len(check(POLICY, INDEXED_JOB, job)) == 1


def test_a_preview_that_does_not_know_image_or_command_passes(check):
    assert check(POLICY, INDEXED_JOB, neuron_job(image=UNKNOWN, command=["pip", "install", "x"])) == []
    assert check(POLICY, INDEXED_JOB, neuron_job(image=OLD_CONTAINER, command=UNKNOWN)) == []


def test_a_preview_that_does_not_know_one_word_still_sees_the_others(check):
    assert len(check(POLICY, INDEXED_JOB, neuron_job(image=OLD_CONTAINER, command=["pip", "install", UNKNOWN]))) == 1


@pytest.mark.parametrize(
    ("image", "sdk"), [(OLD_CONTAINER, "2.18"), (NEW_CONTAINER, "2.31"), ("registry.example/sdk2.18", None), ("", None)]
)
def test_the_sdk_is_read_from_the_tag_of_a_neuron_container(image, sdk):
    assert sdk_of(image) == sdk


def test_the_api_server_is_told_the_same_sdk():
    policy = next(yaml.safe_load_all((ADMISSION / "workloads-neuron.yaml").read_text(encoding="utf-8")))
    [lifted] = [each["expression"] for each in policy["spec"]["variables"] if each["name"] == "lifted"]
    assert TRAINING_SDK.startswith("2.31.")
    assert "2[.]([0-9]|[12][0-9]|30)([^0-9]|$)" in lifted


@pytest.mark.parametrize("odd", ODD_PODS)
def test_an_odd_pod_passes(check, odd):
    assert check(POLICY, INDEXED_JOB, odd_job(odd)) in ([], ["not applicable"])


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    job = neuron_job(image=OLD_CONTAINER, command=["pip", "install", "x"])
    found = analyzer.analyze(INDEXED_JOB, job, "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
