"""Queues and priority classes that Volcano would refuse, or that would cost money for nothing."""

import copy
from typing import Any

import pytest
from pydantic import ValidationError

from stacks.node_pools import NodePool
from stacks.volcano import VolcanoSpec
from stacks.volcano_rules import check_volcano

pytestmark = pytest.mark.unit

PATH = "platform.volcano"


def pool(name, nodes):
    common = {"instanceType": "p5.48xlarge", "zone": "us-west-2b", "efa": "static", "placementGroup": "none"}
    return NodePool.model_validate({"name": name, "nodes": nodes, **common})


POOLS = [pool("p5", {"max": 8}), pool("reserved", {"fixed": 4})]
VALID: dict[str, Any] = {
    "queues": [
        {"name": "research", "capability": {"p5": 8, "reserved": 4}, "deserved": {"p5": 6}},
        {"name": "vision", "parent": "research", "capability": {"reserved": 2}, "deserved": {"p5": 4}},
        {"name": "speech", "parent": "research", "deserved": {"p5": 2}},
    ],
    "priorityClasses": [{"name": "urgent", "value": 1000}, {"name": "patient", "value": -1}],
    "values": {"custom": {"scheduler_log_level": 4}},
}


def problems(change=lambda spec: None):
    spec = copy.deepcopy(VALID)
    change(spec)
    return list(check_volcano(PATH, VolcanoSpec.model_validate(spec), pools=POOLS))


def the_problem(change):
    [problem] = problems(change)
    return problem


def test_the_valid_example_has_no_problem():
    assert problems() == []


def test_a_queue_of_one_name_stands_once():
    problem = the_problem(lambda spec: spec["queues"].append({"name": "speech"}))
    assert (problem.path, problem.value) == (f"{PATH}.queues[3].name", "speech")
    assert "the second would overwrite the first" in problem.reason


@pytest.mark.parametrize("name", ["default", "root"])
def test_volcanos_own_queues_are_not_ours(name):
    problem = the_problem(lambda spec: spec["queues"].append({"name": name}))
    assert problem.path == f"{PATH}.queues[3].name"
    assert f"makes the queue {name} itself" in problem.reason
    assert "refuses to delete it" in problem.reason


@pytest.mark.parametrize("field", ["capability", "deserved"])
def test_nodes_are_of_pools_that_exist(field):
    problem = the_problem(lambda spec: spec["queues"].append({"name": "x", field: {"p6": 1}}))
    assert (problem.path, problem.value) == (f"{PATH}.queues[3].{field}.p6", 1)
    assert problem.accepted == "p5, reserved"


def test_a_queue_has_no_more_nodes_than_its_pool():
    problem = the_problem(lambda spec: spec["queues"].append({"name": "x", "capability": {"p5": 9}}))
    assert (problem.path, problem.value) == (f"{PATH}.queues[3].capability.p5", 9)
    assert "can have 8 node(s) at most" in problem.reason


def test_a_bound_below_a_dynamic_pool_starts_nodes_for_nothing():
    problem = the_problem(lambda spec: spec["queues"].append({"name": "x", "capability": {"p5": 3}}))
    assert problem.path == f"{PATH}.queues[3].capability.p5"
    assert "a job beyond 3 nodes gets nodes, never runs on them, and pays for them" in problem.reason
    assert "#4710" in problem.reason
    assert "nodes: {max: 3}" in problem.ways_out[0]
    assert "acceptIdleNodes: true" in problem.ways_out[1]


def test_it_passes_in_writing():
    accepted = {"name": "x", "capability": {"p5": 3}, "acceptIdleNodes": True}
    assert problems(lambda spec: spec["queues"].append(accepted)) == []


def test_a_bound_below_a_fixed_pool_costs_nothing():
    assert problems(lambda spec: spec["queues"].append({"name": "x", "capability": {"reserved": 1}})) == []


