"""What the table for rules of the API server says of queues."""

import pytest

from components.platform.admission_pools import pool_table
from stacks.node_pools import NodePool
from stacks.volcano import QueueSpec

POOLS = [
    NodePool.model_validate(
        {"name": "p5", "instanceType": "p5.48xlarge", "zone": "us-west-2b", "nodes": {"max": 4}, "efa": "static"}
    )
]


def bound(*queues):
    table = pool_table(POOLS, [QueueSpec.model_validate(queue) for queue in queues])
    return {key: value for key, value in table.items() if key.startswith("queue.")}


def test_a_queue_has_its_capability_in_accelerators_under_a_key_that_a_config_map_takes():
    assert bound({"name": "research", "capability": {"p5": 2}}) == {"queue.research.nvidia.com_gpu": "16"}


def test_a_queue_without_capability_has_no_bound():
    assert bound({"name": "research"}) == {}


@pytest.mark.parametrize(("own", "most"), [({}, "24"), ({"p5": 1}, "8"), ({"p5": 4}, "24")])
def test_a_queue_has_no_more_than_the_one_above_it(own, most):
    table = bound({"name": "all", "capability": {"p5": 3}}, {"name": "one", "parent": "all", "capability": own})
    assert table["queue.one.nvidia.com_gpu"] == most
