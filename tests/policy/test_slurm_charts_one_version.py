"""One version for Slinky's three charts."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_charts_one_version import POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_samples import RELEASE, chain, exchanged, release, slurm

pytestmark = pytest.mark.policy


def test_a_chain_of_one_version_passes_and_cert_manager_has_its_own(check_stack):
    assert check_stack(POLICY, chain()) == []
    assert check_stack(POLICY, exchanged(chain(), "operator", props=release("slurm-operator", version="v1.2.3"))) == []


@pytest.mark.parametrize("version", ["1.2.2", "v1.2.2", "1.1.10"])
def test_an_older_chart_is_refused_with_the_versions_of_all(check_stack, version):
    older = release("slurm-operator-crds", version=version)
    [message] = check_stack(POLICY, exchanged(chain(), "crds", props=older))
    assert "Release 'crds' is of another version than the others" in message
    assert f"slurm-operator-crds {version.removeprefix('v')} ('crds'), slurm-operator 1.2.3 ('operator')" in message
    assert "version: 1.2.3 here, or one version for all" in message


def test_a_newer_cluster_is_refused_at_the_two_others(check_stack):
    found = check_stack(POLICY, exchanged(chain(), "cluster", props=slurm(version="1.10.0")))
    assert [message.split(" is of")[0] for message in found] == ["Release 'crds'", "Release 'operator'"]
    assert all("version: 1.10.0 here" in message for message in found)


@pytest.mark.parametrize("version", [UNKNOWN, None, [], ""])
def test_a_version_that_a_preview_does_not_know_passes(check_stack, version):
    assert check_stack(POLICY, exchanged(chain(), "crds", props=release("slurm-operator-crds", version=version))) == []


def test_a_chart_alone_or_one_that_shows_nothing_is_not_its_business(check_stack):
    assert check_stack(POLICY, chain()[:2]) == ["not applicable"]
    bare = [Planned(type=RELEASE, name=name, props={}) for name in ("a", "b")]
    assert check_stack(POLICY, bare) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_older_release(analyzer):
    stack = exchanged(chain(), "crds", props=release("slurm-operator-crds", version="1.2.2"))
    found = [d for d in analyzer.analyze_stack(stack).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, stack[1].urn)]
