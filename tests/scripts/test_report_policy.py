"""`./scripts/report policy`: findings of a preview as text, JSON and SARIF."""

import json

import pytest
from typer.testing import CliRunner

from policies.rules import ALL
from scripts.reporting.__main__ import app
from scripts.reporting.findings import findings

pytestmark = pytest.mark.scripts

POOL = "urn:pulumi:dev::p::ekstraining:capacity:TrainingNodePool$kubernetes:karpenter.sh/v1:NodePool::pool-p5"
STACK = "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev"
SPOT, DRIVER, AMI = "karpenter-no-spot-on-efa-pools", "csi-driver-present", "karpenter-nodeclass-ami-pinned"


def event(rule, level, message, urn=POOL):
    told = {"policyName": rule, "enforcementLevel": level, "message": message, "resourceUrn": urn, "severity": "high"}
    return {"sequence": 1, "policyEvent": told}


EVENTS = [
    {"resourcePreEvent": {}},
    event(AMI, "advisory", f"<{{%reset%}}>A description.\ncan't run policy '{AMI}' during preview: .spec"),
    event(SPOT, "mandatory", "<{%reset%}>A description.\nNodePool 'p5' may buy spot. Do this, or that."),
    event(SPOT, "mandatory", "<{%reset%}>A description.\nNodePool 'p5' may buy spot. Do this, or that."),
    event(DRIVER, "advisory", "A claim needs a driver. Add it, or not.", urn=STACK),
]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in EVENTS) + "\n{half a line")
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["policy", "dev", *map(str, arguments)])


def test_the_worst_comes_first_and_the_same_sentence_once():
    assert [(each.rule, each.level) for each in findings(EVENTS)] == [
        (SPOT, "mandatory"),
        (DRIVER, "advisory"),
        (AMI, "undecided"),
    ]


def test_a_person_reads_rule_resource_and_message(log):
    done = run("--events", log)
    assert done.exit_code == 1
    assert "mandatory  karpenter-no-spot-on-efa-pools" in done.stdout
    assert "kubernetes:karpenter.sh/v1:NodePool pool-p5" in done.stdout
    assert "A description." not in done.stdout
    assert "the stack\n" in done.stdout


def test_json_counts_what_could_not_be_decided_apart(log):
    told = json.loads(run("--events", log, "--format", "json").stdout)
    assert (told["mandatory"], told["advisory"], told["undecided"]) == (1, 1, 1)
    assert told["rules"] == len(ALL)
    assert told["findings"][0]["resource"] == "kubernetes:karpenter.sh/v1:NodePool pool-p5"


def test_sarif_places_findings_at_the_environments_file_and_lists_every_rule(log, tmp_path):
    output = tmp_path / "policy.sarif"
    assert run("--events", log, "--format", "sarif", "--output", output).exit_code == 1
    told = json.loads(output.read_text())
    [found] = told["runs"]
    assert told["version"] == "2.1.0"
    assert [rule["id"] for rule in found["tool"]["driver"]["rules"]] == [rule.name for rule in ALL]
    assert [result["level"] for result in found["results"]] == ["error", "warning", "note"]
    first = found["results"][0]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "stacks/Pulumi.dev.yaml"}
    assert found["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == SPOT
    assert len({json.dumps(result["partialFingerprints"]) for result in found["results"]}) == 3


def test_nothing_found_is_said_and_is_no_failure(tmp_path):
    empty = tmp_path / "events.jsonl"
    empty.write_text("")
    done = run("--events", empty)
    assert done.exit_code == 0
    assert f"{len(ALL)} rules, nothing to say" in done.stdout


def test_no_preview_to_read_is_said_with_two_ways_out(tmp_path):
    done = run("--events", tmp_path / "absent.jsonl")
    assert done.exit_code == 2
    assert "Run `./scripts/sandbox preview dev` first, or name a file" in done.stderr
    other = CliRunner().invoke(app, ["policy", "nowhere"])
    assert other.exit_code == 2
    assert "There is no environment 'nowhere'" in other.stderr
