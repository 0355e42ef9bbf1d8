"""Every rule runs, is documented, and names what it enforces."""

import ast
import re

import pytest
from pulumi_policy import EnforcementLevel, ResourceValidationPolicy, Severity

from policies import rules
from tests.support import ROOT

pytestmark = pytest.mark.policy

MODULES = sorted(path.stem for path in (ROOT / "policies" / "rules").glob("*.py") if path.stem != "__init__")

every_rule = pytest.mark.parametrize("policy", rules.ALL, ids=lambda policy: policy.name)


def test_every_module_in_the_folder_is_run():
    assert sorted(policy.name.replace("-", "_") for policy in rules.ALL) == MODULES


def test_names_are_unique():
    names = [policy.name for policy in rules.ALL]
    assert len(names) == len(set(names))


@every_rule
def test_a_name_reads_service_type_claim(policy):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+){2,}", policy.name)


@every_rule
def test_a_description_is_one_sentence(policy):
    assert re.fullmatch(r"[A-Z][^.]*\.", policy.description)


@every_rule
def test_the_level_is_said_and_never_rewrites_resources(policy):
    assert policy.enforcement_level in (EnforcementLevel.MANDATORY, EnforcementLevel.ADVISORY)
    assert not (isinstance(policy, ResourceValidationPolicy) and policy.has_remediation())


@every_rule
def test_metadata_is_complete(policy):
    assert policy.display_name
    assert isinstance(policy.severity, Severity)
    assert policy.url.startswith("https://")
    assert policy.remediation_steps.endswith(".")
    assert policy.tags


@every_rule
def test_a_rule_has_tests_for_passing_violating_unknown_and_not_applicable(policy):
    path = ROOT / "tests" / "policy" / f"test_{policy.name.replace('-', '_')}.py"
    tests = " ".join(
        node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    )
    for word in ("passes", "refused", "preview", "not_its_business", "the_engine_gets"):
        assert word in tests, f"{path.name} has no test about {word}"


def test_the_engine_is_told_all_of_it(analyzer):
    told = {policy.name: policy for policy in analyzer.info.policies}
    assert set(told) == {policy.name for policy in rules.ALL}
    for policy in rules.ALL:
        assert told[policy.name].displayName == policy.display_name
        assert list(told[policy.name].tags) == policy.tags


def test_the_pack_runs_in_the_projects_environment():
    text = (ROOT / "policies" / "PulumiPolicy.yaml").read_text(encoding="utf-8")
    assert "virtualenv: ../.venv" in text
