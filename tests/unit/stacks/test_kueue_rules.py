"""Queues of Kueue whose jobs would wait for ever, and jobs that two would hold back."""

import copy
from typing import Any

import pytest
from pydantic import ValidationError

from stacks.kueue import KueueSpec
from stacks.kueue_rules import check_kueue
from stacks.node_pools import NodePool
from stacks.schedulers import KubeRaySpec, MpiOperatorSpec
from stacks.volcano import VolcanoSpec

pytestmark = pytest.mark.unit

PATH = "platform.kueue"
NAMESPACES = ("team-a", "team-b")


def pool(name, nodes, instance_type="p5.48xlarge", **more):
    common = {"zone": "us-west-2b", "efa": "static", "placementGroup": "none"}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, "nodes": nodes, **common, **more})


TAINTS = [{"key": f"example.com/t{number}", "value": "x", "effect": "NoSchedule"} for number in range(8)]
POOLS = [
    pool("p5", {"max": 8}),
    pool("reserved", {"fixed": 4}),
    pool("trn", {"max": 2}, "trn1.32xlarge", taints=TAINTS[:7]),
    pool("crowded", {"max": 1}, taints=TAINTS),
]
VALID: dict[str, Any] = {
    "replicas": 2,
    "integrations": ["batch/job", "kubeflow.org/mpijob", "ray.io/rayjob"],
    "queues": [
        {
            "name": "research",
            "namespaces": ["team-a"],
            "quota": {"p5": 6, "reserved": 4},
            "cohort": "teams",
            "borrowingLimit": {"p5": 2},
            "reclaim": "any",
        },
        {"name": "vision", "namespaces": ["team-a", "team-b"], "quota": {"p5": 2, "trn": 2}, "cohort": "teams"},
    ],
    "podsReadyWithin": "45m",
    "values": {"controllerManager": {"manager": {"logLevel": 4}}},
}
PARTS: dict[str, Any] = {"volcano": None, "mpi_operator": MpiOperatorSpec(), "kuberay": KubeRaySpec()}


def problems(change=lambda spec: None, **parts):
    spec = copy.deepcopy(VALID)
    change(spec)
    return list(
        check_kueue(PATH, KueueSpec.model_validate(spec), pools=POOLS, namespaces=NAMESPACES, **{**PARTS, **parts})
    )


def the_problem(change=lambda spec: None, **parts):
    [problem] = problems(change, **parts)
    assert all(problem.ways_out)
    return problem


def queue(number, **changes):
    return lambda spec: spec["queues"][number].update(changes)


def more(**entry):
    return lambda spec: spec["queues"].append({"name": "x", "namespaces": ["team-a"], "quota": {"p5": 0}, **entry})


def test_the_valid_example_has_no_problem():
    assert problems() == []


def test_kueue_without_a_queue_starts_nothing():
    problem = the_problem(lambda spec: spec.update(queues=[]))
    assert problem.path == f"{PATH}.queues"
    assert "there is no queue" in problem.reason


def test_a_queue_of_one_name_stands_once():
    problem = the_problem(more(name="vision"))
    assert (problem.path, problem.value) == (f"{PATH}.queues[2].name", "vision")
    assert f"{PATH}.queues[1] has the same name" in problem.reason


def test_a_queue_that_nobody_reaches_is_refused():
    problem = the_problem(more(namespaces=[]))
    assert problem.path == f"{PATH}.queues[2].namespaces"
    assert "A job reaches a queue through its own namespace" in problem.reason
    assert problem.accepted == "team-a, team-b"


def test_a_namespace_is_one_of_the_section():
    problem = the_problem(more(namespaces=["team-c"]))
    assert (problem.path, problem.value) == (f"{PATH}.queues[2].namespaces[0]", "team-c")
    assert "No namespace of this name" in problem.reason


def test_a_queue_without_quota_is_refused():
    problem = the_problem(more(quota={}))
    assert problem.path == f"{PATH}.queues[2].quota"
    assert "would wait in this queue for ever" in problem.reason


def test_a_quota_is_of_pools_that_exist():
    problem = the_problem(more(quota={"p6": 1}))
    assert (problem.path, problem.value) == (f"{PATH}.queues[2].quota.p6", 1)
    assert problem.accepted == "p5, reserved, trn, crowded"


def test_quotas_together_are_no_more_than_the_pool_can_have_and_the_sum_is_shown():
    problem = the_problem(queue(1, quota={"p5": 3}))
    assert (problem.path, problem.value) == (f"{PATH}.queues[1].quota.p5", 3)
    assert "research 6 + vision 3 = 9 node(s) of p5, 8 nvidia.com/gpu each: 72." in problem.reason
    assert "The pool can have 8 (nodes.max): 64." in problem.reason
    assert "add up to 8 at most" in problem.accepted


def test_the_spare_of_a_fixed_pool_is_no_quota():
    problem = the_problem(queue(0, quota={"p5": 6, "reserved": 5}))
    assert problem.path == f"{PATH}.queues[0].quota.reserved"
    assert "The pool can have 4 (nodes.fixed): 32." in problem.reason


def test_neurons_are_counted_as_devices():
    assert "3 node(s) of trn, 16 aws.amazon.com/neuron each: 48." in the_problem(queue(1, quota={"trn": 3})).reason


def test_a_queue_borrows_only_of_pools_of_its_quota():
    problem = the_problem(queue(0, borrowingLimit={"trn": 1}))
    assert problem.path == f"{PATH}.queues[0].borrowingLimit.trn"
    assert problem.accepted == "p5, reserved"
    assert "add trn: 0" in problem.ways_out[0]


