"""The EFA device plugin is there."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_device_plugin_present import POLICY
from tests.policy.efa_samples import CLUSTER, plugin, pool
from tests.policy.planned import Planned
from tests.policy.pool_samples import NODE_POOL

pytestmark = pytest.mark.policy

GPU = "nvidia.com/gpu"


def tolerating(tolerations):
    return plugin(tolerations=tolerations)


def daemon_set(*tolerations):
    container = {"name": "plugin", "image": "registry.example/eks/aws-efa-k8s-device-plugin:v0.5.20"}
    pod = {"spec": {"tolerations": list(tolerations), "containers": [container]}}
    return Planned(type="kubernetes:apps/v1:DaemonSet", name="efa", props={"spec": {"template": pod}})


@pytest.mark.parametrize(
    "chart", ["aws-efa-k8s-device-plugin", "oci://mirror.example/charts/aws-efa-k8s-device-plugin"]
)
def test_a_release_that_tolerates_the_pool_passes(check_stack, chart):
    assert check_stack(POLICY, [CLUSTER, pool(), plugin(GPU, chart=chart)]) == []


@pytest.mark.parametrize(
    "tolerations",
    [
        [{"operator": "Exists"}],
        [{"key": GPU, "value": "true"}],
        [{"key": GPU, "operator": "Equal", "value": "true", "effect": "NoSchedule"}],
        UNKNOWN,
        [UNKNOWN],
        [{"key": UNKNOWN, "operator": "Exists"}],
    ],
    ids=str,
)
def test_every_toleration_that_covers_the_taint_passes_and_one_that_a_preview_does_not_know(check_stack, tolerations):
    assert check_stack(POLICY, [CLUSTER, pool(), tolerating(tolerations)]) == []
    if tolerations is not UNKNOWN:
        assert check_stack(POLICY, [CLUSTER, pool(), daemon_set(*tolerations)]) == []


def test_without_the_plugin_a_pool_with_efa_is_refused_with_ways_out(check_stack):
    [message] = check_stack(POLICY, [CLUSTER, pool(), plugin(GPU, chart="nvidia-device-plugin")])
    assert "NodePool 'p5' uses EFA, and the stack has no release of aws-efa-k8s-device-plugin" in message
    assert "EfaDevicePlugin, or switch EFA off" in message


@pytest.mark.parametrize(
    "tolerations",
    [
        None,
        [],
        "text",
        [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
        [{"key": GPU, "value": "false"}],
        [{"key": GPU, "operator": "Exists", "effect": "NoExecute"}],
    ],
    ids=str,
)
def test_a_taint_that_it_does_not_tolerate_is_refused_with_ways_out(check_stack, tolerations):
    [message] = check_stack(POLICY, [CLUSTER, pool(), tolerating(tolerations)])
    assert (
        "NodePool 'p5' uses EFA and has the taint nvidia.com/gpu, which aws-efa-k8s-device-plugin does not" in message
    )
    assert "chart, or take the taint off" in message


def test_a_taint_of_the_pools_own_is_refused_too(check_stack):
    def owned(made):
        made["spec"]["template"]["spec"]["taints"] += [
            {"key": "example.com/team", "effect": "NoExecute"},
            {"key": "example.com/soft", "effect": "PreferNoSchedule"},
        ]

    [message] = check_stack(POLICY, [CLUSTER, pool("p5", owned), plugin(GPU)])
    assert "has the taint example.com/team," in message


def test_a_pool_without_efa_passes(check_stack):
    off = pool("g5", **{"eks-training-platform/efa": "false"})
    assert check_stack(POLICY, [CLUSTER, off]) == ["not applicable"]


def test_a_stack_without_its_cluster_is_not_its_business(check_stack):
    assert check_stack(POLICY, [pool()]) == ["not applicable"]
    assert check_stack(POLICY, [CLUSTER, Planned(type=NODE_POOL, name="p5", props={})]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_pool(analyzer):
    lonely = pool()
    found = [d for d in analyzer.analyze_stack([CLUSTER, lonely]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, lonely.urn)]
