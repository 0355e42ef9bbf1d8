"""`./scripts/cost`: sums against hand-made ones, what is said to be unknown, and two bills compared."""

import json
from decimal import Decimal

import pytest
from typer.testing import CliRunner

from components.catalog import instance_prices
from components.catalog.instance_prices import HOURS_A_MONTH, InstancePrice
from components.catalog.instance_types import INSTANCE_TYPES
from components.cluster import system_nodes
from scripts.costing.__main__ import app
from scripts.costing.always_on import SYSTEM_ROOT_GIB
from scripts.costing.bill import bill_of
from scripts.costing.lines import Kind, changes
from scripts.costing.price_book import CATALOG, PriceBook
from scripts.costing.stack_files import StackFileError, parse_stack, read_stack
from stacks.environment import load
from tests.support import ENVIRONMENT_KEY, stack_files

pytestmark = pytest.mark.scripts

REGION = "us-east-1"
BASE = {
    "owner": "ml-platform",
    "amiRelease": "v20261023",
    "network": {"cidr": "10.40.0.0/16", "zones": ["us-east-1a", "us-east-1b"]},
    "cluster": {"kubernetesVersion": "1.35", "encryption": {"kmsKey": "none"}},
    "systemNodes": {"instanceType": "m7i.2xlarge", "count": 3},
    "storage": {"encryption": {"kmsKey": "none"}},
}
P5 = {
    "name": "p5",
    "instanceType": "p5.48xlarge",
    "zone": "us-east-1a",
    "nodes": {"max": 4},
    "efa": "static",
    "placementGroup": "create",
}


def bill(prices=CATALOG, **sections):
    return bill_of(load({**BASE, **sections}, region=REGION), REGION, prices)


def line(found, what):
    (one,) = [each for each in found.lines if each.what == what]
    return one


def pool(**changes):
    return line(bill(nodePools=[{**P5, **changes}]), "pool p5")


def month(gib):
    return Decimal(gib) * Decimal("0.08") / HOURS_A_MONTH


def test_always_on_is_the_control_plane_system_nodes_and_the_way_out():
    found = bill()
    assert line(found, "control plane").idle == Decimal("0.10")
    assert line(found, "system nodes").idle == 3 * Decimal("0.4032") + month(240)
    assert line(found, "NAT gateways").idle == Decimal("0.050")
    assert {each.kind for each in found.lines} == {Kind.ALWAYS_ON}
    assert found.totals["idle"] == found.totals["limit"] == found.totals["alwaysOn"]
    assert found.totals["idle"].unknown == ()


def test_a_version_in_extended_support_costs_six_times_as_much():
    old = bill(cluster={**BASE["cluster"], "kubernetesVersion": "1.33"})
    assert line(old, "control plane").idle == Decimal("0.60")


def test_the_end_of_standard_support_is_said_with_what_it_will_cost():
    assert "0.6 USD an hour after 2027-03-27, unless it is upgraded" in line(bill(), "control plane").how


def test_endpoints_are_paid_for_in_every_zone():
    private = bill(network={**BASE["network"], "endpoints": "private"})
    assert line(private, "interface endpoints").idle == 14 * 2 * Decimal("0.010")


def test_a_gateway_in_every_zone_costs_as_often():
    many = bill(network={**BASE["network"], "natGateways": "perZone"})
    assert line(many, "NAT gateways").idle == 2 * Decimal("0.050")


def test_a_vpc_of_another_team_costs_that_team():
    theirs = {"vpcId": "vpc-0123456789abcdef0", "cidr": "10.40.0.0/16"}
    theirs["privateSubnets"] = {zone: f"subnet-0123456{at}" for at, zone in enumerate(BASE["network"]["zones"])}
    found = bill(network={"existing": theirs, "zones": BASE["network"]["zones"]})
    assert [each.path for each in found.lines if each.path.startswith("network")] == []


def test_a_pool_that_scales_costs_nothing_idle_and_all_its_nodes_at_its_limit():
    found = pool()
    assert found.idle == 0
    assert found.limit == 4 * Decimal("55.04") + month(4 * 200)
    assert found.size == "0 to 4 x p5.48xlarge"


def test_a_fixed_pool_costs_the_same_idle():
    found = pool(nodes={"fixed": 2})
    assert found.idle == found.limit == 2 * Decimal("55.04") + month(2 * 200)
    assert "fixed: paid for whether a job runs or not" in found.how


