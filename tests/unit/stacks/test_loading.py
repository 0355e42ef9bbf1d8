"""Loading as a whole: everything at once, nothing twice, and what a good file gives."""

import contextlib
import copy
import dataclasses
from typing import Any, get_args

import pytest
from pydantic.fields import FieldInfo

from stacks.environment import Environment, EnvironmentProblems, load
from stacks.model import OnChange, Section, choices_in, sections_in
from stacks.problems import MISSING, Problem
from tests.support import stack_files
from tests.unit.stacks.examples import REGION, changed

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("stack", stack_files(), ids=lambda stack: stack.name)
def test_every_stack_file_of_the_repository_is_valid(stack):
    environment = load(stack.environment, region=stack.region, stack=stack.name)
    assert environment.owner


@pytest.mark.parametrize("stack", stack_files(), ids=lambda stack: stack.name)
def test_every_stack_file_switches_default_providers_off(stack):
    assert stack.config["pulumi:disable-default-providers"] == ["*"]


def test_all_problems_of_a_file_are_shown_together_in_the_order_of_the_file(problems_of):
    environment = changed(
        {
            "owner": 7,
            "tags.Name": "x",
            "network.cidr": "8.8.0.0/16",
            "cluster.acces": [],
            "cluster.kubernetesVersion": 1.35,
            "systemNodes.count": 0,
            "nodePools.0.efa": "yes",
            "nodePools.0.nodes": {"max": 1, "fixed": 1},
            "nodePools.0.zone": "us-west-2f",
            "storage.buckets.1": {"name": "checkpoints"},
            "artifacts.charts": "relative",
        }
    )
    assert [problem.path for problem in problems_of(environment)] == [
        "owner",
        "tags.Name",
        "network.cidr",
        "cluster.acces",
        "cluster.kubernetesVersion",
        "systemNodes.count",
        "nodePools[0].efa",
        "nodePools[0].nodes",
        "nodePools[0].zone",
        "storage.buckets[1].name",
        "artifacts.charts",
    ]


def test_rules_still_judge_a_pool_whose_other_field_is_misspelt(problems_of):
    found = problems_of(changed({"nodePools.0.gpus": 8, "nodePools.0.zone": "us-west-2f"}))
    assert [problem.path for problem in found] == ["nodePools[0].gpus", "nodePools[0].zone"]


def test_a_misspelt_field_is_not_reported_as_missing_too(problems_of, valid):
    valid["ownr"] = valid.pop("owner")
    assert [problem.path for problem in problems_of(valid)] == ["ownr"]


def test_a_field_of_the_wrong_type_is_not_called_unsaid_too(problems_of):
    assert [p.path for p in problems_of(changed({"nodePools.0.placementGroup": 7}))] == ["nodePools[0].placementGroup"]


@pytest.mark.parametrize("raw", [None, [], "text", 7], ids=["nothing", "a list", "text", "a number"])
def test_something_that_is_no_object_at_all_is_one_clear_problem(problems_of, raw):
    [problem] = problems_of(raw)
    assert problem.path == "environment"
    assert "section" in problem.reason


JUNK = [
    None,
    True,
    -1,
    1.5,
    "",
    "x",
    "10.0.0.0/16",
    [],
    ["x"],
    [None],
    [[1]],
    {},
    {"x": 1},
    {1: "x"},
    {True: []},
    {"max": {}},
]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in an environment, sections included."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, below in inner for place in places(below, (*at, key)))]


def no_junk_fails(environment: dict[str, Any], junk: object) -> None:
    for place in places(environment)[1:]:
        spoilt = copy.deepcopy(environment)
        target: Any = spoilt
        for step in place[:-1]:
            target = target[step]
        target[place[-1]] = junk
        # Refused or accepted: anything else that is raised is a mistake in the checks.
        with contextlib.suppress(EnvironmentProblems):
            load(spoilt, region=REGION, stack="dev")


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_no_junk_anywhere_makes_the_checks_themselves_fail(valid, junk):
    no_junk_fails(valid, junk)


@pytest.mark.parametrize("junk", ["p5.48xlrge", -1, {}], ids=repr)
@pytest.mark.parametrize("stack", stack_files(), ids=lambda stack: stack.name)
def test_no_junk_in_an_environment_with_many_parts_does_either(stack, junk):
    """Rules of one section read others: a type that one refuses must not make the next fail."""
    no_junk_fails(stack.environment, junk)


def test_an_empty_object_names_every_required_field(problems_of):
    assert [problem.path for problem in problems_of({})] == ["owner", "network", "cluster", "amiRelease"]


def test_the_text_has_path_value_accepted_set_and_two_ways_out():
    problem = Problem(path="a.b", value="x", reason="It is wrong.", accepted="y or z", ways_out=("write y", "write z"))
    missing = dataclasses.replace(problem, path="a.c", value=MISSING)
    assert str(EnvironmentProblems([problem, missing])).splitlines() == [
        "eks-training-platform:environment has 2 problems. Nothing was started.",
        "",
        '1. a.b = "x"',
        "   It is wrong.",
        "   accepted: y or z",
        "   either:   write y",
        "   or:       write z",
        "",
        "2. a.c (not set)",
        "   It is wrong.",
        "   accepted: y or z",
        "   either:   write y",
        "   or:       write z",
    ]