def test_a_cohort_has_two_queues():
    problem = the_problem(more(cohort="alone"))
    assert (problem.path, problem.value) == (f"{PATH}.queues[2].cohort", "alone")
    assert "nobody to lend or borrow" in problem.reason


@pytest.mark.parametrize("field", [{"borrowingLimit": {"p5": 1}}, {"reclaim": "any"}])
def test_without_a_cohort_there_is_nothing_to_borrow_and_nothing_to_reclaim(field):
    problem = the_problem(more(**field))
    assert problem.path == f"{PATH}.queues[2].{next(iter(field))}"
    assert "this one is in none" in problem.reason


def test_a_pool_with_more_taints_than_kueue_can_tolerate_is_refused_once():
    problem = the_problem(lambda spec: [more(name=name, quota={"crowded": 0})(spec) for name in ("x", "y")])
    assert problem.path == f"{PATH}.queues[2].quota.crowded"
    assert "has 8 taints" in problem.reason
    assert "at most 8 tolerations, one of them for the accelerator" in problem.reason


@pytest.mark.parametrize(
    ("number", "part", "field"), [(1, "mpiOperator", "mpi_operator"), (2, "kuberay", "kuberay")], ids=["mpi", "ray"]
)
def test_a_kind_of_work_needs_its_operator(number, part, field):
    problem = the_problem(**{field: None})
    assert (problem.path, problem.value) == (f"{PATH}.integrations[{number}]", VALID["integrations"][number])
    assert f"Without platform.{part} nobody runs work of this kind" in problem.reason


@pytest.mark.parametrize(
    ("number", "part", "settings"),
    [
        (1, "mpiOperator", {"mpi_operator": MpiOperatorSpec(gang_scheduling="volcano")}),
        (2, "kuberay", {"kuberay": KubeRaySpec(gang_scheduling="volcano")}),
    ],
    ids=["mpi", "ray"],
)
def test_jobs_that_volcano_schedules_as_gangs_are_not_kueues_too(number, part, settings):
    problem = the_problem(volcano=VolcanoSpec(), **settings)
    assert problem.path == f"{PATH}.integrations[{number}]"
    assert f"Volcano schedules the same jobs as gangs (platform.{part}.gangScheduling: volcano)" in problem.reason
    assert problem.ways_out[0] == f"set platform.{part}.gangScheduling: none"


def test_gangs_that_kueue_does_not_queue_are_volcanos():
    gangs = {"mpi_operator": MpiOperatorSpec(gang_scheduling="volcano"), "volcano": VolcanoSpec()}
    assert problems(lambda spec: spec.update(integrations=["batch/job"]), **gangs) == []


def test_plain_pods_are_not_kueues_beside_volcano():
    problem = the_problem(lambda spec: spec.update(integrations=["pod"]), volcano=VolcanoSpec())
    assert (problem.path, problem.value) == (f"{PATH}.integrations[0]", "pod")
    assert "Pods of Volcano jobs are pods too" in problem.reason
    assert problems(lambda spec: spec.update(integrations=["pod"])) == []


@pytest.mark.parametrize("field", ["capability", "deserved"])
def test_volcano_and_kueue_do_not_hand_out_the_same_pool(field):
    volcano = VolcanoSpec.model_validate({"queues": [{"name": "plain"}, {"name": "batch", field: {"p5": 8}}]})
    problem = the_problem(volcano=volcano)
    assert (problem.path, problem.value) == ("platform.volcano.queues[1]", "batch")
    assert "both hand out the nodes of p5, and neither counts what the other gave away" in problem.reason


def test_a_pool_of_its_own_is_volcanos():
    volcano = VolcanoSpec.model_validate({"queues": [{"name": "batch", "capability": {"crowded": 1}}]})
    assert problems(volcano=volcano) == []


def test_a_kind_of_work_stands_once():
    problem = the_problem(lambda spec: spec.update(integrations=["batch/job", "batch/job"]))
    assert problem.path == f"{PATH}.integrations[1]"
    assert "twice" in problem.reason


def test_kueue_looks_at_some_work():
    problem = the_problem(lambda spec: spec.update(integrations=[]))
    assert problem.path == f"{PATH}.integrations"
    assert "no work at all" in problem.reason


def test_a_gang_has_the_time_that_a_node_takes():
    problem = the_problem(lambda spec: spec.update(podsReadyWithin="9m59s"))
    assert (problem.path, problem.value) == (f"{PATH}.podsReadyWithin", "9m59s")
    assert "would be sent back, again and again" in problem.reason


def test_a_misspelt_key_of_the_chart_is_refused_and_the_nearest_named():
    problem = the_problem(lambda spec: spec.update(values={"controllerManager": {"replica": 2}}))
    assert problem.path == f"{PATH}.values.controllerManager.replica"
    assert problem.accepted == "controllerManager.replicas (the nearest key)"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda spec: spec.update(replicas=3), "replicas"),
        (lambda spec: spec.update(integrations=["deployment"]), "integrations"),
        (queue(0, quota={"p5": -1}), "quota"),
        (queue(0, name="Research"), "name"),
        (queue(0, reclaim="always"), "reclaim"),
        (lambda spec: spec.update(podsReadyWithin="soon"), "podsReadyWithin"),
    ],
)
def test_a_value_out_of_range_is_refused(change, field):
    spec = copy.deepcopy(VALID)
    change(spec)
    with pytest.raises(ValidationError, match=field):
        KueueSpec.model_validate(spec)
