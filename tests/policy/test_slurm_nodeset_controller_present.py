"""A NodeSet's Controller is in the stack."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_nodeset_controller_present import POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_object_samples import CONTROLLER, NODE_SET, controller, node_set
from tests.policy.workload_samples import RELEASE, slurm_values

pytestmark = pytest.mark.policy

CLUSTER = Planned(type="aws:eks/cluster:Cluster", name="train", props={"name": "train"})


def sets(name="slurm", namespace="slurm"):
    made = node_set(controllerRef={"name": name})
    made["metadata"]["namespace"] = namespace
    return Planned(type=NODE_SET, name="p5", props=made)


def object_of(name="slurm"):
    return Planned(type=CONTROLLER, name="controller", props=controller(name))


def release(name="slurm", namespace="slurm", **values):
    props = {**slurm_values(**values), "name": name, "namespace": namespace}
    return Planned(type=RELEASE, name="slurm-release", props=props)


@pytest.mark.parametrize(
    ("there", "named"),
    [
        (object_of(), "slurm"),
        (release(), "slurm"),
        (release(name="a"), "a-slurm"),
        (release(name="my-slurm"), "my-slurm"),
        (release(fullnameOverride="gpu"), "gpu"),
        (release(name="a", nameOverride="b"), "a-b"),
    ],
    ids=["an object", "a release", "of another name", "of a name with slurm", "renamed", "half renamed"],
)
def test_a_node_set_of_a_controller_of_the_stack_passes(check_stack, there, named):
    assert check_stack(POLICY, [CLUSTER, there, sets(named)]) == []


@pytest.mark.parametrize("there", [object_of("gpu"), release(fullnameOverride="gpu")], ids=["object", "release"])
def test_one_of_an_absent_controller_is_refused_with_those_that_are_there(check_stack, there):
    [message] = check_stack(POLICY, [there, sets("slurm")])
    assert "NodeSet 'slurm-worker-p5' names Controller 'slurm', which is not in the stack" in message
    assert "(gpu), or add the Controller" in message


def test_without_any_controller_it_is_refused_where_the_stack_makes_the_cluster(check_stack):
    [message] = check_stack(POLICY, [CLUSTER, sets()])
    assert "(there is none yet), or add the Controller" in message


def test_a_controller_in_another_namespace_is_refused(check_stack):
    [message] = check_stack(POLICY, [object_of(), sets(namespace="training")])
    assert "which is in namespace slurm: a reference reaches no other namespace" in message


def test_a_namespace_that_nobody_says_passes(check_stack):
    assert check_stack(POLICY, [object_of(), sets(namespace=None)]) == []


@pytest.mark.parametrize(
    "there",
    [
        Planned(type=CONTROLLER, name="controller", props={}),
        Planned(type=RELEASE, name="slurm-release", props={}),
        release(name=UNKNOWN),
        release(namespace=UNKNOWN),
        release(fullnameOverride=UNKNOWN),
    ],
    ids=["object", "release", "name", "namespace", "override"],
)
def test_a_preview_that_does_not_know_a_controller_is_not_its_business(check_stack, there):
    assert check_stack(POLICY, [CLUSTER, there, sets("other")]) == ["not applicable"]


@pytest.mark.parametrize("reference", [UNKNOWN, {"name": UNKNOWN}, None, {}])
def test_a_reference_that_is_not_known_is_not_its_business(check_stack, reference):
    made = Planned(type=NODE_SET, name="p5", props=node_set(controllerRef=reference))
    assert check_stack(POLICY, [CLUSTER, object_of(), made]) == ["not applicable"]


def test_a_stack_with_neither_controller_nor_cluster_is_not_its_business(check_stack):
    assert check_stack(POLICY, [sets()]) == ["not applicable"]
    assert check_stack(POLICY, [CLUSTER, object_of()]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_node_set(analyzer):
    lonely = sets("other")
    found = [d for d in analyzer.analyze_stack([object_of(), lonely]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, lonely.urn)]
