"""Definitions, operator, cluster: in this order."""

import pytest
from pulumi.runtime import proto

from policies.rules.slurm_install_order import POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_samples import (
    CHART,
    CONTROLLER,
    NODE_SET,
    RELEASE,
    chain,
    controller,
    exchanged,
    node_set,
    release,
    without,
)

pytestmark = pytest.mark.policy

CLUSTER = Planned(type="aws:eks/cluster:Cluster", name="train", props={"version": "1.35"})
DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"


def ours(*, cluster_after=("slinky-release",)):
    """Our components as the first preview shows them: charts and releases have no properties."""
    return [
        Planned(type="ekstraining:platform:SlinkyOperator", name="slinky", props={}),
        Planned(type=CHART, name="slinky-crds", props={}, parent="slinky"),
        Planned(type=RELEASE, name="slinky-release", props={}, parent="slinky", after=("slinky-crds",)),
        Planned(type="ekstraining:platform:SlurmCluster", name="slurm", props={}, after=cluster_after),
        Planned(type=RELEASE, name="slurm-release", props={}, parent="slurm"),
        Planned(type=NODE_SET, name="slurm-p5", props={}, parent="slurm", after=("slurm-release",)),
    ]


def test_the_chain_passes_and_so_do_objects_behind_it(check_stack):
    behind = Planned(type=NODE_SET, name="gpu", props=node_set(), after=("cluster",))
    assert check_stack(POLICY, [CLUSTER, *chain(), behind]) == []


def test_a_cluster_beside_the_operator_is_refused_with_two_ways_out(check_stack):
    [message] = check_stack(POLICY, exchanged(chain(), "cluster", after=()))
    assert "Release 'cluster' does not wait for slurm-operator ('operator')" in message
    assert "webhook does not answer yet" in message
    assert "in dependsOn, or pass a value of it on" in message


def test_an_operator_beside_its_definitions_is_refused(check_stack):
    [message] = check_stack(POLICY, exchanged(chain(), "operator", after=("issuer",)))
    assert "Release 'operator' does not wait for slurm-operator-crds ('crds')" in message


def test_objects_that_wait_for_the_definitions_only_are_refused(check_stack):
    early = Planned(type=CONTROLLER, name="slurmctld", props=controller(), after=("crds",))
    [message] = check_stack(POLICY, [*chain(), early])
    assert "Controller 'slurmctld' does not wait for slurm-operator" in message


def test_definitions_one_by_one_count_as_their_chart_and_pass(check_stack):
    for found in (
        Planned(type=DEFINITION, name="crds:nodesets.slinky.slurm.net", props={}),
        Planned(type=DEFINITION, name="crds:nodesets", props={"spec": {"group": "slinky.slurm.net"}}),
    ):
        stack = exchanged(without(chain(), "crds"), "operator", after=("issuer", found.name))
        assert check_stack(POLICY, [CLUSTER, found, *stack]) == []
        assert len(check_stack(POLICY, [CLUSTER, found, *without(chain(), "crds")])) == 1


def test_an_operator_that_brings_its_definitions_passes(check_stack):
    alone = exchanged(
        without(chain(), "crds"), "operator", props=release("slurm-operator", values={"crds": {"enabled": True}})
    )
    assert check_stack(POLICY, [CLUSTER, *alone]) == []


def test_a_part_that_a_whole_platform_lacks_is_refused(check_stack):
    [message] = check_stack(POLICY, [CLUSTER, *without(chain(), "crds")])
    assert "Release 'operator' has no slurm-operator-crds in its stack" in message
    [message] = check_stack(POLICY, [CLUSTER, *without(chain(), "operator")])
    assert "Release 'cluster' has no slurm-operator in its stack" in message


def test_a_stack_on_a_cluster_of_others_may_find_the_rest_there_and_passes(check_stack):
    assert check_stack(POLICY, without(chain(), "operator")) == []
    assert check_stack(POLICY, [Planned(type=NODE_SET, name="gpu", props=node_set())]) == []


def test_a_chart_that_shows_nothing_may_hold_the_definitions_and_passes(check_stack):
    hidden = [CLUSTER, Planned(type=CHART, name="crds", props={}), *chain()[2:]]
    assert check_stack(POLICY, [*chain()[:1], *hidden]) == []


def test_in_a_first_preview_our_own_components_are_known_by_their_types(check_stack):
    assert check_stack(POLICY, [CLUSTER, *ours()]) == []
    found = check_stack(POLICY, [CLUSTER, *ours(cluster_after=())])
    assert [message.split(" does not")[0] for message in found] == ["Release 'slurm-release'", "NodeSet 'slurm-p5'"]


def test_a_stack_without_slinky_is_not_its_business(check_stack):
    assert check_stack(POLICY, [CLUSTER, *chain()[:1]]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_cluster(analyzer):
    stack = exchanged(chain(), "cluster", after=())
    found = [d for d in analyzer.analyze_stack(stack).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, stack[3].urn)]
    assert [d for d in analyzer.analyze_stack([CLUSTER, *ours()]).diagnostics if d.policyName == POLICY.name] == []