def test_a_long_value_is_cut_in_the_text():
    problem = Problem(path="a", value="x" * 500, reason="r", accepted="a", ways_out=("b", "c"))
    assert len(problem.lines()[0]) < 140


@pytest.mark.parametrize("stack", ["Dev", "my_stack", "a.b", "x" * 21, "-a"])
def test_a_stack_name_that_fits_no_cluster_or_bucket_is_refused(problems_of, valid, stack):
    [problem] = problems_of(valid, stack=stack)
    assert problem.path == "the stack's name"
    assert "pulumi stack" in problem.ways_out[0]


def test_zones_are_compared_with_the_stacks_region(problems_of, valid):
    assert {p.path for p in problems_of(valid, region="eu-west-1")} == {f"network.zones[{i}]" for i in range(3)}


def test_without_a_region_zones_need_only_agree(valid):
    assert load(valid).network.zones == ("us-west-2a", "us-west-2b", "us-west-2c")


def test_an_unquoted_off_is_the_mode_off_whichever_yaml_reader_saw_it():
    for off in (False, "off"):
        environment = load(changed({"nodePools.0.efa": off}), region=REGION)
        assert environment.node_pools[0].efa_mode == "off"


def test_a_type_without_efa_need_not_say_so():
    environment = load(
        changed(
            {
                "nodePools.0": {
                    "name": "g5",
                    "instanceType": "g5.xlarge",
                    "zone": "us-west-2a",
                    "nodes": {"max": 4},
                    "capacity": {"kind": "spot"},
                }
            }
        ),
        region=REGION,
    )
    assert environment.node_pools[0].efa_mode == "off"
    assert environment.node_pools[0].existing_placement_group is None


def test_a_placement_group_may_be_anothers():
    environment = load(changed({"nodePools.0.placementGroup": {"id": "pg-0123456789abcdef0"}}), region=REGION)
    assert environment.node_pools[0].existing_placement_group == "pg-0123456789abcdef0"
    assert not environment.node_pools[0].creates_placement_group


def test_what_is_not_said_is_safe():
    environment = load(
        {
            "owner": "ml",
            "network": {"cidr": "10.0.0.0/16", "zones": ["us-west-2a", "us-west-2b"]},
            "cluster": {"kubernetesVersion": "1.35"},
            "amiRelease": "v20261023",
        },
        region=REGION,
    )
    assert environment.lifecycle.protect_data
    assert environment.lifecycle.deletion_protection
    assert environment.cluster.endpoint.public_cidrs == ()
    assert environment.cluster.support_type == "EXTENDED"
    assert environment.system_nodes.count == 3
    assert environment.platform.volcano is None


def test_an_environment_cannot_be_changed_after_it_was_checked(valid):
    environment = load(valid, region=REGION)
    with pytest.raises(ValueError, match="frozen"):
        environment.owner = "someone else"


def test_zones_get_a_quarter_of_the_vpc_each_and_public_subnets_the_last(valid):
    network = load(valid, region=REGION).network
    assert list(network.private_subnets().values()) == ["10.40.0.0/18", "10.40.64.0/18", "10.40.128.0/18"]
    assert list(network.public_subnets().values()) == ["10.40.192.0/24", "10.40.193.0/24", "10.40.194.0/24"]
    assert network.addresses_per_zone() == 16379


def test_adding_a_zone_moves_no_subnet_of_the_others():
    two = load(changed({"network.zones": ["us-west-2a", "us-west-2b"]}), region=REGION).network
    three = load(changed({}), region=REGION).network
    assert two.private_subnets().items() <= three.private_subnets().items()
    assert two.public_subnets().items() <= three.public_subnets().items()


def test_the_narrowest_block_still_holds_all_subnets():
    network = load(changed({"network.cidr": "10.40.0.0/20"}), region=REGION).network
    assert list(network.private_subnets().values()) == ["10.40.0.0/22", "10.40.4.0/22", "10.40.8.0/22"]
    assert list(network.public_subnets().values()) == ["10.40.12.0/24", "10.40.13.0/24", "10.40.14.0/24"]


def all_fields() -> list[tuple[str, FieldInfo]]:
    found: list[tuple[str, FieldInfo]] = []

    def walk(section: type[Section]) -> None:
        for name, info in section.model_fields.items():
            found.append((f"{section.__name__}.{name}", info))
            for inner in sections_in(info.annotation):
                walk(inner)

    walk(Environment)
    return found


@pytest.mark.parametrize(("name", "info"), all_fields(), ids=[name for name, _ in all_fields()])
def test_every_field_says_what_it_means_and_what_a_change_does(name, info):
    assert info.description is not None
    assert info.description.endswith(".")
    extra: Any = info.json_schema_extra
    assert extra["onChange"] in get_args(OnChange)
    is_section = next(sections_in(info.annotation), None) is not None
    assert (extra["onChange"] == "per field") <= is_section


@pytest.mark.parametrize(("name", "info"), all_fields(), ids=[name for name, _ in all_fields()])
def test_every_required_field_shows_an_example_or_its_choices(name, info):
    assert not info.is_required() or info.examples or choices_in(info.annotation)


@pytest.mark.parametrize(("name", "info"), all_fields(), ids=[name for name, _ in all_fields()])
def test_every_field_says_what_it_accepts_unless_its_type_does(name, info):
    told = (
        info.json_schema_extra.get("accepts") or choices_in(info.annotation) or next(sections_in(info.annotation), None)
    )
    assert told or info.annotation is bool
