"""Facts about FSx for Lustre: sizes at their boundaries, and every instance type's way to a file system with EFA."""

import pytest

from components.catalog import lustre
from components.catalog.instance_types import INSTANCE_TYPES, rows
from components.catalog.lustre import OFFERINGS, capacities_near, capacity_fits, capacity_step, may_use_efa_lustre

pytestmark = pytest.mark.unit

SCRATCH_1 = OFFERINGS["SCRATCH_1", "SSD"]
SSD_2 = OFFERINGS["PERSISTENT_2", "SSD"]
HDD = OFFERINGS["PERSISTENT_1", "HDD"]
TIERING = OFFERINGS["PERSISTENT_2", "INTELLIGENT_TIERING"]


def test_there_are_six_pairs_of_deployment_and_storage_type():
    assert set(OFFERINGS) == {
        ("SCRATCH_1", "SSD"),
        ("SCRATCH_2", "SSD"),
        ("PERSISTENT_1", "SSD"),
        ("PERSISTENT_1", "HDD"),
        ("PERSISTENT_2", "SSD"),
        ("PERSISTENT_2", "INTELLIGENT_TIERING"),
    }


@pytest.mark.parametrize("pair", OFFERINGS, ids="-".join)
def test_a_row_knows_the_pair_that_it_stands_under(pair):
    offering = OFFERINGS[pair]
    assert (offering.deployment_type, offering.storage_type) == pair
    assert pair[0] in lustre.DEPLOYMENT_TYPES
    assert pair[1] in lustre.STORAGE_TYPES


@pytest.mark.parametrize("pair", OFFERINGS, ids="-".join)
@pytest.mark.parametrize("capacity", [0, -2400])
@pytest.mark.parametrize("efa", [False, True])
def test_nothing_and_less_than_nothing_is_a_multiple_but_no_size(pair, capacity, efa):
    offering = OFFERINGS[pair]
    for throughput in (*offering.throughputs, None):
        assert not capacity_fits(offering, capacity, throughput, efa=efa)


@pytest.mark.parametrize(
    ("capacity", "fits"), [(1200, True), (2400, True), (3600, True), (4800, False), (6000, False), (7200, True)]
)
def test_scratch_1_goes_by_3600_after_two_small_sizes(capacity, fits):
    assert capacity_fits(SCRATCH_1, capacity, None, efa=False) is fits


@pytest.mark.parametrize(("capacity", "fits"), [(1200, True), (2400, True), (3600, False), (4800, True)])
def test_persistent_2_goes_by_2400(capacity, fits):
    assert capacity_fits(SSD_2, capacity, 250, efa=False) is fits


@pytest.mark.parametrize(("throughput", "step"), [(125, 38400), (250, 19200), (500, 9600), (1000, 4800)])
def test_efa_has_a_step_for_each_throughput_and_no_smaller_size(throughput, step):
    assert capacity_fits(SSD_2, step, throughput, efa=True)
    assert capacity_fits(SSD_2, 2 * step, throughput, efa=True)
    assert not capacity_fits(SSD_2, 1200, throughput, efa=True)
    assert not capacity_fits(SSD_2, step + 2400, throughput, efa=True)


def test_efa_without_a_known_throughput_has_no_sizes():
    assert capacity_step(SSD_2, None, efa=True) is None
    assert capacity_step(SSD_2, 200, efa=True) is None


def test_a_hard_disks_step_depends_on_its_throughput():
    assert capacity_step(HDD, 12, efa=False) == 6000
    assert capacity_step(HDD, 40, efa=False) == 1800
    assert capacity_step(HDD, 50, efa=False) is None


def test_an_elastic_file_system_has_no_size():
    assert TIERING.is_elastic
    assert not capacity_fits(TIERING, 4800, None, efa=False)


@pytest.mark.parametrize(
    ("offering", "throughput", "efa", "capacity", "near"),
    [
        (SSD_2, 250, False, 0, (1200, 2400)),
        (SSD_2, 250, False, 1, (1200, 2400)),
        (SSD_2, 250, False, 1201, (1200, 2400)),
        (SSD_2, 250, False, 5000, (4800, 7200)),
        (SSD_2, 1000, True, 1200, (4800, 9600)),
        (SSD_2, 1000, True, 5000, (4800, 9600)),
        (SCRATCH_1, None, False, 3000, (2400, 3600)),
        (HDD, 12, False, 1200, (6000, 12000)),
        (HDD, 12, False, 13000, (12000, 18000)),
    ],
)
def test_the_sizes_around_a_wrong_one_fit(offering, throughput, efa, capacity, near):
    assert capacities_near(offering, capacity, throughput, efa=efa) == near
    assert all(capacity_fits(offering, size, throughput, efa=efa) for size in near)


def test_sizes_around_a_wrong_one_need_a_throughput_that_has_sizes():
    with pytest.raises(ValueError, match="PERSISTENT_1 HDD has no sizes with 50"):
        capacities_near(HDD, 6000, 50, efa=False)


def test_metadata_iops_are_those_of_the_api_reference():
    assert lustre.METADATA_IOPS["SSD"][:5] == (1500, 3000, 6000, 12000, 24000)
    assert lustre.METADATA_IOPS["SSD"][-1] == 192_000
    assert len(lustre.METADATA_IOPS["SSD"]) == 3 + 16
    assert lustre.METADATA_IOPS["INTELLIGENT_TIERING"] == (6000, 12000)


@pytest.mark.parametrize(
    "name",
    ["p5.48xlarge", "p5.4xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "trn1.32xlarge", "g6e.48xlarge", "m7i.48xlarge"],
)
def test_nitro_4_and_later_with_efa_reach_lustre_over_it(name):
    assert may_use_efa_lustre(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("p4d.24xlarge", "Nitro v3"),
        ("g5.48xlarge", "Nitro v3"),
        ("c5n.18xlarge", "Nitro v3"),
        ("trn2.48xlarge", "left out by AWS"),
        ("g6.xlarge", "no EFA"),
        ("m7i.2xlarge", "no EFA"),
        ("x1.32xlarge", "not in the catalog"),
    ],
)
def test_other_types_do_not(name, why):
    assert not may_use_efa_lustre(name), why


def test_every_family_of_the_catalog_but_g7_has_a_nitro_version():
    families = {row["instance_type"].partition(".")[0] for row in rows()}
    assert families - set(lustre.NITRO_VERSIONS) == {"g7"}
    assert set(lustre.NITRO_VERSIONS) <= families
    assert "g7" not in {facts.family for facts in INSTANCE_TYPES.values()}