def test_a_queue_deserves_no_more_than_it_may_use():
    problem = the_problem(
        lambda spec: spec["queues"].append({"name": "x", "capability": {"reserved": 1}, "deserved": {"reserved": 2}})
    )
    assert problem.path == f"{PATH}.queues[3].deserved.reserved"
    assert "may use 1 node(s) of reserved" in problem.reason


def test_a_parent_is_a_queue_of_the_list():
    problem = the_problem(lambda spec: spec["queues"].append({"name": "x", "parent": "nobody"}))
    assert (problem.path, problem.value) == (f"{PATH}.queues[3].parent", "nobody")
    assert problem.accepted == "research, vision, speech"


def test_queues_do_not_go_round_in_a_circle():
    both = problems(
        lambda spec: spec.update(queues=[{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}, {"name": "c"}])
    )
    assert [problem.path for problem in both] == [f"{PATH}.queues[0].parent", f"{PATH}.queues[1].parent"]
    assert "a -> b -> a" in both[0].reason


def test_a_queue_below_a_circle_is_not_blamed_for_it():
    circle = [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}, {"name": "c", "parent": "a"}]
    assert len(problems(lambda spec: spec.update(queues=circle))) == 2


def test_weights_beside_what_queues_deserve_are_ignored_by_volcano():
    problem = the_problem(lambda spec: spec["queues"][2].update(weight=3))
    assert (problem.path, problem.value) == (f"{PATH}.queues[2].weight", 3)
    assert "that plugin ignores weights" in problem.reason


def test_weights_alone_pass():
    assert problems(lambda spec: spec.update(queues=[{"name": "a", "weight": 2}, {"name": "b", "weight": 1}])) == []


def test_a_child_may_use_no_more_than_its_parent():
    problem = the_problem(
        lambda spec: (
            spec["queues"][0].update(capability={"p5": 8, "reserved": 1}),
            spec["queues"][0].update(acceptIdleNodes=True),
        )
    )
    assert problem.path == f"{PATH}.queues[1].capability.reserved"
    assert "Its parent research may use 1 node(s) of reserved" in problem.reason


@pytest.mark.parametrize(("deserved", "shown"), [({"p5": 5}, 5), ({}, "(not set)")])
def test_children_deserve_no_more_than_their_parent_together(deserved, shown):
    problem = the_problem(lambda spec: spec["queues"][0].update(deserved=deserved))
    assert problem.path == f"{PATH}.queues[0].deserved.p5"
    assert str(shown) in problem.lines()[0]
    assert "Its children deserve 6 node(s) of p5 together" in problem.reason
    assert problem.accepted == "at least 6"


def test_a_priority_class_of_one_name_stands_once():
    problem = the_problem(lambda spec: spec["priorityClasses"].append({"name": "urgent", "value": 5}))
    assert problem.path == f"{PATH}.priorityClasses[2].name"
    assert "Another priority class has this name" in problem.reason


def test_names_that_begin_with_system_are_kubernetes_own():
    problem = the_problem(lambda spec: spec["priorityClasses"].append({"name": "system-mine", "value": 5}))
    assert (problem.path, problem.value) == (f"{PATH}.priorityClasses[2].name", "system-mine")


def test_a_misspelt_key_of_the_chart_is_refused_and_the_nearest_named():
    problem = the_problem(lambda spec: spec.update(values={"custom": {"scheduler_replica": 2}}))
    assert problem.path == f"{PATH}.values.custom.scheduler_replica"
    assert "custom.scheduler_replicas" in problem.accepted


@pytest.mark.parametrize(
    "spec",
    [
        {"queues": [{"name": "q", "weight": 0}]},
        {"queues": [{"name": "q", "capability": {"p5": -1}}]},
        {"queues": [{"name": "Q"}]},
        {"priorityClasses": [{"name": "a", "value": 1_000_000_001}]},
        {"removal": "yes"},
        {"replicas": 4},
    ],
)
def test_what_no_volcano_takes_is_refused_by_type(spec):
    with pytest.raises(ValidationError):
        VolcanoSpec.model_validate(spec)
