"""What follows a lost pod."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.volcano_restart_requeue_policy import POLICY
from tests.policy.gang_samples import VOLCANO_JOB, volcano_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB

pytestmark = pytest.mark.policy

EVICTED, FAILED = {"event": "PodEvicted", "action": "RestartJob"}, {"event": "PodFailed", "action": "RestartJob"}


@pytest.mark.parametrize("policies", [[EVICTED, FAILED], [{"event": "*", "action": "RestartJob"}]])
def test_a_choice_for_both_events_passes(check, policies):
    assert check(POLICY, VOLCANO_JOB, volcano_job(policies=policies)) == []


def test_choices_of_the_task_pass(check):
    job = volcano_job(policies=[EVICTED])
    job["spec"]["tasks"][0]["policies"] = [FAILED]
    assert check(POLICY, VOLCANO_JOB, job) == []


@pytest.mark.parametrize("policies", [None, [], {}, [None], [{"exitCode": 3, "action": "RestartJob"}]])
def test_nothing_said_is_refused_for_both_events(check, policies):
    messages = check(POLICY, VOLCANO_JOB, volcano_job(policies=policies))
    assert [
        f"Job 'train' says nothing about the event {event}" in message
        for event, message in zip(("PodEvicted", "PodFailed"), messages, strict=True)
    ] == [True, True]
    assert "action: RestartJob}], a maxRetry and a resume from the checkpoint, or choose another" in messages[0]


def test_one_event_is_not_both_and_refused(check):
    [message] = check(POLICY, VOLCANO_JOB, volcano_job(policies=[EVICTED]))
    assert "says nothing about the event PodFailed" in message


def test_a_restart_that_an_eviction_never_reaches_is_refused(check):
    ends = {"event": "PodFailed", "action": "TerminateJob"}
    [message] = check(POLICY, VOLCANO_JOB, volcano_job(policies=[EVICTED, ends]))
    assert "Job 'train' restarts on PodEvicted and says TerminateJob on PodFailed" in message
    assert "Give both events RestartJob, or end the job by exitCode only." in message


def test_an_end_by_exit_code_passes(check):
    policies = [EVICTED, FAILED, {"exitCode": 3, "action": "TerminateJob"}]
    assert check(POLICY, VOLCANO_JOB, volcano_job(policies=policies)) == []


def test_a_preview_that_does_not_know_the_policies_passes(check):
    assert check(POLICY, VOLCANO_JOB, volcano_job(policies=UNKNOWN)) == []


def test_other_jobs_are_not_its_business(check):
    for type_ in (BUCKET, INDEXED_JOB):
        assert check(POLICY, type_, {"spec": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(VOLCANO_JOB, volcano_job(policies=[EVICTED]), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
