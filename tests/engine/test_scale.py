"""Time and memory of a preview grow no faster than the number of pools; loosely, since machines differ."""

import pytest

from bench.scale import exponent, measure, report

MOST_MIB_PER_POOL = 2
"""Measured: 0.4 (docs/performance.md)."""
MARGIN = 0.2


@pytest.mark.soak
def test_a_preview_grows_no_faster_than_its_pools(tmp_path, capsys):
    measures = [measure(tmp_path, pools) for pools in (20, 60, 200)]
    with capsys.disabled():
        print(f"\n{report(measures)}")
    # CPU time, since a busy machine takes longer.
    sizes, seconds = [m.pools for m in measures], [m.cpu_seconds for m in measures]
    # The last step alone: what every preview costs would hide what a pool costs.
    assert exponent(sizes[1:], seconds[1:]) <= 1.1 + MARGIN
    assert (measures[-1].mib - measures[0].mib) / (sizes[-1] - sizes[0]) <= MOST_MIB_PER_POOL
