"""Section `namespaces`: what is refused, and with which words."""

import pytest
from pydantic import ValidationError

from stacks.namespaces import NamespaceSpec, check_known, check_namespaces

pytestmark = pytest.mark.unit


def spec(name="team-a", **others):
    return NamespaceSpec(name=name, **others)


def problems(*specs):
    return list(check_namespaces([(f"namespaces[{number}]", each) for number, each in enumerate(specs)]))


def test_a_namespace_is_baseline_and_ours_unless_said_otherwise():
    assert (spec().pod_security, spec().existing) == ("baseline", False)
    assert problems(spec(), spec("team-b", pod_security="restricted")) == []


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-flannel"])
def test_a_namespace_of_kubernetes_is_not_made_here(name):
    [problem] = problems(spec(name))
    assert problem.path == "namespaces[0].name"
    assert "Kubernetes makes this namespace itself" in problem.reason
    assert "existing: true" in problem.ways_out[1]


@pytest.mark.parametrize("name", ["default", "kube-system"])
def test_a_namespace_of_kubernetes_may_be_referred_to(name):
    assert problems(spec(name, existing=True)) == []


def test_a_namespace_stands_once():
    [problem] = problems(spec(), spec())
    assert problem.path == "namespaces[1].name"


@pytest.mark.parametrize("name", ["Team", "a_b", "-a", "a" * 64, ""])
def test_a_name_that_is_no_label_is_refused(name):
    with pytest.raises(ValidationError):
        spec(name)


def test_there_are_three_levels_of_pod_security():
    with pytest.raises(ValidationError):
        spec(pod_security="strict")


def test_a_namespace_that_nobody_declared_is_refused_with_both_ways_to_declare_it():
    [problem] = check_known("storage.efs[0].namespaces", ["team-a", "team-b"], ["team-a"])
    assert problem.path == "storage.efs[0].namespaces[1]"
    assert problem.accepted == "team-a"
    assert problem.ways_out == (
        "add it: namespaces: [{name: team-b}]",
        "someone else makes it: namespaces: [{name: team-b, existing: true}]",
    )


def test_with_an_empty_section_the_message_says_so():
    [problem] = check_known("p", ["team-a"], [])
    assert "which is empty" in problem.accepted


def test_a_namespace_twice_in_one_list_is_refused():
    [problem] = check_known("p", ["team-a", "team-a"], ["team-a"])
    assert (problem.path, problem.accepted) == ("p[1]", "each namespace once")
