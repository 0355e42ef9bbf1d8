"""Which pools are set up to reach a Lustre file system over EFA."""

from collections.abc import Sequence
from typing import Any

import pytest

from stacks.lustre import LustreSpec
from stacks.lustre_clients import efa_clients
from stacks.node_pools import NodePool
from tests.unit.stacks.lustre_examples import EXISTING, pool, spec

pytestmark = pytest.mark.unit


def mounts_over_efa(of: NodePool, systems: Sequence[LustreSpec]) -> bool:
    return efa_clients(systems, [of]) == (of.name,)


def file_system(**changes: Any) -> LustreSpec:
    return spec(**{"efa": True, **changes})


def test_a_pool_in_the_zone_of_an_efa_file_system_is_set_up_for_it():
    assert mounts_over_efa(pool(), [file_system()])
    assert mounts_over_efa(pool(efa="onRequest"), [file_system(efa=False), file_system(pools=["p5"])])


@pytest.mark.parametrize(
    ("of", "changes"),
    [
        ({}, {"efa": False}),
        ({}, {"zone": "us-west-2a"}),
        ({}, {"zone": "us-west-2a", "pools": ["p5"], "crossZone": True}),
        ({}, {"pools": ["other"]}),
        ({"efa": "off", "placementGroup": "none"}, {}),
        ({"instanceType": "p4d.24xlarge"}, {}),
        ({"instanceType": "trn2.48xlarge"}, {}),
    ],
    ids=[
        "a file system without EFA",
        "another zone",
        "another zone, named",
        "other pools",
        "no EFA on the nodes",
        "a type before Nitro 4",
        "Trainium2",
    ],
)
def test_a_pool_that_cannot_reach_it_over_efa_is_not(of, changes):
    assert not mounts_over_efa(pool(**of), [file_system(**changes)])


def test_a_file_system_of_another_team_counts_by_what_is_said_of_it():
    def existing(efa: bool) -> LustreSpec:
        return spec(EXISTING, existing={**EXISTING["existing"], "efa": efa})

    assert mounts_over_efa(pool(), [existing(True)])
    assert not mounts_over_efa(pool(), [existing(False)])


def test_without_file_systems_nothing_is_set_up():
    assert not mounts_over_efa(pool(), [])
