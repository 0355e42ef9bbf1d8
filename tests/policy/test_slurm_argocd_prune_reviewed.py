"""Argo CD prunes nothing of Slinky unasked."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_argocd_prune_reviewed import POLICY
from tests.policy.slurm_object_samples import APPLICATION, ODD, application
from tests.policy.workload_samples import BUCKET

pytestmark = pytest.mark.policy

REVIEWED = "eks-training-platform/prune-reviewed"


def pruning(annotations=None, options=None, **automated):
    made = application(syncPolicy={"automated": {"prune": True, **automated}, "syncOptions": options})
    made["metadata"]["annotations"] = annotations
    return made


@pytest.mark.parametrize(
    "policy",
    [None, {}, {"automated": {}}, {"automated": {"selfHeal": True}}, {"automated": {"prune": False}}, "automated"],
)
def test_without_pruning_it_passes(check, policy):
    assert check(POLICY, APPLICATION, application(syncPolicy=policy)) == []


@pytest.mark.parametrize("prune", [True, "true", "True"])
def test_pruning_is_refused_with_ways_out(check, prune):
    [message] = check(POLICY, APPLICATION, pruning(prune=prune))
    assert "Application 'slurm' prunes by itself (spec.syncPolicy.automated.prune)" in message
    assert "Remove prune, or add the sync option Prune=confirm, or write who reviewed it" in message


@pytest.mark.parametrize(
    "made",
    [
        pruning(options=["CreateNamespace=true", "Prune=false"]),
        pruning(options=["Prune=confirm"]),
        pruning(enabled=False),
        pruning({REVIEWED: "platform team, 2026-11-30"}),
    ],
    ids=["excluded", "asked", "not automatic", "reviewed"],
)
def test_pruning_that_asks_first_or_was_reviewed_passes(check, made):
    assert check(POLICY, APPLICATION, made) == []


def test_an_empty_review_is_none_and_refused(check):
    assert len(check(POLICY, APPLICATION, pruning({REVIEWED: " "}))) == 1


@pytest.mark.parametrize("policy", [UNKNOWN, {"automated": UNKNOWN}, {"automated": {"prune": UNKNOWN}}])
def test_a_preview_that_does_not_know_it_passes(check, policy):
    assert check(POLICY, APPLICATION, application(syncPolicy=policy)) == []


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_is_not_its_business(check, odd):
    assert check(POLICY, APPLICATION, odd if isinstance(odd, dict) else {"spec": odd}) == ["not applicable"]


def test_applications_of_something_else_are_not_its_business(check):
    made = pruning()
    made["spec"] |= {"source": {"repoURL": "https://github.com/acme/web"}, "destination": {"namespace": "web"}}
    assert check(POLICY, APPLICATION, made) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(APPLICATION, pruning(), "slurm").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
