"""Services that face the internet."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.sec_services_not_public import POLICY
from policies.sec_exposure import EXCEPTION, OLD_SCHEME, SCHEME
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy

SERVICE, LOGIN_SET = "kubernetes:core/v1:Service", "kubernetes:slinky.slurm.net/v1beta1:LoginSet"
PUBLIC = {"spec": {"type": "LoadBalancer"}}


def service(annotations=None, type_="LoadBalancer"):
    return {"metadata": {"name": "login", "annotations": annotations}, "spec": {"type": type_}}


def internal(**annotations):
    return {"metadata": {"annotations": annotations or {SCHEME: "internal"}}, "spec": {"type": "LoadBalancer"}}


def login_set(made=None):
    return {"metadata": {"name": "login"}, "spec": {"controllerRef": {"name": "slurm"}, "service": made}}


@pytest.mark.parametrize("type_", [None, "ClusterIP"])
def test_a_service_of_the_cluster_passes(check, type_):
    assert check(POLICY, SERVICE, service(type_=type_)) == []


@pytest.mark.parametrize(
    "annotations",
    [{SCHEME: "internal"}, {OLD_SCHEME: "true"}, {OLD_SCHEME: True}, {EXCEPTION: "review of 2026-11-02"}],
    ids=["internal", "older", "older-typed", "decided"],
)
def test_a_load_balancer_that_is_internal_or_decided_passes(check, annotations):
    assert check(POLICY, SERVICE, service(annotations)) == []


@pytest.mark.parametrize(
    "annotations",
    [None, {SCHEME: "internet-facing"}, {OLD_SCHEME: "false"}, {SCHEME: "internet-facing", OLD_SCHEME: "true"}],
    ids=["unsaid", "said", "older", "contradiction"],
)
def test_a_load_balancer_of_the_internet_is_refused_with_ways_out(check, annotations):
    [message] = check(POLICY, SERVICE, service(annotations))
    assert "Service 'login' gets a load balancer that faces the internet" in message
    assert f", or write {SCHEME}: internal" in message


def test_a_login_set_is_judged_by_its_service_and_refused(check):
    assert check(POLICY, LOGIN_SET, login_set()) == []
    assert check(POLICY, LOGIN_SET, login_set(internal())) == []
    [message] = check(POLICY, LOGIN_SET, login_set(PUBLIC))
    assert "LoginSet 'login' (spec.service)" in message


def test_the_charts_default_for_login_sets_is_public_and_refused(check):
    [message] = check(POLICY, RELEASE, slurm_values(loginsets={"main": {}}))
    assert "Release 'slurm' (loginsets.main.service)" in message


@pytest.mark.parametrize(
    "values",
    [
        {"loginsets": {"main": {"service": {"spec": {"type": "ClusterIP"}}}}},
        {"loginsets": {"main": {"service": internal()}}},
        {"loginsets": {"main": {}}, "loginsetDefaults": {"service": {"spec": {"type": "ClusterIP"}}}},
        {"loginsets": {"main": {"enabled": False}}},
        {"loginsets": {}},
    ],
)
def test_login_sets_that_stay_inside_pass(check, values):
    assert check(POLICY, RELEASE, slurm_values(**values)) == []


def test_other_services_in_the_values_of_a_release_are_refused(check):
    [message] = check(POLICY, RELEASE, {"name": "hub", "values": {"proxy": {"service": {"type": "LoadBalancer"}}}})
    assert "Release 'hub' (proxy.service)" in message
    assert len(check(POLICY, RELEASE, slurm_values(restapi={"service": PUBLIC}))) == 1


@pytest.mark.parametrize(("internal_", "count"), [(None, 1), (False, 1), ("false", 1), (True, 0), ("true", 0)])
def test_a_load_balancer_of_aws_is_refused_unless_it_is_internal(check, internal_, count):
    found = check(POLICY, "aws:lb/loadBalancer:LoadBalancer", {"internal": internal_}, name="login")
    assert len(found) == count
    assert all("Load balancer 'login' faces the internet" in message for message in found)


def test_a_preview_that_does_not_know_passes(check):
    assert check(POLICY, SERVICE, service({SCHEME: UNKNOWN})) == []
    assert check(POLICY, SERVICE, service(UNKNOWN)) == []
    assert check(POLICY, SERVICE, service(type_=UNKNOWN)) == []
    assert check(POLICY, "aws:lb/loadBalancer:LoadBalancer", {"internal": UNKNOWN}) == []


def test_what_has_no_service_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == []


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(SERVICE, service(), "login").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