def test_a_paused_pool_costs_nothing():
    assert pool(nodes={"fixed": 0}).limit == 0


def test_a_reservation_is_paid_for_without_nodes_but_not_their_disks():
    found = pool(capacity={"kind": "odcr", "reservationIds": ["cr-0123456789abcdef0"]}, placementGroup="none")
    assert found.idle == 4 * Decimal("55.04")
    assert found.limit == found.idle + month(4 * 200)
    assert "taken to hold 4 instances, which the file does not say" in found.how


def test_a_capacity_block_has_a_price_that_nobody_here_knows():
    block = {"kind": "capacityBlock", "reservationIds": ["cr-0123456789abcdef0"]}
    found = bill(nodePools=[{**P5, "nodes": {"fixed": 2}, "capacity": block, "placementGroup": "none"}])
    assert line(found, "pool p5").limit is None
    assert "aws ec2 describe-capacity-block-offerings" in line(found, "pool p5").how
    assert found.totals["limit"].unknown == ("pool p5",)


def test_spot_is_bounded_by_the_price_on_demand():
    found = pool(capacity={"kind": "spot", "acceptInterruption": True})
    assert found.limit == pool().limit
    assert "upper bound" in found.how


def test_a_type_without_a_price_is_named_and_never_guessed():
    none = PriceBook(instances=(), services=CATALOG.services)
    found = bill(none, nodePools=[P5])
    assert line(found, "pool p5").limit is None
    assert "4 x p5.48xlarge, price not known" in line(found, "pool p5").how
    total = found.totals["limit"]
    assert total.unknown == ("system nodes", "pool p5")
    assert total.usd_an_hour == Decimal("0.10") + Decimal("0.050")


def test_a_price_of_another_region_is_used_and_said():
    network = {**BASE["network"], "zones": ["us-west-2a", "us-west-2b"]}
    there = load({**BASE, "network": network}, region="us-west-2")
    assert "price of us-east-1, not of us-west-2" in line(bill_of(there, "us-west-2"), "system nodes").how


def test_a_price_of_the_region_comes_first():
    ours = InstancePrice(
        instance_type="m7i.2xlarge",
        region="us-west-2",
        usd=Decimal(1),
        quality="exact",
        source_date="2026-11-30",
        date_seen="2026-11-30",
        source="a test",
        note="",
    )
    book = PriceBook(instances=(*CATALOG.instances, ours), services=CATALOG.services)
    assert book.instance("m7i.2xlarge", "us-west-2").usd == 1
    assert book.instance("m7i.2xlarge", "us-east-1").usd == Decimal("0.4032")


def test_a_general_pool_is_bounded_by_its_limits_and_its_dearest_type():
    general = {"name": "general", "limits": {"cpu": 64, "memoryGiB": 128}, "instanceFamilies": ["m7i"]}
    found = line(bill(generalPools=[general]), "pool general")
    assert found.limit == 8 * Decimal("0.2016") + month(8 * 100)
    assert found.idle == 0


def test_lustre_is_paid_for_whatever_lies_in_it():
    lustre = {"name": "data", "zone": "us-east-1a", "deploymentType": "PERSISTENT_2", "capacityGiB": 2400}
    storage = {
        "encryption": {"kmsKey": "none"},
        "lustre": [{**lustre, "throughputMBpsPerTiB": 250, "crossZone": True}],
    }
    found = line(bill(storage=storage), "Lustre data")
    assert found.kind is Kind.ALWAYS_ON
    assert found.idle_a_month.quantize(Decimal("0.01")) == Decimal("667.20")


def test_checkpoints_say_their_retention_beside_their_cost():
    checkpoints = {"name": "checkpoints", "expectedGiBPerDay": 100, "expireAfterDays": 60, "recoveryWindowDays": 30}
    storage = {"encryption": {"kmsKey": "none"}, "buckets": [checkpoints]}
    found = line(bill(storage=storage), "bucket checkpoints")
    assert found.kind is Kind.DATA
    assert found.how.startswith("kept 60 days, deleted objects 30 days more; ")
    assert found.idle_a_month.quantize(Decimal("0.01")) == Decimal("207.00")


def test_a_bucket_whose_size_nobody_states_is_unknown_and_says_what_to_state():
    storage = {"encryption": {"kmsKey": "none"}, "buckets": [{"name": "datasets"}]}
    found = line(bill(storage=storage), "bucket datasets")
    assert found.idle is None
    assert "say expectedGiBPerDay" in found.how


