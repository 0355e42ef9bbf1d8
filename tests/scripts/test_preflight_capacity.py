"""Preflight on capacity: zones, quotas, reservations, Capacity Blocks and placement groups, one fault at a time."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from moto import mock_aws

from scripts.findings import Finding, Level
from tests.scripts import preflight_account as given
from tests.scripts.preflight_account import only

pytestmark = pytest.mark.scripts

P5 = "nodePools[0]"
RESERVED = f"{P5}.capacity.reservationIds[0]"


@pytest.fixture
def account(monkeypatch) -> Iterator[given.Account]:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with mock_aws():
        yield given.Account()


@pytest.fixture
def judged(account, tmp_path):
    """Findings about an environment, notes left out."""

    def run(environment: dict[str, Any]) -> list[Finding]:
        found = account.findings(given.subject_of(tmp_path, environment))
        return [each for each in found if each.level is not Level.NOTE]

    return run


def reserved(kind: str = "odcr", group: object = "none", nodes: dict[str, int] | None = None) -> dict[str, Any]:
    environment = given.example()
    environment["nodePools"][0].update(
        capacity={"kind": kind, "reservationIds": ["cr-0aa"]}, placementGroup=group, nodes=nodes or {"max": 4}
    )
    if kind == "capacityBlock":
        environment["nodePools"][0]["nodes"] = {"fixed": 4}
        environment["nodePools"][0].pop("maintenanceWindow", None)
    return environment


def test_nothing_stands_against_an_account_where_everything_is_as_the_file_says(judged):
    assert judged(given.example()) == []


def test_a_zone_without_the_type_is_named_with_the_zones_that_have_it(account, judged):
    account.answers["DescribeInstanceTypeOfferings"] = given.offered(p5=("us-west-2a", "us-west-2c"))
    found = only(judged(given.example()))
    assert (found.level, found.field, found.seen) == (Level.ERROR, f"{P5}.zone", "us-west-2b")
    assert found.reason == "us-west-2b does not offer p5.48xlarge. Offered in: us-west-2a, us-west-2c."
    assert found.way_out == "use us-west-2a or us-west-2c, which the network has"


def test_a_zone_that_the_network_lacks_is_to_be_added_at_the_end(account, judged):
    account.answers["DescribeInstanceTypeOfferings"] = given.offered(p5=("us-west-2d",))
    assert only(judged(given.example())).way_out == "add us-west-2d at the end of network.zones and use it"


def test_a_type_that_no_zone_offers_is_said_to_be_nowhere(account, judged):
    account.answers["DescribeInstanceTypeOfferings"] = given.offered(trn1=())
    found = only(judged(given.example()))
    assert (found.field, found.way_out) == ("nodePools[1].zone", "use another region or another type")
    assert "Offered in: no zone of the region." in found.reason


def test_system_nodes_are_looked_for_in_every_zone_that_gets_one(account, judged):
    account.answers["DescribeInstanceTypeOfferings"] = given.offered(m7i=("us-west-2a", "us-west-2c"))
    found = [each for each in judged(given.example()) if each.field == "systemNodes.instanceType"]
    assert only(found).reason.startswith("us-west-2b does not offer m7i.2xlarge.")


def test_a_quota_that_is_too_small_is_told_with_needed_and_allowed(account, judged):
    account.answers["ListServiceQuotas"] = given.quotas(L_417A185B=192)
    found = only(judged(given.example()))
    assert (found.level, found.field, found.seen) == (Level.ERROR, f"{P5}.nodes.max", 4)
    assert found.reason == "Running On-Demand P instances: needed 768 (p5 4 x 192) = 768 vCPU, allowed 192."
    assert "--quota-code L-417A185B --desired-value 768 --region us-west-2" in found.way_out


def test_a_reservation_uses_no_quota(account, judged):
    account.answers["ListServiceQuotas"] = given.quotas(L_417A185B=0)
    account.answers["DescribeCapacityReservations"] = {"CapacityReservations": [given.block("cr-0aa")]}
    assert judged(reserved("capacityBlock")) == []


def test_what_others_run_counts_against_the_quota(account, judged):
    account.answers["ListServiceQuotas"] = given.quotas(L_417A185B=800)
    instance = {"InstanceType": given.P5, "CpuOptions": {"CoreCount": 96, "ThreadsPerCore": 2}}
    account.answers["DescribeInstances"] = {"Reservations": [{"Instances": [instance]}]}
    assert (
        "needed 768 (p5 4 x 192) + 192 that others use = 960 vCPU, allowed 800" in only(judged(given.example())).reason
    )


def test_a_reservation_that_does_not_exist_is_named_with_those_that_fit(account, judged):
    account.answers["DescribeCapacityReservations"] = {"CapacityReservations": [given.reservation("cr-0bb")]}
    found = only(judged(reserved()))
    assert (found.level, found.field, found.seen) == (Level.ERROR, RESERVED, "cr-0aa")
    assert found.reason == "This account sees no such reservation in us-west-2."
    assert found.way_out == "of p5.48xlarge in us-west-2b there are: cr-0bb"


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        ({"InstanceType": "p5en.48xlarge"}, "It reserves p5en.48xlarge, the pool's type is p5.48xlarge."),
        (
            {"AvailabilityZone": "us-west-2a"},
            "It lies in us-west-2a, the pool in us-west-2b: none of it would be used.",
        ),
        ({"InstancePlatform": "Windows"}, "It is for Windows with tenancy default; nodes are Linux/UNIX"),
        ({"Tenancy": "dedicated"}, "It is for Linux/UNIX with tenancy dedicated; nodes are"),
        ({"ReservationType": "capacity-block"}, "It is a Capacity Block, and the pool says kind: odcr."),
        ({"State": "cancelled"}, "It is cancelled: nodes of this pool would never start."),
    ],
)
def test_a_reservation_that_does_not_fit_is_told_by_what_differs(account, judged, difference, said):
    account.answers["DescribeCapacityReservations"] = {
        "CapacityReservations": [given.reservation("cr-0aa", **difference)]
    }
    found = only(judged(reserved()))
    assert (found.level, found.field, found.seen) == (Level.ERROR, RESERVED, "cr-0aa")
    assert found.reason.startswith(said)


def test_a_capacity_block_that_is_over_is_expired_whatever_its_state(account, judged):
    over = given.NOW - timedelta(hours=1)
    account.answers["DescribeCapacityReservations"] = {"CapacityReservations": [given.block("cr-0aa", EndDate=over)]}
    found = only(judged(reserved("capacityBlock")))
    assert (found.level, found.field) == (Level.ERROR, RESERVED)
    assert found.reason == f"It is expired ({over:%Y-%m-%d %H:%M} UTC): nodes of this pool would never start."


def test_a_capacity_block_that_ends_soon_is_a_warning_with_the_hours_left(account, judged):
    ends = given.NOW + timedelta(hours=20, minutes=30)
    account.answers["DescribeCapacityReservations"] = {"CapacityReservations": [given.block("cr-0aa", EndDate=ends)]}
    found = only(judged(reserved("capacityBlock")))
    assert found.level is Level.WARNING
    assert ", in 20 hours; AWS ends a Capacity Block's nodes 30 minutes earlier." in found.reason


def test_a_capacity_block_that_has_not_begun_is_a_warning_with_its_start(account, judged):
    starts = given.NOW + timedelta(days=3)
    account.answers["DescribeCapacityReservations"] = {
        "CapacityReservations": [given.block("cr-0aa", State="scheduled", StartDate=starts)]
    }
    found = only(judged(reserved("capacityBlock")))
    assert (found.level, found.way_out) == (Level.WARNING, "set nodes: {fixed: 0} until then")
    assert f"It starts {starts:%Y-%m-%d %H:%M} UTC." in found.reason


def test_reservations_that_hold_fewer_nodes_than_the_pool_are_told_with_the_rest(account, judged):
    account.answers["DescribeCapacityReservations"] = {
        "CapacityReservations": [given.reservation("cr-0aa", TotalInstanceCount=3)]
    }
    found = only(judged(reserved()))
    assert (found.field, found.seen) == (f"{P5}.nodes.max", 4)
    assert found.reason == "Its reservations hold 3 instances together: 1 nodes would never start."


def group(name: str, **differently: Any) -> dict[str, Any]:
    arn = f"arn:aws:ec2:us-west-2:{given.ACCOUNT}:placement-group/{name}"
    there = {"GroupId": name, "GroupName": f"name-of-{name}", "GroupArn": arn, "Strategy": "cluster"}
    return {**there, "State": "available", **differently}


def test_a_reservation_of_another_group_is_told_with_the_group_it_lies_in(account, judged):
    mine, theirs = group("pg-0aa"), group("pg-0bb")
    account.answers["DescribePlacementGroups"] = {"PlacementGroups": [mine, theirs]}
    account.answers["DescribeCapacityReservations"] = {
        "CapacityReservations": [given.reservation("cr-0aa", PlacementGroupArn=theirs["GroupArn"])]
    }
    found = only(judged(reserved(group={"id": "pg-0aa"})))
    assert (found.level, found.field, found.seen) == (Level.ERROR, f"{P5}.placementGroup.id", "pg-0aa")
    assert found.reason.startswith("cr-0aa lies in pg-0bb (name-of-pg-0bb), and that is fixed for its life")
    assert found.way_out.startswith("set placementGroup: {id: pg-0bb}")


def test_a_reservation_in_no_group_is_told_to_a_pool_that_names_one(account, judged):
    account.answers["DescribePlacementGroups"] = {"PlacementGroups": [group("pg-0aa")]}
    account.answers["DescribeCapacityReservations"] = {"CapacityReservations": [given.reservation("cr-0aa")]}
    found = only(judged(reserved(group={"id": "pg-0aa"})))
    assert found.reason.startswith("cr-0aa lies in no group")
    assert found.way_out.startswith("set placementGroup: none")


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ([], "This account has no such group in us-west-2."),
        ([group("pg-0aa", Strategy="spread")], "Its strategy is spread, which spreads nodes apart."),
        ([group("pg-0aa", State="deleting")], "Its state is deleting."),
    ],
)
def test_a_group_that_nodes_cannot_join_is_an_error(account, judged, there, said):
    account.answers["DescribePlacementGroups"] = {"PlacementGroups": there}
    environment = given.example()
    environment["nodePools"][0]["placementGroup"] = {"id": "pg-0aa"}
    found = only(judged(environment))
    assert (found.level, found.field, found.reason) == (Level.ERROR, f"{P5}.placementGroup.id", said)
