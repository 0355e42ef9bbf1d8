"""Script, data and compile cache of Neuron jobs."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.neuron_job_inputs_mounted import POLICY
from tests.policy.neuron_samples import NEW_CONTAINER, ODD_PODS, TRAIN, neuron_job, odd_job, pod_of, script
from tests.policy.workload_samples import BUCKET, IMAGE, INDEXED_JOB, MPI_JOB, mpi_job, variables

pytestmark = pytest.mark.policy

SHARED = [{"name": "shared", "mountPath": "/shared"}]


def test_a_job_with_everything_mounted_passes(check):
    assert check(POLICY, INDEXED_JOB, neuron_job(image=NEW_CONTAINER)) == []


def test_a_script_that_nothing_brings_is_refused(check):
    [message] = check(POLICY, INDEXED_JOB, neuron_job(image=NEW_CONTAINER, volumeMounts=SHARED))
    assert "Job 'train' (container 'trainer', spec.template) names /workspace/train_lora.py" in message
    assert "Mount a ConfigMap or a volume there, or build an image that has it." in message


def test_a_script_in_the_working_directory_is_refused(check):
    job = neuron_job(image=NEW_CONTAINER, workingDir="/code", command=["torchrun", "train_lora.py"])
    assert "names /code/train_lora.py" in check(POLICY, INDEXED_JOB, job)[0]


def test_data_that_nothing_brings_is_refused(check):
    job = neuron_job(image=NEW_CONTAINER, command=[*TRAIN, "--train-data=/data/tokens"])
    assert "names /data/tokens" in check(POLICY, INDEXED_JOB, job)[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"image": IMAGE},
        {"command": ["torchrun", "train_lora.py"]},
        {"command": ["torchrun", "/opt/ml/train.py"]},
        {"command": script("git clone https://git.example/x /workspace", " ".join(TRAIN))},
    ],
)
def test_a_script_that_the_image_may_have_or_the_pod_fetches_passes(check, changes):
    job = neuron_job(**{"image": NEW_CONTAINER, "volumeMounts": SHARED, **changes})
    assert check(POLICY, INDEXED_JOB, job) == []


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"NEURON_COMPILE_CACHE_URL": "/nowhere/cache"},
        {"NEURON_CC_FLAGS": "--model-type=transformer --cache_dir=/nowhere/cache"},
    ],
)
def test_a_cache_that_ends_with_the_pod_is_refused(check, env):
    [message] = check(POLICY, INDEXED_JOB, neuron_job(env=variables(env)))
    assert "keeps its compiled graphs in" in message
    assert "Mount a claim there, or set NEURON_COMPILE_CACHE_URL" in message


def test_a_cache_on_an_empty_dir_is_refused(check):
    job = neuron_job()
    pod_of(job)["volumes"][0] = {"name": "shared", "emptyDir": {}}
    assert "/shared/neuron-cache, which ends with the pod" in check(POLICY, INDEXED_JOB, job)[0]


@pytest.mark.parametrize(
    "env",
    [
        {"NEURON_COMPILE_CACHE_URL": "s3://bucket/cache"},
        {"NEURON_CC_FLAGS": "--cache_dir=/shared/cache"},
        {"NEURON_COMPILE_CACHE_URL": {"configMapKeyRef": {"name": "x", "key": "y"}}},
        {"NEURON_CC_FLAGS": {"configMapKeyRef": {"name": "x", "key": "y"}}},
    ],
)
def test_a_cache_that_outlives_the_pod_passes(check, env):
    assert check(POLICY, INDEXED_JOB, neuron_job(env=variables(env))) == []


def test_a_preview_that_does_not_know_where_the_cache_or_the_mounts_are_passes(check):
    assert check(POLICY, INDEXED_JOB, neuron_job(env=variables({"NEURON_COMPILE_CACHE_URL": UNKNOWN}))) == []
    assert check(POLICY, INDEXED_JOB, neuron_job(env=variables({"NEURON_CC_FLAGS": UNKNOWN}))) == []
    mounted = [{"name": "shared", "mountPath": UNKNOWN}]
    assert check(POLICY, INDEXED_JOB, neuron_job(image=NEW_CONTAINER, volumeMounts=mounted)) == []
    assert check(POLICY, INDEXED_JOB, neuron_job(image=NEW_CONTAINER, volumeMounts=UNKNOWN)) == []


@pytest.mark.parametrize("odd", ODD_PODS)
def test_an_odd_pod_passes(check, odd):
    assert check(POLICY, INDEXED_JOB, odd_job(odd)) == ["not applicable"]


@pytest.mark.parametrize("odd", [None, 7, "x", [None], [7], {}, [{"mountPath": 7}]])
def test_odd_mounts_and_variables_bring_nothing_and_are_refused(check, odd):
    found = check(POLICY, INDEXED_JOB, neuron_job(image=NEW_CONTAINER, volumeMounts=odd, env=odd))
    assert len(found) == 2


def test_gpus_and_pods_that_launch_nothing_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]
    assert check(POLICY, INDEXED_JOB, neuron_job(command=["neuron-ls"])) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, neuron_job(env=[]), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
