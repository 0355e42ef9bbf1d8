"""What storage costs, against sums worked out by hand, and where its prices come from."""

from datetime import date
from decimal import Decimal

import pytest

from components.catalog.s3_classes import STANDARD, WATERFALL
from components.catalog.service_prices import EFS, LUSTRE, PRICES, S3, VPC, lustre_item, price_of
from stacks.buckets import BucketSpec
from stacks.storage import Storage
from stacks.storage_costs import bucket_cost, cost_lines, efs_cost, key_cost, lustre_cost, stays

pytestmark = pytest.mark.unit

TIERS = [{"afterDays": 30, "storageClass": "STANDARD_IA"}, {"afterDays": 90, "storageClass": "GLACIER_IR"}]
CHECKPOINTS = {
    "name": "checkpoints",
    "purpose": "checkpoints",
    "tiers": TIERS,
    "expireAfterDays": 365,
    "recoveryWindowDays": 30,
    "expectedGiBPerDay": 500,
}


def bucket(**changes):
    return BucketSpec.model_validate({**CHECKPOINTS, **changes})


def test_a_bucket_costs_what_lies_in_each_class():
    line = bucket_cost(bucket(), "us-east-1")
    # 30 x 500 x 0.023 = 345; 60 x 500 x 0.0125 = 375; (365 + 30 - 90) x 500 x 0.004 = 610.
    assert line.usd_a_month == Decimal(1330)
    assert str(line).startswith(
        "bucket checkpoints: about 1,330.00 USD a month (once as much leaves as comes: "
        "30 days x 500 GiB x 0.023 USD of STANDARD + 60 days x 500 GiB x 0.0125 USD of STANDARD_IA + "
        "305 days x 500 GiB x 0.004 USD of GLACIER_IR; price of us-east-1, source "
    )


def test_a_bucket_that_nothing_leaves_costs_more_every_month_and_says_so():
    line = bucket_cost(bucket(tiers=[], expireAfterDays=None, expectedGiBPerDay=100), "us-east-1")
    # 365 x 100 x 0.023
    assert line.usd_a_month == Decimal("839.5")
    assert "after one year, and growing: expireAfterDays is not set" in line.how


def test_what_is_deleted_is_paid_for_until_it_cannot_be_brought_back():
    month = bucket(tiers=[], expireAfterDays=30, recoveryWindowDays=10, expectedGiBPerDay=1)
    # (30 + 10) x 1 x 0.023
    assert bucket_cost(month, "us-east-1").usd_a_month == Decimal("0.92")


@pytest.mark.parametrize(
    ("tiers", "expires", "expected"),
    [
        ([], 365, [(STANDARD, 395)]),
        ([{"afterDays": 0, "storageClass": "GLACIER_IR"}], 365, [("GLACIER_IR", 395)]),
        (TIERS, None, [(STANDARD, 30), ("STANDARD_IA", 60), ("GLACIER_IR", 275)]),
        # What expires before a tier begins is an old version then, which stays where it is.
        (TIERS, 80, [(STANDARD, 30), ("STANDARD_IA", 80)]),
    ],
)
def test_objects_lie_in_a_class_until_the_next_tier_or_their_end(tiers, expires, expected):
    total = 365 if expires is None else expires + 30
    found = stays(bucket(tiers=tiers, expireAfterDays=expires), total)
    assert [(stay.storage_class, stay.days) for stay in found] == expected


def test_a_price_of_another_region_is_said_to_be_one():
    assert "price of us-east-1, not of eu-north-1" in bucket_cost(bucket(), "eu-north-1").how


def test_nothing_is_guessed_where_no_size_is_stated():
    line = bucket_cost(bucket(expectedGiBPerDay=None), "us-east-1")
    assert str(line) == "bucket checkpoints: cost not known (size not known: say expectedGiBPerDay)"


def test_an_empty_bucket_costs_nothing():
    assert bucket_cost(bucket(expectedGiBPerDay=0), "us-east-1").usd_a_month == 0


