"""Jobs that only compile."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.neuron_job_trains_after_compiling import POLICY
from tests.policy.neuron_samples import ODD_PODS, TRAIN, neuron_job, odd_job, pod_of, script
from tests.policy.workload_samples import BUCKET, INDEXED_JOB

pytestmark = pytest.mark.policy

COMPILE = ["neuron_parallel_compile", *TRAIN]
LABEL = {"eks-training-platform/step": "precompile"}


def test_a_training_passes(check):
    assert check(POLICY, INDEXED_JOB, neuron_job()) == []


@pytest.mark.parametrize(
    "command",
    [
        COMPILE,
        script("neuron_parallel_compile torchrun train.py", "python evaluate.py"),
        script("neuron_parallel_compile torchrun train.py", "# torchrun train.py"),
        ["python", "-m", "torch_neuronx.parallel_compile.neuron_parallel_compile", "torchrun", "train.py"],
        script("neuron_parallel_compile \\", "  torchrun train.py"),
    ],
)
def test_a_job_that_only_compiles_is_refused(check, command):
    [message] = check(POLICY, INDEXED_JOB, neuron_job(command=command))
    assert "Job 'train' runs neuron_parallel_compile (spec.template) and trains nothing" in message
    assert "Label it eks-training-platform/step: precompile and train in a second Job, or take" in message


def test_one_that_says_so_passes(check):
    job = neuron_job(command=COMPILE)
    job["metadata"]["labels"] = LABEL
    assert check(POLICY, INDEXED_JOB, job) == []
    job = neuron_job(command=COMPILE)
    job["spec"]["template"]["metadata"] = {"labels": LABEL}
    assert check(POLICY, INDEXED_JOB, job) == []


def test_one_that_says_another_step_is_refused(check):
    job = neuron_job(command=COMPILE)
    job["metadata"]["labels"] = {"eks-training-platform/step": "train"}
    assert len(check(POLICY, INDEXED_JOB, job)) == 1


def test_one_that_trains_afterwards_passes(check):
    together = script("neuron_parallel_compile torchrun train.py --max-steps=10", "torchrun train.py")
    assert check(POLICY, INDEXED_JOB, neuron_job(command=together)) == []
    job = neuron_job()
    pod_of(job)["initContainers"] = [{"name": "graphs", "command": COMPILE}]
    assert check(POLICY, INDEXED_JOB, job) == []


def test_removing_stale_locks_compiles_nothing_and_passes(check):
    command = script("neuron_parallel_compile --command clear-locks", "torchrun train.py")
    assert check(POLICY, INDEXED_JOB, neuron_job(command=command)) == []


def test_a_preview_that_does_not_know_the_label_passes(check):
    job = neuron_job(command=COMPILE)
    job["metadata"]["labels"] = {"eks-training-platform/step": UNKNOWN}
    assert check(POLICY, INDEXED_JOB, job) == []
    assert check(POLICY, INDEXED_JOB, neuron_job(command=[UNKNOWN, "train.py"])) == []


@pytest.mark.parametrize("odd", ODD_PODS)
def test_an_odd_pod_passes(check, odd):
    assert check(POLICY, INDEXED_JOB, odd_job(odd)) in ([], ["not applicable"])


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, neuron_job(command=COMPILE), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
