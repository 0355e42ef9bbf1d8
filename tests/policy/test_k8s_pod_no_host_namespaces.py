"""Namespaces of the node."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.pod_privileges import HOST_NAMESPACES
from policies.rules.k8s_pod_no_host_namespaces import POLICY
from tests.policy.job_samples import indexed_job
from tests.policy.workload_samples import BUCKET, INDEXED_JOB, RELEASE

pytestmark = pytest.mark.policy


def job(**pod):
    made = indexed_job()
    made["spec"]["template"]["spec"].update(pod)
    return made


def test_a_job_in_namespaces_of_its_own_passes(check):
    assert check(POLICY, INDEXED_JOB, job(hostNetwork=False)) == []


@pytest.mark.parametrize("key", HOST_NAMESPACES)
@pytest.mark.parametrize("value", [True, "true"])
def test_a_namespace_of_the_node_is_refused_with_ways_out(check, key, value):
    [message] = check(POLICY, INDEXED_JOB, job(**{key: value}))
    assert f"Job 'train' sets {key}" in message
    assert ", or run what watches nodes" in message


def test_the_values_of_a_release_are_judged_too_and_refused(check):
    values = {"agent": {"hostNetwork": True}}
    assert len(check(POLICY, RELEASE, {"name": "tools", "values": values})) == 1
    assert check(POLICY, RELEASE, {"name": "kube-prometheus-stack", "values": values}) == ["not applicable"]


def test_a_preview_that_does_not_know_passes(check):
    assert check(POLICY, INDEXED_JOB, job(hostNetwork=UNKNOWN)) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(INDEXED_JOB, job(hostPID=True), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
