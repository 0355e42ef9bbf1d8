"""What the sandbox's pulumi-eks refuses: inputs it does not model, by name, all at once, before anything is made."""

from pathlib import Path
from typing import Any

import pulumi
import pytest

from scripts.sandboxing.eks.provider import LocalEks
from tests.scripts.local_providers import LocalMonitor

pytestmark = pytest.mark.scripts

CLUSTER = {
    "authenticationMode": "API",
    "skipDefaultNodeGroup": True,
    "subnetIds": ["subnet-1"],
    "vpcId": "vpc-1",
}
NODES = {"cluster": {"cluster": None, "subnetIds": []}, "nodeRoleArn": "arn"}


@pytest.fixture
def monitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalMonitor:
    monkeypatch.setenv("EKS_SANDBOX_STATE", str(tmp_path))
    monitor = LocalMonitor(preview=True)
    pulumi.runtime.set_mocks(None, preview=True, monitor=monitor)  # type: ignore[arg-type]
    return monitor


def refused(kind: str, inputs: dict[str, Any]) -> dict[str, str]:
    """Reason by path of each refused input."""
    with pytest.raises(pulumi.InputPropertiesError) as error:
        LocalEks().construct("c", f"eks:index:{kind}", inputs, pulumi.ResourceOptions())
    return {detail["property_path"]: detail["reason"] for detail in error.value.errors or []}


def test_all_unmodelled_inputs_are_named_at_once_and_nothing_is_made(monitor: LocalMonitor) -> None:
    found = refused("Cluster", {**CLUSTER, "fargate": True, "instanceType": "m7i.large"})
    assert set(found) == {"fargate", "instanceType"}
    assert "Leave it unset in the sandbox" in found["fargate"]
    assert monitor.registered == []


def test_the_refusal_lists_what_is_modelled(monitor: LocalMonitor) -> None:
    with pytest.raises(pulumi.InputPropertiesError, match="Inputs it models: accessEntries, authenticationMode"):
        LocalEks().construct("c", "eks:index:Cluster", {**CLUSTER, "fargate": True}, pulumi.ResourceOptions())


@pytest.mark.parametrize("off", [None, False, {}, [], ""])
def test_naming_a_feature_to_switch_it_off_is_no_use_of_it(monitor: LocalMonitor, off: object) -> None:
    found = refused("Cluster", {**CLUSTER, "fargate": off, "vpcId": None})
    assert set(found) == {"vpcId"}


@pytest.mark.parametrize(
    ("change", "path", "reason"),
    [
        ({"authenticationMode": "CONFIG_MAP"}, "authenticationMode", "accessEntries"),
        ({"authenticationMode": None}, "authenticationMode", 'must be "API"'),
        ({"skipDefaultNodeGroup": None}, "skipDefaultNodeGroup", "eks.ManagedNodeGroup"),
        ({"vpcId": None}, "vpcId", "no default VPC"),
        ({"subnetIds": None}, "subnetIds", "privateSubnetIds and publicSubnetIds"),
        ({"privateSubnetIds": ["subnet-2"]}, "subnetIds", "choose one"),
        ({"kubeProxyAddonOptions": {"enable": False}}, "kubeProxyAddonOptions.enable", "enabled"),
        ({"accessEntries": {"a": {}}}, "accessEntries.a.principalArn", "missing"),
        ({"accessEntries": {"a": {"principalArn": "x", "group": "y"}}}, "accessEntries.a.group", "kubernetesGroups"),
        (
            {"accessEntries": {"a": {"principalArn": "x", "accessPolicies": {"p": {"policyArn": "y"}}}}},
            "accessEntries.a.accessPolicies.p",
            "accessScope and policyArn",
        ),
    ],
)
def test_a_cluster_that_the_sandbox_cannot_make_is_refused(
    monitor: LocalMonitor, change: dict[str, Any], path: str, reason: str
) -> None:
    found = refused("Cluster", {**CLUSTER, **change})
    assert list(found) == [path]
    assert reason in found[path]


def test_a_missing_kubeconfig_is_said_before_anything_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EKS_SANDBOX_STATE", str(tmp_path))
    monitor = LocalMonitor(preview=False)
    pulumi.runtime.set_mocks(None, preview=False, monitor=monitor)  # type: ignore[arg-type]
    found = refused("Cluster", CLUSTER)
    assert list(found) == ["kubeconfig"]
    assert str(tmp_path / "cluster" / "kubeconfig") in found["kubeconfig"]
    assert "./scripts/sandbox up" in found["kubeconfig"]
    assert monitor.registered == []


@pytest.mark.parametrize(
    ("change", "path", "reason"),
    [
        ({"kubeletExtraArgs": "--max-pods=10"}, "kubeletExtraArgs", "does not model"),
        ({"userData": "x"}, "userData", "does not model"),
        ({"enableEfaSupport": True}, "enableEfaSupport", "does not model"),
        ({"nodeRoleArn": None}, "nodeRole", "exactly one"),
        ({"nodeRole": "also"}, "nodeRole", "exactly one"),
        ({"launchTemplate": {"id": "lt-1", "version": "1"}, "enableIMDSv2": True}, "launchTemplate", "enableIMDSv2"),
        ({"operatingSystem": "Bottlerocket"}, "operatingSystem", "AL2023"),
    ],
)
def test_a_node_group_that_the_sandbox_cannot_make_is_refused(
    monitor: LocalMonitor, change: dict[str, Any], path: str, reason: str
) -> None:
    found = refused("ManagedNodeGroup", {**NODES, **change})
    assert list(found) == [path]
    assert reason in found[path]


def test_other_components_of_pulumi_eks_are_refused_by_name() -> None:
    with pytest.raises(pulumi.InputPropertiesError, match="does not model eks:index:NodeGroupV2"):
        LocalEks().construct("n", "eks:index:NodeGroupV2", {}, pulumi.ResourceOptions())
