"""Environments of many pools, with which scale is measured, are valid ones."""

import pytest

from bench.scale import Measure, environment, exponent, report
from stacks.environment import load

MOST_MIB_PER_POOL = 2
"""Measured: 0.4 (docs/performance.md)."""
MARGIN = 0.2


@pytest.mark.unit
@pytest.mark.parametrize("pools", [0, 20, 200])
def test_a_generated_environment_is_valid(pools: int):
    made = load(environment(pools), region="us-west-2", stack="sandbox").node_pools
    assert len(made) == pools


@pytest.mark.unit
def test_the_exponent_is_that_of_the_curve():
    sizes = [20, 60, 200]
    assert exponent(sizes, [3 * size**1.5 for size in sizes]) == pytest.approx(1.5)
    assert exponent(sizes, [7 * size for size in sizes]) == pytest.approx(1)


@pytest.mark.unit
def test_the_report_states_growth_per_pool():
    measures = [
        Measure(pools=20, seconds=10, cpu_seconds=12, mib=500, resources=150),
        Measure(pools=120, seconds=30, cpu_seconds=40, mib=700, resources=550),
    ]
    assert "each further pool: 200 ms, 2.00 MiB" in report(measures)
