"""Pools as rules of the API server read them."""

import pytest

from components.platform.admission_pools import pool_table
from stacks.node_pools import NodePool

pytestmark = pytest.mark.unit


def pool(name, instance_type, **more):
    given = {"efa": "static", "placementGroup": "none", "nodes": {"max": 4}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **given})


def test_bandwidth_and_efa_are_those_of_the_type():
    table = pool_table([pool("p4d", "p4d.24xlarge"), pool("p5", "p5.48xlarge"), pool("trn1", "trn1.32xlarge")])
    assert {key: table[key] for key in table if key.endswith((".gbps", ".efa"))} == {
        "p4d.gbps": "400",
        "p5.gbps": "3200",
        "trn1.gbps": "800",
        "p4d.efa": "4",
        "p5.efa": "32",
        "trn1.efa": "8",
    }


def test_a_pool_without_efa_has_none_whatever_its_type():
    assert pool_table([pool("p5", "p5.48xlarge", efa="off")])["p5.efa"] == "0"


def test_fixed_nodes_are_told_from_those_that_karpenter_starts_for_pods():
    table = pool_table([pool("kept", "p5.48xlarge", nodes={"fixed": 2}), pool("asked", "p5.48xlarge")])
    assert (table["kept.nodes"], table["asked.nodes"]) == ("fixed", "dynamic")


def test_bounded_draining_is_told_in_seconds_and_none_as_0():
    bounded = pool("timed", "p5.48xlarge", terminationGracePeriod="30m", checkpointTime="20m")
    table = pool_table([bounded, pool("kept", "p5.48xlarge")])
    assert (table["timed.grace"], table["kept.grace"]) == ("1800", "0")
