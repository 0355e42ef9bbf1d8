"""Where most nodes run, who gets system nodes, and the arithmetic of addresses."""

import dataclasses

import pytest

from components.catalog.requests import SYSTEM_REQUESTS, allocatable
from stacks.addresses import Ask, asks_in, busiest_zone, needs_prefixes
from stacks.cluster import SystemNodes
from stacks.environment import load
from tests.unit.stacks.examples import REGION, VALID, changed

pytestmark = pytest.mark.unit

ZONES = ("us-west-2a", "us-west-2b", "us-west-2c")
POOL = VALID["nodePools"][0]


@pytest.mark.parametrize(
    ("count", "zone", "placed"),
    [
        (2, None, {"us-west-2a": 2}),
        (3, None, {"us-west-2a": 2, "us-west-2b": 1}),
        (4, "us-west-2b", {"us-west-2b": 2, "us-west-2a": 1, "us-west-2c": 1}),
        (5, None, {"us-west-2a": 3, "us-west-2b": 1, "us-west-2c": 1}),
        (6, None, {"us-west-2a": 3, "us-west-2b": 2, "us-west-2c": 1}),
    ],
)
def test_the_zone_of_the_state_volumes_has_two_nodes_before_others_have_one(count, zone, placed):
    nodes = SystemNodes(count=count, zone=zone)
    assert nodes.per_zone(ZONES) == placed
    assert sum(placed.values()) == count


def test_the_nat_gateway_stands_where_most_nodes_can_run_and_in_the_first_zone_of_equals():
    environment = load(changed({"nodePools.1": {**POOL, "name": "other", "zone": "us-west-2c"}}), region=REGION)
    assert busiest_zone(environment.network, environment.node_pools) == "us-west-2b"
    assert busiest_zone(environment.network, environment.node_pools[::-1]) == "us-west-2b"
    assert busiest_zone(environment.network, ()) == "us-west-2a"


def test_a_zone_that_is_said_wins_and_per_zone_means_every_zone():
    network = load(changed({"network.natZone": "us-west-2c"}), region=REGION).network
    assert network.nat_zones("us-west-2b") == ("us-west-2c",)
    network = load(changed({"network.natGateways": "perZone"}), region=REGION).network
    assert network.nat_zones("us-west-2b") == ZONES


def test_in_prefixes_a_node_takes_whole_ones_and_keeps_one_warm():
    ask = Ask(name="p5", nodes=10, interfaces=1, pods=49, in_prefixes=False)
    assert ask.addresses == 10 * (1 + 49)
    assert dataclasses.replace(ask, in_prefixes=True).addresses == 10 * (1 + (4 + 1) * 16)
    assert str(ask) == "p5 10 x 50 (1 interfaces + 49 pods)"


GENERAL = {"name": "general", "limits": {"cpu": 64, "memoryGiB": 256}, "instanceFamilies": ["m7i"], "minVcpus": 4}


def test_a_general_pool_may_come_to_rest_in_any_of_its_zones():
    environment = load(changed({"generalPools": [{**GENERAL, "zones": ["us-west-2a", "us-west-2b"]}]}), region=REGION)
    network, nodes = environment.network, environment.system_nodes
    asks = {
        zone: {a.name: a for a in asks_in(zone, environment.node_pools, environment.general_pools, nodes, network)}
        for zone in ZONES
    }
    assert {zone for zone in ZONES if "general" in asks[zone]} == {"us-west-2a", "us-west-2b"}
    # 64 CPUs as m7i.4xlarge ask for most: 8 interfaces and 8 x 29 pods with an address each.
    assert (asks["us-west-2a"]["general"].nodes, asks["us-west-2a"]["general"].per_node) == (4, 8 + 232)
    assert asks["us-west-2a"]["systemNodes"].nodes == 2


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({}, False),
        ({"nodePools.0.kubelet": {"maxPods": 51}}, False),
        ({"nodePools.0.kubelet": {"maxPods": 110}}, True),
        ({"generalPools": [{**GENERAL, "kubelet": {"maxPods": 58}}]}, False),
        ({"generalPools": [{**GENERAL, "kubelet": {"maxPods": 110}}]}, True),
    ],
    ids=["unsaid", "as many as addresses", "more", "general, as many", "general, more"],
)
def test_prefixes_are_handed_out_where_a_pool_wants_more_pods_than_addresses(changes, needed):
    environment = load(changed(changes), region=REGION)
    assert needs_prefixes(environment.node_pools, environment.general_pools) is needed


def test_what_a_node_can_give_is_less_than_it_has():
    room = allocatable(vcpu=8, memory_gib=32, max_pods=58)
    assert room.cpu_m == 8000 - 90
    assert room.memory_mib == int(32768 * 0.925) - 255 - 11 * 58 - 100


def test_every_row_of_requests_says_where_it_comes_from():
    assert all(entry.source and entry.cpu_m for entry in SYSTEM_REQUESTS)
    assert len({entry.name for entry in SYSTEM_REQUESTS}) == len(SYSTEM_REQUESTS)
