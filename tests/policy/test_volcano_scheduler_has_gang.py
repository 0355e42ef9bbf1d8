"""Gangs are scheduled by Volcano, with the plugin gang."""

import json

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from components.platform.volcano_values import volcano_values
from policies.rules.volcano_scheduler_has_gang import POLICY
from stacks.volcano import VolcanoSpec
from tests.policy.gang_samples import VOLCANO_JOB, volcano_job
from tests.policy.workload_samples import BUCKET, RELEASE

pytestmark = pytest.mark.policy

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def release(override):
    return {"name": "volcano", "values": {"custom": {"scheduler_config_override": override}}}


def tiers(*plugins):
    return json.dumps({"actions": "allocate", "tiers": [{"plugins": list(plugins)}]})


@pytest.mark.parametrize("name", ["volcano", None, ""])
def test_volcanos_scheduler_said_or_by_default_passes(check, name):
    assert check(POLICY, VOLCANO_JOB, volcano_job(schedulerName=name)) == []


def test_another_scheduler_is_refused(check):
    [message] = check(POLICY, VOLCANO_JOB, volcano_job(schedulerName="default-scheduler"))
    assert "Job 'train' names schedulerName default-scheduler" in message
    assert "Write schedulerName: volcano, or leave it out" in message


def test_another_scheduler_of_the_pods_is_refused(check):
    job = volcano_job()
    job["spec"]["tasks"][0]["template"]["spec"]["schedulerName"] = "my-scheduler"
    [message] = check(POLICY, VOLCANO_JOB, job)
    assert "names schedulerName my-scheduler" in message


def test_our_own_release_passes(check):
    assert check(POLICY, RELEASE, {"name": "volcano", "values": volcano_values(VolcanoSpec(), None)}) == []


@pytest.mark.parametrize("override", [tiers({"name": "priority"}), "actions: allocate", "[]", "text"])
def test_a_configuration_without_the_plugin_is_refused(check, override):
    [message] = check(POLICY, RELEASE, release(override))
    assert "Release 'volcano' configures Volcano's scheduler without the plugin gang" in message
    assert ", or remove the override" in message


@pytest.mark.parametrize("value", [False, "false"])
def test_a_plugin_that_holds_nothing_back_is_refused(check, value):
    assert len(check(POLICY, RELEASE, release(tiers({"name": "gang", "enableJobReady": value})))) == 1


def test_the_scheduler_s_config_map_is_refused_too(check):
    config = {"metadata": {"name": "volcano-scheduler-configmap"}, "data": {"volcano-scheduler.conf": tiers()}}
    [message] = check(POLICY, CONFIG_MAP, config)
    assert "ConfigMap 'volcano-scheduler-configmap' configures" in message


@pytest.mark.parametrize("override", ["", "tiers: [", tiers({"name": "gang"})])
def test_what_is_no_other_configuration_passes(check, override):
    assert check(POLICY, RELEASE, release(override)) in ([], ["not applicable"])


def test_a_preview_that_does_not_know_the_configuration_says_so(check):
    with pytest.raises(UnknownValueError):
        check(POLICY, RELEASE, release(UNKNOWN))
    assert check(POLICY, VOLCANO_JOB, volcano_job(schedulerName=UNKNOWN)) == []


def test_other_objects_are_not_its_business(check):
    for type_, props in ((BUCKET, {}), (CONFIG_MAP, {"metadata": {"name": "other"}}), (RELEASE, {"values": {}})):
        assert check(POLICY, type_, props) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(VOLCANO_JOB, volcano_job(schedulerName="x"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
