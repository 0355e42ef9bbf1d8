"""`./scripts/cost --refresh`: what is asked of the Pricing API, which of its answers are taken, and which are not.

The answers have the shape of AWS' price list and were made by hand: no account was asked.
"""

import json
from datetime import date
from decimal import Decimal

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import ANY, Stubber
from typer.testing import CliRunner

from components.catalog import instance_prices, service_prices
from components.catalog.service_prices import EKS, EXTENDED_SUPPORT, KMS, LUSTRE, STANDARD_SUPPORT
from scripts.costing import __main__ as command
from scripts.costing.bill import bill_of
from scripts.costing.price_book import CATALOG
from scripts.costing.price_files import write
from scripts.costing.refresh import Recorder, RefreshError, refreshed
from scripts.costing.stack_files import read_stack

pytestmark = pytest.mark.scripts

REGION = "us-west-2"
TODAY = date(2026, 12, 1)


@pytest.fixture(autouse=True)
def no_account(monkeypatch):
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")


def product(usage, usd, unit, begin="0", **attributes):
    dimension = {"unit": unit, "beginRange": begin, "endRange": "Inf", "pricePerUnit": {"USD": usd}}
    return json.dumps(
        {
            "product": {"attributes": {"usagetype": usage, "regionCode": REGION, **attributes}},
            "publicationDate": "2026-11-28T00:00:00Z",
            "terms": {
                "OnDemand": {"A.B": {"effectiveDate": "2026-11-01T00:00:00Z", "priceDimensions": {"A.B.C": dimension}}}
            },
        }
    )


def box(usd, usage="USW2-BoxUsage:p5.48xlarge", status="Used"):
    return product(usage, usd, "Hrs", capacitystatus=status)


class Pages:
    """A client whose answers are pages of price lists, in the order of the questions."""

    def __init__(self, *pages):
        self.client = boto3.client("pricing", region_name="us-east-1")
        self._stub = Stubber(self.client)
        for page in pages:
            self._stub.add_response("get_products", page if isinstance(page, dict) else {"PriceList": page})
        self._stub.activate()


def ask(*pages, instances=(), services=()):
    client = Pages(*pages).client
    return refreshed(client, REGION, instances=instances, services=services, today=TODAY)


def test_the_price_of_the_region_is_taken_with_its_dates_and_source():
    found = ask([box("50.0000000000")], instances=["p5.48xlarge"])
    price = found.book.instance("p5.48xlarge", REGION)
    assert price.usd == 50
    assert (price.source_date, price.date_seen) == ("2026-11-01", "2026-12-01")
    assert price.source == "AWS Price List API, AmazonEC2, published 2026-11-28T00:00:00Z"
    (answer,) = found.answers
    assert (answer.before, answer.after) == (Decimal("55.04"), 50)


def test_reserved_and_other_products_of_a_type_are_passed_over():
    others = [box("0.0", status="AllocatedCapacityReservation"), box("9", usage="USW2-UnusedBox:p5.48xlarge")]
    found = ask([*others, box("50"), box("7", usage="USW2-BoxUsage:p5.4xlarge")], instances=["p5.48xlarge"])
    assert found.book.instance("p5.48xlarge", REGION).usd == 50


def test_what_is_asked_names_the_type_and_the_region():
    client = boto3.client("pricing", region_name="us-east-1")
    with Stubber(client) as stub:
        stub.add_response(
            "get_products",
            {"PriceList": [box("50")]},
            {"ServiceCode": "AmazonEC2", "Filters": ANY, "FormatVersion": "aws_v1", "MaxResults": 100},
        )
        refreshed(client, REGION, instances=["p5.48xlarge"], services=[], today=TODAY)
        stub.assert_no_pending_responses()


def test_pages_are_read_to_the_end():
    first = {"PriceList": [box("1", usage="other")], "NextToken": "more"}
    assert ask(first, [box("50")], instances=["p5.48xlarge"]).book.instance("p5.48xlarge", REGION).usd == 50


def test_two_prices_that_fit_are_shown_and_neither_is_taken():
    found = ask([box("50"), box("60")], instances=["p5.48xlarge"])
    (answer,) = found.answers
    assert answer.after is None
    assert answer.why == "2 prices fit (50, 60): not taken"
    assert found.book.instance("p5.48xlarge", REGION).usd == Decimal("55.04")


def test_a_price_that_aws_does_not_have_keeps_the_old_one_and_says_so():
    (answer,) = ask([], instances=["p5.48xlarge"]).answers
    assert "no answer fits: AWS has no such price in us-west-2" in answer.why


def test_extended_support_is_a_surcharge_in_the_price_list_and_a_whole_price_here():
    pages = [
        [product("USW2-AmazonEKS-Hours:extendedSupport", "0.5", "Hours")],
        [product("USW2-AmazonEKS-Hours:perCluster", "0.1", "Hours")],
    ]
    found = ask(*pages, services=[(EKS, EXTENDED_SUPPORT)])
    assert found.book.service(EKS, EXTENDED_SUPPORT, REGION).usd == Decimal("0.6")


