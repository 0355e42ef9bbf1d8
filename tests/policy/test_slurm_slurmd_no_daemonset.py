"""slurmd is no DaemonSet."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_slurmd_no_daemonset import POLICY
from tests.policy.slurm_object_samples import NODE_SET, ODD, node_set
from tests.policy.workload_samples import BUCKET

pytestmark = pytest.mark.policy

DAEMON_SET = "kubernetes:apps/v1:DaemonSet"


def daemon_set(called="exporter", **container):
    found = {"name": "main", "image": "registry.example/exporter:1.0", **container}
    return {"metadata": {"name": called}, "spec": {"template": {"spec": {"containers": [found]}}}}


@pytest.mark.parametrize(
    "container",
    [
        {},
        {"image": "registry.example/slurmd-exporter:1.0"},
        {"image": "registry.example/slurmd/exporter:1.0"},
        {"command": ["/bin/exporter", "--watch=slurmd.log"]},
    ],
)
def test_a_daemonset_of_something_else_passes(check, container):
    assert check(POLICY, DAEMON_SET, daemon_set(**container)) == []


@pytest.mark.parametrize(
    "container",
    [
        {"image": "ghcr.io/slinkyproject/slurmd:26.05-ubuntu26.04"},
        {"image": "registry.example:5000/dlc-slurmd@sha256:" + "a" * 64},
        {"image": "slurmd"},
        {"name": "slurmd"},
        {"command": ["/usr/sbin/slurmd", "-D"]},
        {"command": ["bash", "-c"], "args": ["munged && exec slurmd -D"]},
    ],
)
def test_one_that_runs_slurmd_is_refused_with_ways_out(check, container):
    [message] = check(POLICY, DAEMON_SET, daemon_set(**container))
    assert "DaemonSet 'exporter' runs slurmd in container" in message
    assert "Make a NodeSet" in message
    assert ", or set platform.slurm.nodeSets" in message


def test_one_of_that_name_is_refused(check):
    assert "DaemonSet 'slurmd' runs slurmd: " in check(POLICY, DAEMON_SET, daemon_set(called="slurmd"))[0]


def test_a_preview_that_does_not_know_the_image_goes_by_the_rest(check):
    assert check(POLICY, DAEMON_SET, daemon_set(image=UNKNOWN, command=UNKNOWN)) == []
    assert len(check(POLICY, DAEMON_SET, daemon_set(image=UNKNOWN, command=[UNKNOWN, "slurmd"]))) == 1


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_passes(check, odd):
    assert check(POLICY, DAEMON_SET, odd if isinstance(odd, dict) else {"spec": odd}) == []


def test_other_kinds_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, NODE_SET, node_set(scalingMode="DaemonSet", replicas=None)) == ["not applicable"]
    assert check(POLICY, "kubernetes:apps/v1:Deployment", daemon_set(called="slurmd")) == ["not applicable"]


def test_the_engine_gets_an_advice(analyzer):
    found = analyzer.analyze(DAEMON_SET, daemon_set(called="slurmd"), "slurmd").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.ADVISORY
