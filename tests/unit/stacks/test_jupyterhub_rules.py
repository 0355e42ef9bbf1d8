"""Rules of JupyterHub: each breaks one thing in a valid section and reads the message."""

import pydantic
import pytest

from stacks.jupyterhub_rules import check_jupyterhub
from tests.unit.jupyterhub_examples import GENERAL, GENERALS, H100, IMAGE, POOLS, SMALL, TRAINIUM, hub, pool

pytestmark = pytest.mark.unit

ZONES = ("us-west-2a", "us-west-2b", "us-west-2c")


def problems(*, pools=POOLS, general_pools=GENERALS, **changes):
    return list(
        check_jupyterhub("platform.jupyterhub", hub(**changes), pools=pools, general_pools=general_pools, zones=ZONES)
    )


def test_the_example_is_valid():
    assert problems() == []


def test_a_profile_takes_no_more_devices_than_a_node_has_and_the_sum_is_shown():
    [problem] = problems(profiles=[{**H100, "accelerators": 9}], quota={"accelerators": 9})
    assert problem.path == "platform.jupyterhub.profiles[0].accelerators"
    assert "p5.48xlarge with 8 x h100" in problem.reason
    assert "9 > 8" in problem.reason
    assert problem.ways_out[0] == "set accelerators: 8"


def test_a_profile_on_an_accelerated_pool_takes_a_device():
    [problem] = problems(profiles=[{**TRAINIUM, "accelerators": 0}])
    assert "paid for its devices" in problem.reason
    assert problem.ways_out[1] == "use generalPool for servers without accelerators"


def test_a_general_pool_has_no_devices():
    [problem] = problems(profiles=[{**SMALL, "accelerators": 1, "groups": ["*"]}])
    assert problem.path == "platform.jupyterhub.profiles[0].accelerators"
    assert problem.accepted == "0"


def test_a_profile_named_after_an_accelerator_runs_on_it():
    [problem] = problems(profiles=[{**H100, "name": "two-a100"}])
    assert problem.path == "platform.jupyterhub.profiles[0].name"
    assert "It names a100, and the pool has h100" in problem.reason


@pytest.mark.parametrize(("field", "name"), [("pool", "p6"), ("generalPool", "p5")])
def test_a_pool_that_does_not_exist_is_refused(field, name):
    profile = {"name": "x", field: name, "image": IMAGE, "groups": ["*"]}
    [problem] = problems(profiles=[profile])
    assert problem.path == f"platform.jupyterhub.profiles[0].{field}"
    assert "no such pool" in problem.reason


@pytest.mark.parametrize("pools", [{}, {"pool": "p5", "generalPool": "general"}])
def test_a_profile_runs_on_exactly_one_pool(pools):
    [problem] = problems(profiles=[{"name": "x", "image": IMAGE, **pools}])
    assert problem.accepted == "pool or generalPool"


@pytest.mark.parametrize(
    ("profile", "field", "what"),
    [
        ({**TRAINIUM, "cpu": 8}, "cpu", "CPUs left"),
        ({**TRAINIUM, "memoryGiB": 32}, "memoryGiB", "GiB left"),
        ({**SMALL, "memoryGiB": 4096}, "memoryGiB", "GiB left"),
    ],
)
def test_a_server_that_no_node_has_room_for_is_refused(profile, field, what):
    [problem] = problems(profiles=[profile])
    assert problem.path == f"platform.jupyterhub.profiles[0].{field}"
    assert what in problem.reason


def test_accelerators_need_a_word_about_who_may_use_them():
    without = {key: value for key, value in H100.items() if key != "groups"}
    [problem] = problems(profiles=[without])
    assert problem.path == "platform.jupyterhub.profiles[0].groups"
    assert "not to whoever logs in" in problem.reason


def test_everyone_beside_a_group_is_refused():
    [problem] = problems(profiles=[{**H100, "groups": ["*", "research"]}])
    assert "promise a limit that is none" in problem.reason


def test_two_profiles_of_one_name_are_refused():
    [problem] = problems(profiles=[SMALL, SMALL])
    assert problem.path == "platform.jupyterhub.profiles[1].name"


def test_the_quota_lets_the_largest_profile_start():
    [problem] = problems(quota={"accelerators": 1})
    assert problem.path == "platform.jupyterhub.quota.accelerators"
    assert "two-h100 takes 2" in problem.reason


def test_the_quota_holds_one_home_folder():
    [problem] = problems(quota={"accelerators": 8, "storageGiB": 10}, home={"sizeGiB": 20})
    assert problem.path == "platform.jupyterhub.quota.storageGiB"
    assert problems(quota={"accelerators": 8, "storageGiB": 10}, home={"sizeGiB": 20, "claim": "home"}) == []


def test_volumes_of_one_zone_and_profiles_of_two_are_refused():
    elsewhere = pool("trn", "trn1.2xlarge", zone="us-west-2c")
    [problem] = problems(pools=(POOLS[0], elsewhere))
    assert problem.path == "platform.jupyterhub.home.storageClass"
    assert "us-west-2b, us-west-2c" in problem.reason
    assert problems(pools=(POOLS[0], elsewhere), home={"claim": "home"}) == []
    assert problems(pools=(POOLS[0], elsewhere), home={"storageClass": "efs-home"}) == []


def test_a_general_pool_without_zones_is_in_all_of_the_network():
    [problem] = problems(general_pools=(GENERAL.model_copy(update={"zones": ()}),))
    assert "us-west-2a, us-west-2b, us-west-2c" in problem.reason


def test_servers_are_not_stopped_by_age_before_they_can_be_idle():
    [problem] = problems(culling={"timeout": "8h", "maxAge": "4h"})
    assert problem.path == "platform.jupyterhub.culling.maxAge"
    assert problem.accepted == "at least 8h"


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"hub": {"config": {"JupyterHub": {"authenticator_class": "dummy"}}}}, "hub.config.JupyterHub"),
        ({"proxy": {"service": {"type": "LoadBalancer"}}}, "proxy.service.type"),
        ({"proxy": {"service": {"type": "NodePort"}}}, "proxy.service.type"),
        ({"cull": {"enabled": False}}, "cull.enabled"),
        ({"singleuser": {"networkPolicy": {"enabled": False}}}, "singleuser.networkPolicy.enabled"),
        ({"hub": {"networkPolicy": {"enabled": False}}}, "hub.networkPolicy.enabled"),
        ({"singleuser": {"storage": {"type": "none"}}}, "singleuser.storage.type"),
        ({"singleuser": {"cloudMetadata": {"blockWithIptables": True}}}, "singleuser.cloudMetadata"),
    ],
)
def test_values_that_undo_a_rule_are_refused(values, key):
    [problem] = problems(values=values)
    assert problem.path.startswith(f"platform.jupyterhub.values.{key}")
    assert problem.ways_out[0] == "remove the line"


def test_a_misspelt_key_is_refused_and_the_nearest_named():
    [problem] = problems(values={"singleuser": {"startTimeOut": 60}})
    assert problem.accepted == "singleuser.startTimeout (the nearest key)"


@pytest.mark.parametrize(
    "changes",
    [
        {"auth": {"authenticator": "dummy", "secret": "x"}},
        {"profiles": []},
        {"profiles": [{**SMALL, "image": "registry.example.com/notebook:latest"}]},
    ],
)
def test_what_the_types_refuse(changes):
    with pytest.raises(pydantic.ValidationError):
        hub(**changes)