def test_the_first_tier_counts_and_free_ones_do_not():
    tiers = [
        product("TimedStorage-ByteHrs", "0.0", "GB-Mo"),
        product("TimedStorage-ByteHrs", "0.021", "GB-Mo", begin="512000"),
        product("USW2-TimedStorage-ByteHrs", "0.023", "GB-Mo"),
    ]
    assert ask(tiers, services=[("S3", "STANDARD")]).book.service("S3", "STANDARD", REGION).usd == Decimal("0.023")


def test_what_no_source_names_in_the_price_list_is_not_asked():
    (answer,) = ask(services=[(LUSTRE, "SCRATCH_2 SSD")]).answers
    assert answer.why == "not asked: no source says how AWS' price list names it"


def test_lustre_is_known_by_its_throughput():
    page = [product("USW2-whatever", "0.21", "GB-Mo")]
    found = ask(page, services=[(LUSTRE, "PERSISTENT_2 SSD 250")])
    assert found.book.service(LUSTRE, "PERSISTENT_2 SSD 250", REGION).usd == Decimal("0.21")


def test_a_missing_right_is_named_with_a_way_to_go_on_without():
    client = boto3.client("pricing", region_name="us-east-1")
    with Stubber(client) as stub:
        stub.add_client_error("get_products", "AccessDeniedException", "no")
        with pytest.raises(RefreshError, match=r"AccessDeniedException.*pricing:GetProducts.*run without --refresh"):
            refreshed(client, REGION, instances=["p5.48xlarge"], services=[])


def test_no_network_is_told_in_a_sentence():
    class Nobody:
        def get_products(self, **_):
            raise EndpointConnectionError(endpoint_url="https://api.pricing.us-east-1.amazonaws.com")

    with pytest.raises(RefreshError, match="AWS cannot be asked"):
        refreshed(Nobody(), REGION, instances=["p5.48xlarge"], services=[])


def test_exactly_what_the_bill_looks_up_is_asked():
    stack, recorder = read_stack("dev"), Recorder(CATALOG)
    assert bill_of(stack.environment, stack.region, recorder) == bill_of(stack.environment, stack.region)
    assert {"p5.48xlarge", "trn1.32xlarge", "m7i.2xlarge"} <= set(recorder.asked_instances)
    assert {(EKS, STANDARD_SUPPORT), (KMS, "customer key")} <= set(recorder.asked_services)
    assert (LUSTRE, "PERSISTENT_2 SSD 250") not in recorder.asked_services


def test_answers_are_kept_in_the_catalogs_files_row_by_row(tmp_path):
    instances, services = tmp_path / "instances.csv", tmp_path / "services.csv"
    instances.write_text(instance_prices.DATA.read_text(encoding="utf-8"), encoding="utf-8")
    services.write_text(service_prices.DATA.read_text(encoding="utf-8"), encoding="utf-8")
    before = len(instances.read_text(encoding="utf-8").splitlines())
    page = [product("USW2-KMS-Keys", "1", "Keys")]
    found = ask([box("50")], page, instances=["p5.48xlarge"], services=[(KMS, "customer key")])
    assert write(found, instances, services) == [instances, services]
    lines = instances.read_text(encoding="utf-8").splitlines()
    assert len(lines) == before + 1
    assert lines[-1].startswith("p5.48xlarge,us-west-2,50,exact,2026-11-01,2026-12-01,")
    again = ask([box("51")], instances=["p5.48xlarge"])
    assert write(again, instances, services) == [instances]
    rows = instances.read_text(encoding="utf-8").splitlines()
    assert len(rows) == before + 1
    assert rows[-1].startswith("p5.48xlarge,us-west-2,51,")


def test_the_command_tells_what_differs_and_goes_on_with_the_answers(monkeypatch):
    monkeypatch.setattr(command, "pricing_client", lambda profile: Prices())
    told = CliRunner().invoke(command.app, ["dev", "--refresh", "--json"])
    assert told.exit_code == 0
    assert "p5.48xlarge: 55.04 -> 50" in told.stderr
    (p5,) = [each for each in json.loads(told.stdout)["lines"] if each["what"] == "pool p5"]
    assert "price of us-west-2, source 2026-11-01" in p5["how"]


class Prices:
    """Knows one price."""

    def get_products(self, *, Filters, **_):  # noqa: N803
        asked = {each["Field"]: each["Value"] for each in Filters}
        assert asked["regionCode"] == REGION
        return {"PriceList": [box("50")] if asked.get("instanceType") == "p5.48xlarge" else []}


def test_the_command_without_credentials_ends_in_a_sentence(monkeypatch):
    class Refused:
        def get_products(self, **_):
            raise EndpointConnectionError(endpoint_url="https://x")

    monkeypatch.setattr(command, "pricing_client", lambda profile: Refused())
    told = CliRunner().invoke(command.app, ["dev", "--refresh"])
    assert told.exit_code == 2
    assert "run without --refresh" in told.stderr
