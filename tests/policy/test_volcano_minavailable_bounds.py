"""minAvailable counts the pods of the job."""

import re

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from policies import volcano_jobs
from policies.rules.volcano_minavailable_bounds import POLICY
from tests.policy.gang_samples import VOLCANO_JOB, volcano_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, devices
from tests.support import ROOT

pytestmark = pytest.mark.policy


def small_pods(replicas, least, gpus):
    job = volcano_job(replicas=replicas, minAvailable=least)
    job["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["resources"] = devices(gpu=gpus)
    return job


@pytest.mark.parametrize("least", [4, "4", 4.0, None, 0])
def test_a_gang_of_all_pods_passes(check, least):
    assert check(POLICY, VOLCANO_JOB, volcano_job(minAvailable=least)) == []


@pytest.mark.parametrize(("replicas", "least"), [(3, 4), ("3", "4"), (3.0, 4.0)])
def test_more_than_the_pods_is_refused(check, replicas, least):
    [message] = check(POLICY, VOLCANO_JOB, volcano_job(replicas=replicas, minAvailable=least))
    assert "Job 'train' waits for minAvailable 4 and its tasks make 3 pods" in message
    assert "Set minAvailable to 3, or raise the tasks' replicas." in message


def test_the_number_of_accelerators_is_refused_and_named(check):
    [message] = check(POLICY, VOLCANO_JOB, volcano_job(minAvailable=32))
    assert "(their accelerators, and minAvailable counts pods)" in message


def test_the_number_of_nodes_is_refused_and_named(check):
    [message] = check(POLICY, VOLCANO_JOB, small_pods(replicas=4, least=2, gpus=4))
    assert "starts with minAvailable 2 of 4 pods (2 is the number of nodes that they may fill" in message


def test_less_than_the_pods_of_a_fixed_launcher_is_refused(check):
    [message] = check(POLICY, VOLCANO_JOB, volcano_job(minAvailable=2))
    assert "Job 'train' starts with minAvailable 2 of 4 pods: its launcher waits for all of them" in message
    assert "Set minAvailable to 4, or use an elastic launcher (torchrun --nnodes=2:4)" in message


def test_less_by_the_sum_of_the_tasks_is_refused_too(check):
    job = volcano_job(minAvailable=None)
    job["spec"]["tasks"][0]["minAvailable"] = 2
    assert len(check(POLICY, VOLCANO_JOB, job)) == 1


@pytest.mark.parametrize("command", ["torchrun --nnodes=2:4 train.py", "torchrun --nnodes 2:4 train.py", "ray start"])
def test_less_with_an_elastic_launcher_passes(check, command):
    assert check(POLICY, VOLCANO_JOB, volcano_job(command=command, minAvailable=2)) == []


def test_less_with_a_note_about_the_runtime_passes(check):
    job = volcano_job(command="/opt/train.sh", minAvailable=2)
    job["metadata"]["annotations"] = {volcano_jobs.ELASTIC: "torchrun 2 to 4"}
    assert check(POLICY, VOLCANO_JOB, job) == []


def test_independent_pieces_without_accelerators_pass(check):
    job = small_pods(replicas=100, least=1, gpus=0)
    job["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["command"] = ["python", "tokenize.py"]
    assert check(POLICY, VOLCANO_JOB, job) == []


def test_a_master_that_waits_for_its_workers_is_not_of_the_gang_and_passes(check):
    job = volcano_job()
    job["spec"]["tasks"].append({"name": "master", "replicas": 1, "dependsOn": {"name": ["worker"]}})
    assert check(POLICY, VOLCANO_JOB, job) == []


@pytest.mark.parametrize("job", [volcano_job(minAvailable=UNKNOWN), volcano_job(replicas=UNKNOWN)])
def test_a_preview_that_does_not_know_a_number_says_so(check, job):
    with pytest.raises(UnknownValueError):
        check(POLICY, VOLCANO_JOB, job)


@pytest.mark.parametrize("spec", [None, [], {"tasks": {}}, {"tasks": [None, {"replicas": "x", "template": []}]}])
def test_an_object_of_odd_shape_passes(check, spec):
    assert check(POLICY, VOLCANO_JOB, {"metadata": {"name": "train"}, "spec": spec}) == []


def test_other_jobs_are_not_its_business(check):
    for type_ in (BUCKET, INDEXED_JOB):
        assert check(POLICY, type_, {"spec": {"minAvailable": 9}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(VOLCANO_JOB, volcano_job(minAvailable=5), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY


@pytest.mark.parametrize("name", ["LAUNCHES", "RANGE"])
def test_the_api_server_reads_commands_by_the_same_patterns(name):
    text = (ROOT / "policies" / "admission" / "rules" / "workloads-volcano.yaml").read_text(encoding="utf-8")
    pattern = getattr(volcano_jobs, name)
    assert f"r'''{pattern}'''" in text
    re.compile(pattern)