def test_two_bills_show_what_a_change_costs():
    before, after = bill(nodePools=[P5]), bill(nodePools=[{**P5, "nodes": {"fixed": 4}}])
    (change,) = changes(before, after)
    assert change.what == "pool p5"
    assert change.idle_a_month.quantize(Decimal(1)) == Decimal(160781)
    assert change.limit_a_month == 0


def test_a_pool_that_comes_and_one_that_goes_count_from_nothing():
    before, after = bill(nodePools=[P5]), bill(nodePools=[{**P5, "name": "other"}])
    came, went = changes(before, after)
    assert (came.what, came.before) == ("pool other", None)
    assert (went.what, went.after) == ("pool p5", None)
    assert came.limit_a_month == -went.limit_a_month


def test_a_difference_with_an_unknown_price_is_unknown():
    block = {"kind": "capacityBlock", "reservationIds": ["cr-0123456789abcdef0"]}
    fixed = {**P5, "nodes": {"fixed": 2}, "placementGroup": "none"}
    (change,) = changes(bill(nodePools=[fixed]), bill(nodePools=[{**fixed, "capacity": block}]))
    assert change.idle_a_month is None


@pytest.mark.parametrize("stack", stack_files(), ids=lambda stack: stack.name)
def test_every_environment_has_a_bill_whose_lines_name_fields_that_exist(stack):
    found = bill_of(load(stack.environment, region=stack.region), stack.region)
    assert len({(each.kind, each.what) for each in found.lines}) == len(found.lines)
    for each in found.lines:
        assert each.how, each.what
        assert each.idle is None or each.idle >= 0, each.what
    sections = {"cluster", "systemNodes", "network", "nodePools", "generalPools", "storage", "platform", "secrets"}
    assert {each.path.split(".")[0].split("[")[0] for each in found.lines} <= sections


def test_every_price_is_one_of_a_type_that_the_catalog_knows():
    unknown = {price.instance_type for price in instance_prices.PRICES} - set(INSTANCE_TYPES)
    assert unknown == set()
    assert all(price.source and price.source_date and price.date_seen for price in instance_prices.PRICES)


def test_the_root_disk_of_a_system_node_is_the_one_that_is_made():
    assert SYSTEM_ROOT_GIB == system_nodes.ROOT_VOLUME_GIB


def run(*arguments):
    return CliRunner().invoke(app, [*arguments])


def test_json_has_lines_and_totals_and_says_whether_a_total_is_complete():
    told = json.loads(run("prod", "--json").stdout)
    assert told["environment"] == "prod"
    assert told["hoursAMonth"] == 730
    assert told["totals"]["limit"]["complete"] is False
    assert "pool p5en" in told["totals"]["limit"]["unknown"]
    (p5,) = [each for each in told["lines"] if each["what"] == "pool p5"]
    assert (p5["path"], p5["idleUsdAnHour"]) == ("nodePools[1]", 0.0)


def test_the_table_says_at_least_where_a_price_is_missing():
    told = run("prod").stdout
    assert "Total, every pool at its limit: at least " in told
    assert "Not known: accounting database" in told


def test_sums_show_how_each_amount_came_about():
    assert "8 x 55.04 USD an hour of p5.48xlarge" in run("prod", "--sums").stdout


def test_an_unknown_environment_names_those_there_are():
    told = run("nowhere")
    assert told.exit_code == 2
    assert "There is no environment 'nowhere'. Name one of: dev, prod" in told.stderr


def test_a_broken_environment_is_told_with_all_its_problems():
    text = json.dumps({"config": {"aws:region": "us-west-2", ENVIRONMENT_KEY: {"owner": "x"}}})
    with pytest.raises(StackFileError, match=r"(?s)file: .*has \d+ problems.*network"):
        parse_stack("dev", text, "file")


@pytest.mark.parametrize(("text", "told"), [("[", "is not YAML"), ("a: 1", "no `config:`"), ("config: {a: 1}", "Add")])
def test_a_file_that_is_none_is_told_with_what_to_do(text, told):
    with pytest.raises(StackFileError, match=told):
        parse_stack("dev", text, "file")


def test_the_account_is_known_where_the_file_names_one():
    assert read_stack("dev").account is None


def test_keeping_answers_needs_asking():
    told = run("dev", "--write")
    assert (told.exit_code, "give both, or neither" in told.stderr) == (2, True)