def test_another_team_pays_for_its_own_bucket():
    theirs = BucketSpec(name="datasets", existing="research-datasets-4711", expected_gib_per_day=5)
    assert bucket_cost(theirs, "us-east-1").usd_a_month is None


def lustre(**changes):
    given = {
        "name": "data",
        "deployment_type": "PERSISTENT_2",
        "storage_type": "SSD",
        "capacity_gib": 4800,
        "throughput_mbps_per_tib": 125,
        "region": "us-east-1",
    }
    return lustre_cost(**{**given, **changes})


def test_lustre_costs_what_was_provisioned():
    line = lustre()
    # 4800 x 0.145
    assert line.usd_a_month == Decimal(696)
    assert "4,800 GiB x 0.145 USD of PERSISTENT_2 SSD 125" in line.how
    assert "approximate price of a region that the source does not name, not of us-east-1" in line.how


def test_scratch_has_no_throughput_to_pay_for():
    line = lustre(deployment_type="SCRATCH_2", throughput_mbps_per_tib=None, capacity_gib=1200)
    # 1200 x 0.140
    assert line.usd_a_month == Decimal(168)


def test_a_faster_file_system_has_the_only_price_that_was_found_and_names_its_region_and_year():
    line = lustre(throughput_mbps_per_tib=1000)
    # 4800 x 0.837
    assert line.usd_a_month == Decimal("4017.6")
    assert "price of ap-northeast-1, not of us-east-1, source 2022-09-03" in line.how


def test_a_price_that_nobody_could_name_stays_unknown():
    line = lustre(deployment_type="PERSISTENT_1", throughput_mbps_per_tib=200)
    assert str(line) == "Lustre data: cost not known (4,800 GiB; price of PERSISTENT_1 SSD 200 not known)"


def test_what_is_billed_by_use_is_not_worked_out():
    assert lustre(storage_type="INTELLIGENT_TIERING", capacity_gib=None).usd_a_month is None


def test_efs_costs_what_lies_in_it():
    # 250 x 0.30
    assert efs_cost(name="home", region="us-east-1", gib=250).usd_a_month == Decimal(75)
    unsaid = efs_cost(name="home", region="us-east-1")
    assert unsaid.usd_a_month is None
    assert "100 GiB are 30.00 USD a month" in unsaid.how


def test_a_key_costs_a_dollar_a_month():
    assert key_cost("us-east-1").usd_a_month == Decimal(1)


def test_an_environment_has_a_line_for_everything_that_is_paid_for_by_size():
    section = Storage.model_validate({"encryption": {"kmsKey": "create"}, "buckets": [CHECKPOINTS]})
    assert [line.what for line in cost_lines(section, "us-east-1")] == ["storage key", "bucket checkpoints"]


def test_the_regions_own_price_comes_first_then_one_without_a_region():
    assert price_of(LUSTRE, "PERSISTENT_2 SSD 125", "ap-northeast-1").usd == Decimal("0.186")
    assert price_of(LUSTRE, "PERSISTENT_2 SSD 125", "us-west-2").region == ""
    assert price_of(VPC, "NAT gateway hour", "us-west-2").quality == "approximate"
    assert price_of(EFS, "IA", "us-east-1") is None


def test_lustre_items_are_named_as_the_table_names_them():
    assert lustre_item("PERSISTENT_2", "SSD", 125) == "PERSISTENT_2 SSD 125"
    assert lustre_item("SCRATCH_2", "SSD", None) == "SCRATCH_2 SSD"


def test_every_price_has_a_source_a_day_and_a_quality():
    for price in PRICES:
        assert date.fromisoformat(price.date_seen) >= date(2026, 11, 29)
        assert price.quality in ("exact", "approximate", "unknown")
        assert (price.usd is None) == (price.quality == "unknown")
        assert price.source if price.usd is not None else price.note


def test_every_class_that_a_bucket_may_use_has_a_price():
    assert all(price_of(S3, name, "us-east-1") for name in (STANDARD, *WATERFALL))


def test_no_price_is_listed_twice():
    keys = [(price.service, price.item, price.region) for price in PRICES]
    assert len(set(keys)) == len(keys)
