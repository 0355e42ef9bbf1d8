"""cert-manager before Slinky's operator."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_cert_manager_first import POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_samples import CHART, RELEASE, chain, exchanged, without

pytestmark = pytest.mark.policy

ADDON = "aws:eks/addon:Addon"
FILE = "kubernetes:yaml/v2:ConfigFile"
OPERATOR = "ekstraining:platform:SlinkyOperator"
ISSUER = "ekstraining:platform:CertManager"


def ours(*, after=("issuer-release",)):
    """Our components as the first preview shows them: releases have no properties."""
    return [
        Planned(type=ISSUER, name="issuer", props={}),
        Planned(type=RELEASE, name="issuer-release", props={}, parent="issuer"),
        Planned(type=OPERATOR, name="slinky", props={}, after=after),
        Planned(type=RELEASE, name="slinky-release", props={}, parent="slinky"),
    ]


def test_the_chain_passes(check_stack):
    assert check_stack(POLICY, chain()) == []


def test_what_lies_between_does_not_matter_and_passes(check_stack):
    between = [
        Planned(type="kubernetes:core/v1:Namespace", name="slinky", props={}, after=("issuer",)),
        *exchanged(chain(), "operator", after=(), sources={"namespace": ["slinky"]}),
    ]
    assert check_stack(POLICY, between) == []


def test_the_add_on_of_eks_passes(check_stack):
    addon = Planned(type=ADDON, name="issuer", props={"addonName": "cert-manager", "clusterName": UNKNOWN})
    assert check_stack(POLICY, [addon, *chain()[1:]]) == []
    other = Planned(type=ADDON, name="issuer", props={"addonName": "coredns"})
    assert len(check_stack(POLICY, [other, *chain()[1:]])) == 1


def test_manifests_whose_contents_nobody_shows_pass(check_stack):
    for kind in (FILE, CHART):
        assert check_stack(POLICY, [Planned(type=kind, name="issuer", props={}), *chain()[1:]]) == []


def test_manifests_that_show_other_objects_are_no_cert_manager_and_refused(check_stack):
    shown = [
        Planned(type=FILE, name="issuer", props={}),
        Planned(type="kubernetes:core/v1:ConfigMap", name="x", props={}, parent="issuer"),
    ]
    assert len(check_stack(POLICY, [*shown, *chain()[1:]])) == 1


def test_no_cert_manager_is_refused_with_two_ways_out(check_stack):
    [message] = check_stack(POLICY, without(chain(), "issuer"))
    assert "Release 'operator' is Slinky's operator and has no cert-manager in this stack" in message
    assert ", or remove the operator" in message


def test_cert_manager_beside_the_operator_is_refused_with_its_name(check_stack):
    [message] = check_stack(POLICY, exchanged(chain(), "operator", after=("crds",)))
    assert "does not wait for cert-manager ('issuer')" in message
    assert "dependsOn" in message


def test_in_a_first_preview_our_own_components_are_known_by_their_types(check_stack):
    assert check_stack(POLICY, ours()) == []
    [message] = check_stack(POLICY, ours(after=()))
    assert "Release 'slinky-release'" in message


def test_a_stack_without_the_operator_is_not_its_business(check_stack):
    assert check_stack(POLICY, without(chain(), "operator")) == ["not applicable"]
    assert check_stack(POLICY, [Planned(type=RELEASE, name="x", props={"chart": UNKNOWN})]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_operator(analyzer):
    stack = without(chain(), "issuer")
    found = [d for d in analyzer.analyze_stack(stack).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, stack[1].urn)]
    for good in (chain(), ours()):
        assert [d for d in analyzer.analyze_stack(good).diagnostics if d.policyName == POLICY.name] == []
