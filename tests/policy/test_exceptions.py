"""Exceptions hold for what they name until their last day, are said meanwhile, and fail once they have expired."""

from datetime import date

import pytest
from pulumi_policy import EnforcementLevel, ResourceValidationArgs, StackValidationArgs
from pulumi_policy.proxy import unknown_checking_proxy

from policies.exceptions import FILE, Entry, load, with_exceptions
from policies.rules import ALL
from tests.policy.planned import Planned
from tests.policy.pool_samples import NODE_POOL, requiring

pytestmark = pytest.mark.policy

NAMES = [rule.name for rule in ALL]
SPOT = "karpenter-no-spot-on-efa-pools"
STACK_RULE = "csi-driver-present"
TODAY = date(2026, 12, 1)
ROW = "rule: karpenter-no-spot-on-efa-pools, resources: [p5*], reason: The loss is accepted., expires: 2026-12-01"


def entry(**changes) -> Entry:
    told = {"rule": SPOT, "resources": ("p5*",), "reason": "The loss is accepted.", "expires": TODAY}
    return Entry(**{**told, **changes})


def rule_of(name, *entries, today=TODAY, problems=()):
    return {rule.name: rule for rule in with_exceptions(ALL, entries, problems, today)}[name]


def said(rule, name="p5-spot", stack="dev"):
    found = []
    args = ResourceValidationArgs(
        NODE_POOL,
        unknown_checking_proxy(requiring("karpenter.sh/capacity-type", "spot")),
        f"urn:pulumi:{stack}::project::{NODE_POOL}::{name}",
        name,
        None,
        None,
    )
    rule.validate(args, lambda message, urn=None: found.append(message))
    return found


def said_of_a_stack(rule, stack="dev"):
    found = []
    resource = Planned(type="a:b:C", name="x", props={})
    urn = resource.urn.replace("pulumi:test", f"pulumi:{stack}")
    made = type("Made", (), {"urn": urn, "resource_type": resource.type, "name": "x", "props": {}})()
    rule.validate(StackValidationArgs([made]), lambda message, urn=None: found.append(message))
    return found


def test_without_entries_every_rule_is_as_it_was():
    assert with_exceptions(ALL, [], [], TODAY)[:-2] == ALL


def test_an_excepted_resource_passes_on_the_last_day_too_and_others_are_refused():
    rule = rule_of(SPOT, entry())
    assert said(rule) == []
    assert len(said(rule, name="reserved")) == 1
    assert rule.enforcement_level == EnforcementLevel.MANDATORY
    assert rule.tags


def test_an_exception_of_other_stacks_does_not_hold_here():
    assert len(said(rule_of(SPOT, entry(stacks=("sandbox",))), stack="prod")) == 1


def test_the_day_after_it_holds_no_more_and_the_preview_fails_with_it():
    after = date(2026, 12, 2)
    assert len(said(rule_of(SPOT, entry(), today=after))) == 1
    expired = rule_of("policy-exceptions-not-expired", entry(), today=after)
    [message] = said_of_a_stack(expired)
    assert "'karpenter-no-spot-on-efa-pools' expired on 2026-12-01 (The loss is accepted.)" in message
    assert expired.enforcement_level == EnforcementLevel.MANDATORY


def test_what_is_in_force_is_said_in_the_stacks_that_it_is_about():
    rule = rule_of("policy-exceptions-in-force", entry(stacks=("dev",)))
    assert said_of_a_stack(rule) == [
        "Until 2026-12-01 rule 'karpenter-no-spot-on-efa-pools' does not judge p5*: The loss is accepted."
    ]
    assert said_of_a_stack(rule, stack="prod") == []
    assert rule.enforcement_level == EnforcementLevel.ADVISORY


def test_a_level_makes_a_rule_advisory_or_takes_it_out():
    advisory = entry(resources=(), level="advisory")
    assert rule_of(SPOT, advisory).enforcement_level == EnforcementLevel.ADVISORY
    assert len(said(rule_of(SPOT, advisory))) == 1
    left = with_exceptions(ALL, [entry(resources=(), level="disabled")], [], TODAY)
    assert SPOT not in {rule.name for rule in left}


def test_a_rule_of_stacks_is_excepted_by_the_resource_that_it_names():
    rule = rule_of(STACK_RULE, entry(rule=STACK_RULE, resources=("x",)))
    assert rule.name == STACK_RULE
    assert Entry.excuses(entry(rule=STACK_RULE, resources=("x",)), STACK_RULE, "urn:pulumi:dev::p::a:b:C::x")
    assert not Entry.excuses(entry(rule=STACK_RULE, resources=("x",)), STACK_RULE, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exceptions: [{" + ROW.replace(SPOT, "no-such-rule") + "}]", "names rule 'no-such-rule'"),
        ("exceptions: [{" + ROW.replace("The loss is accepted.", "ok") + "}]", "no reason of at least ten letters"),
        ("exceptions: [{" + ROW.replace("2026-12-01", "soon") + "}]", "expires 'soon', which is no day"),
        ("exceptions: [{" + ROW.replace("resources: [p5*], ", "") + "}]", "no list of names in resources"),
        ("exceptions: [{" + ROW + ", until: x}]", "has until, which nothing reads"),
        ("levels: [{" + ROW.replace("resources: [p5*]", "level: off") + "}]", "has level False"),
        ("exceptions: [7]", "is no mapping"),
        ("exception: []", "other keys than exceptions and levels"),
        ("[1]", "other keys than exceptions and levels"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_fails_the_preview_with_its_problems(tmp_path, text, message):
    path = tmp_path / "exceptions.yaml"
    path.write_text(text)
    entries, problems = load(path, rules=NAMES)
    assert entries == []
    assert any(message in problem and ", or " in problem for problem in problems), problems
    failing = rule_of("policy-exceptions-not-expired", problems=problems)
    assert said_of_a_stack(failing) == problems


def test_a_good_file_is_read_and_another_one_may_stand_in_its_place(tmp_path, monkeypatch):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "exceptions: [{" + ROW + "}]\nlevels: [{" + ROW.replace("resources: [p5*]", "level: advisory") + "}]"
    )
    monkeypatch.setenv("EKS_POLICY_EXCEPTIONS", str(path))
    entries, problems = load(rules=NAMES)
    assert problems == []
    assert [(each.resources, each.level, each.expires) for each in entries] == [
        (("p5*",), "", TODAY),
        ((), "advisory", TODAY),
    ]
    monkeypatch.setenv("EKS_POLICY_EXCEPTIONS", str(tmp_path / "absent.yaml"))
    assert "does not exist" in load(rules=NAMES)[1][0]


def test_our_own_file_is_read():
    assert load(FILE, rules=NAMES)[1] == []
