"""Preflight as a whole: a page of faults all named in one run, the number of calls, the time, and the command."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from moto import mock_aws
from typer.testing import CliRunner

from scripts.findings import Level
from scripts.preflighting import __main__ as command
from scripts.preflighting.asking import Aws, ask_all
from scripts.preflighting.run import CONCERNS
from tests.scripts import preflight_account as given

pytestmark = pytest.mark.scripts

LATENCY = 0.2
LONGEST_CHAIN = 2
"""Calls one after the other in the longest chain: an identity, then what its policies allow."""


@pytest.fixture
def account(monkeypatch) -> Iterator[given.Account]:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with mock_aws():
        yield given.Account()


def with_pools(number: int) -> dict[str, Any]:
    """That many pools of one node each, a third of them in each zone."""
    environment = given.example()
    pool = {**environment["nodePools"][0], "nodes": {"max": 1}}
    environment["nodePools"] = [{**pool, "name": f"p{at}", "zone": given.ZONES[at % 3]} for at in range(number)]
    return environment


def faulty(account: given.Account) -> dict[str, Any]:
    """An environment and an account with a fault of each kind."""
    environment = given.example()
    pools = environment["nodePools"]
    pools[0].update(capacity={"kind": "odcr", "reservationIds": ["cr-0aa"]}, placementGroup={"id": "pg-0aa"})
    pools[1].update(zone="us-west-2a")
    pools.append(
        {
            **{key: value for key, value in pools[0].items() if key != "maintenanceWindow"},
            "name": "block",
            "nodes": {"fixed": 2},
            "placementGroup": "none",
            "capacity": {"kind": "capacityBlock", "reservationIds": ["cr-0bb"]},
        }
    )
    environment["storage"]["buckets"][0]["existing"] = "nowhere-to-be-found"
    environment["cluster"]["addonVersions"]["coredns"] = "v0.0.1-eksbuild.1"
    over = given.NOW - timedelta(days=1)
    account.answers.update(
        {
            "DescribeInstanceTypeOfferings": given.offered(trn1=("us-west-2c",)),
            "ListServiceQuotas": given.quotas(L_2C3B7624=128),
            "DescribeCapacityReservations": {
                "CapacityReservations": [given.reservation("cr-0aa"), given.block("cr-0bb", EndDate=over)]
            },
            "DescribePlacementGroups": {
                "PlacementGroups": [{"GroupId": "pg-0aa", "Strategy": "cluster", "State": "available"}]
            },
            "ListRoles": given.refused("AccessDenied", "no"),
            "DescribeLoadBalancers": given.unreachable("https://elasticloadbalancing.us-west-2.amazonaws.com/"),
        }
    )
    return environment


def test_a_page_of_faults_is_named_in_one_run_each_at_its_field(account, tmp_path):
    subject = given.subject_of(tmp_path, faulty(account), accounts=("999988887777",))
    found = account.findings(subject)
    named = {(each.level, each.check, each.field) for each in found}
    assert {
        (Level.ERROR, "account", "aws:allowedAccountIds"),
        (Level.ERROR, "offerings", "nodePools[1].zone"),
        (Level.ERROR, "quotas", "nodePools[1].nodes.max"),
        (Level.ERROR, "reservations", "nodePools[0].placementGroup.id"),
        (Level.ERROR, "reservations", "nodePools[2].capacity.reservationIds[0]"),
        (Level.ERROR, "buckets", "storage.buckets[0].existing"),
        (Level.ERROR, "addons", "cluster.addonVersions.coredns"),
        (Level.UNKNOWN, "service_roles", "aws:profile"),
        (Level.UNKNOWN, "live", "aws:region"),
    } <= named
    levels = list(Level)
    assert [levels.index(each.level) for each in found] == sorted(levels.index(each.level) for each in found)
    assert all(each.reason and each.way_out for each in found)


def test_a_hundred_pools_take_as_many_calls_as_one(account, tmp_path):
    counted = []
    for number in (1, 100):
        account.calls.clear()
        account.findings(given.subject_of(tmp_path, with_pools(number)))
        counted.append(dict(account.calls))
    assert counted[0] == counted[1]
    assert sum(counted[0].values()) > 20


NOTHING = {
    "DescribeAddresses": {"Addresses": []},
    "DescribeAvailabilityZones": {"AvailabilityZones": []},
    "DescribeCluster": given.refused("ResourceNotFoundException"),
    "DescribeFileSystems": {},
    "DescribeInstanceTypes": {},
    "DescribeInstances": {},
    "DescribeLoadBalancers": {},
    "DescribeNatGateways": {},
    "DescribeRegions": {"Regions": []},
    "DescribeSecurityGroups": {},
    "DescribeSubnets": {},
    "DescribeVpcs": {},
    "GetCallerIdentity": {"Account": given.ACCOUNT, "Arn": f"arn:aws:iam::{given.ACCOUNT}:user/deploy"},
}
"""Answers that cost no work: what is measured is the waiting."""


def test_with_latency_the_answers_are_there_after_hardly_more_than_the_longest_chain(account, tmp_path):
    subject = given.subject_of(tmp_path, given.example())
    questions = list({each: None for concern in CONCERNS for each in concern(subject).questions()})
    account.answers.update(NOTHING)
    aws = Aws(account.session(), subject.region)
    # Clients are made at the first use: work of this machine, which no latency touches.
    ask_all(aws, questions, lambda _done, _all: None)
    account.calls.clear()
    account.seconds = LATENCY
    began = time.monotonic()
    ask_all(aws, questions, lambda _done, _all: None)
    wall, calls = time.monotonic() - began, sum(account.calls.values())
    print(f"{calls} calls of {LATENCY} s: {wall:.2f} s, {wall / (LONGEST_CHAIN * LATENCY):.2f} of the longest chain")
    assert calls > 20
    assert wall <= 1.3 * LONGEST_CHAIN * LATENCY


def test_progress_is_told_answer_by_answer_up_to_all(account, tmp_path):
    told: list[tuple[int, int]] = []
    given.preflight(
        given.subject_of(tmp_path, given.example()), account.session(), lambda done, whole: told.append((done, whole))
    )
    assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))


@pytest.fixture
def sessions(account, monkeypatch) -> None:
    made = account.session()
    monkeypatch.setattr(command.boto3, "Session", lambda **_: made)


def started(tmp_path: Any, environment: dict[str, Any], *options: str) -> Any:
    given.subject_of(tmp_path, environment)
    return CliRunner().invoke(command.app, ["dev", "--stacks", str(tmp_path), *options])


@pytest.mark.usefixtures("sessions")
def test_the_command_ends_with_0_where_nothing_stands_against_it(tmp_path):
    done = started(tmp_path, given.example(), "--no-notes")
    assert (done.exit_code, "dev in us-west-2: nothing to say" in done.stdout) == (0, True)


@pytest.mark.usefixtures("sessions")
def test_the_command_ends_with_1_at_an_error_and_shows_field_value_reason_and_way_out(account, tmp_path):
    account.answers["DescribeInstanceTypeOfferings"] = given.offered(p5=("us-west-2a",))
    done = started(tmp_path, given.example())
    assert done.exit_code == 1
    assert "error    nodePools[0].zone = us-west-2b" in done.stdout
    assert "-> use us-west-2a, which the network has" in done.stdout


@pytest.mark.usefixtures("sessions")
def test_the_command_ends_with_3_where_aws_could_not_be_asked(account, tmp_path):
    account.answers["ListRoles"] = given.refused("AccessDenied")
    assert started(tmp_path, given.example()).exit_code == 3


@pytest.mark.usefixtures("sessions")
def test_json_has_every_finding_and_the_counts(account, tmp_path):
    account.answers["ListServiceQuotas"] = given.quotas(L_417A185B=1)
    told = json.loads(started(tmp_path, given.example(), "--json").stdout)
    assert (told["environment"], told["region"], told["counts"]["error"]) == ("dev", "us-west-2", 1)
    assert told["findings"][0]["field"] == "nodePools[0].nodes.max"
    assert "allowed 1." in told["findings"][0]["reason"]


def test_an_environment_that_does_not_exist_ends_with_2_and_names_those_that_do(tmp_path):
    (tmp_path / "Pulumi.staging.yaml").write_text("{}", encoding="utf-8")
    done = CliRunner().invoke(command.app, ["dev", "--stacks", str(tmp_path)])
    assert (done.exit_code, "Name one of: staging" in done.output) == (2, True)


def test_an_invalid_file_ends_with_2_before_aws_is_asked(tmp_path):
    environment = given.example()
    (tmp_path / "Pulumi.dev.yaml").write_text(
        json.dumps(
            {"config": {"aws:region": "us-west-2", "eks-training-platform:environment": {**environment, "x": 1}}}
        ),
        encoding="utf-8",
    )
    done = CliRunner().invoke(command.app, ["dev", "--stacks", str(tmp_path), "--json"])
    assert done.exit_code == 2
    assert json.loads(done.stdout)["problems"][0]["field"] == "x"
