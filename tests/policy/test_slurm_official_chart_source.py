"""Where Slinky's charts come from."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.pins import CHARTS
from policies.rules.slurm_official_chart_source import POLICY
from policies.slurm_charts import SLINKY_CHARTS
from tests.policy.slurm_samples import CHART, OCI, RELEASE, release

pytestmark = pytest.mark.policy


@pytest.mark.parametrize("chart", SLINKY_CHARTS)
@pytest.mark.parametrize(
    "address",
    [
        f"{OCI}/{{}}",
        "oci://111122223333.dkr.ecr.us-west-2.amazonaws.com/charts/{}",
        "oci://registry.example.com:5000/slinky/{}",
        "../shared/charts/{}",
        "/srv/charts/{}/",
        "charts/{}-1.2.3.tgz",
        "{}",
    ],
)
def test_the_official_registry_and_mirrors_pass(check, chart, address):
    assert check(POLICY, RELEASE, release(chart, chart=address.format(chart))) == []


def test_a_registry_as_a_repository_passes(check):
    assert check(POLICY, RELEASE, release("slurm", chart="slurm", repositoryOpts={"repo": OCI})) == []
    assert check(POLICY, RELEASE, release("slurm", chart="slurm", repositoryOpts={"repo": UNKNOWN})) == []


@pytest.mark.parametrize("pin", CHARTS.values(), ids=lambda pin: pin.name)
def test_every_chart_that_we_install_passes(check, pin):
    oci = pin.repository.startswith("oci://")
    where = {"chart": f"{pin.repository}/{pin.name}"} if oci else {"repositoryOpts": {"repo": pin.repository}}
    assert check(POLICY, RELEASE, {"name": pin.name, "chart": pin.name, "version": pin.version, **where}) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [
        ({"chart": "slinky", "repositoryOpts": {"repo": "https://slinky.example/charts"}}, "none of Slinky's three"),
        ({"chart": "cluster", "repositoryOpts": {"repo": "https://slinky.example/charts"}}, "none of Slinky's three"),
        ({"chart": "oci://ghcr.io/slinky/charts/cluster"}, "none of Slinky's three"),
        ({"chart": "slurm", "repositoryOpts": {"repo": "https://charts.example"}}, "by OCI only"),
        ({"chart": "https://example.com/slurm-operator-1.2.3.tgz"}, "by OCI only"),
        ({"chart": "oci://ghcr.io/somebody/charts/slurm"}, "another owner"),
        ({"chart": "oci://docker.io/slinkyproject/slurm-operator"}, "another owner"),
        ({"chart": "oci://ghcr.io/slinkyproject-fork/charts/slurm"}, "another owner"),
    ],
)
def test_another_source_is_refused_with_the_official_one_and_a_mirror(check, props, words):
    [message] = check(POLICY, RELEASE, {"name": "slurm", "version": "1.2.3", **props}, name="slurm")
    assert "Release 'slurm' installs" in message
    assert words in message
    assert OCI in message
    assert ", or name a mirror of your own" in message


@pytest.mark.parametrize("chart", [None, [], 3, UNKNOWN, ""])
def test_a_chart_that_a_preview_does_not_know_passes(check, chart):
    assert check(POLICY, RELEASE, {"name": "x", "chart": chart}) == []


def test_other_resources_and_charts_that_show_nothing_are_not_its_business(check):
    assert check(POLICY, CHART, {}) == ["not applicable"]
    assert check(POLICY, "kubernetes:apps/v1:Deployment", {"chart": "slinky"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    response = analyzer.analyze(RELEASE, release("slurm", chart="oci://ghcr.io/somebody/charts/slurm"))
    [found] = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
