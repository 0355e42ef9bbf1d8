"""The children of the sandbox's pulumi-eks components are those of the real ones."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from scripts.sandboxing.aws.values import REFERENCE, SIGNATURE, UNKNOWN
from scripts.sandboxing.eks.provider import LocalEks
from tests.scripts.local_providers import LocalMonitor

pytestmark = pytest.mark.scripts

# A preview of the real pulumi-eks 4, recorded with default add-ons: one cluster "c" and one node group "system".
RECORDED = json.loads((Path(__file__).parent / "data" / "eks_children.json").read_text(encoding="utf-8"))
KUBECONFIG = "apiVersion: v1\nkind: Config\ncurrent-context: local\n"
OWN_ADD_ONS = {
    "useDefaultVpcCni": True,
    "kubeProxyAddonOptions": {"enabled": False},
    "corednsAddonOptions": {"enabled": False},
    "bootstrapSelfManagedAddons": False,
}
SWITCHED_OFF_BY_THEM = {"c-kube-proxy", "c-vpc-cni"}


def cluster_inputs(vpc: aws.ec2.Vpc, subnets: list[aws.ec2.Subnet]) -> dict[str, Any]:
    return {
        "authenticationMode": "API",
        "createOidcProvider": False,
        "endpointPrivateAccess": True,
        "endpointPublicAccess": False,
        "name": "train-dev",
        "privateSubnetIds": [subnet.id for subnet in subnets],
        "skipDefaultNodeGroup": True,
        "skipDefaultSecurityGroups": False,
        "version": "1.35",
        "vpcId": vpc.id,
    }


Program = Callable[..., LocalMonitor]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Run the recorded program, with other inputs of the cluster and the node group where a test says so."""
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster" / "kubeconfig").write_text(KUBECONFIG, encoding="utf-8")
    monkeypatch.setenv("EKS_SANDBOX_STATE", str(tmp_path))

    def program(
        cluster: Mapping[str, Any] | None = None,
        nodes: Mapping[str, Any] | None = None,
        *,
        preview: bool = True,
        outputs: dict[str, Any] | None = None,
        given_service_role: bool = False,
    ) -> LocalMonitor:
        monitor = LocalMonitor(preview=preview)
        pulumi.runtime.settings.set_root_resource(None)
        pulumi.runtime.set_mocks(None, project="p", stack="dev", preview=preview, monitor=monitor)  # type: ignore[arg-type]

        @pulumi.runtime.test
        def whole() -> pulumi.Output[Any]:
            role = aws.iam.Role("sys", assume_role_policy="{}")
            vpc = aws.ec2.Vpc("v", cidr_block="10.0.0.0/16")
            subnets = [aws.ec2.Subnet(f"s{i}", vpc_id=vpc.id, cidr_block=f"10.0.{i}.0/24") for i in range(2)]
            given = {**cluster_inputs(vpc, subnets), **(cluster or {})}
            if given_service_role:
                given["serviceRole"] = role
            made = LocalEks().construct("c", "eks:index:Cluster", given, pulumi.ResourceOptions())
            group = {
                "cluster": made.state["core"],
                "instanceTypes": ["m7i.xlarge"],
                "nodeRole": role,
                "scalingConfig": {"desiredSize": 2, "maxSize": 3, "minSize": 2},
                "subnetIds": [subnet.id for subnet in subnets],
                **(nodes or {}),
            }
            LocalEks().construct("system", "eks:index:ManagedNodeGroup", group, pulumi.ResourceOptions())
            wanted = {key: value for key, value in made.state.items() if outputs is not None and key != "core"}
            return pulumi.Output.all(**wanted).apply((outputs if outputs is not None else {}).update)

        whole()
        return monitor

    return program


def names(monitor: LocalMonitor) -> set[tuple[str, str, str, bool]]:
    return {(r["type"], r["name"], r["parent"], r["custom"]) for r in monitor.registered if r["parent"]}


def recorded_names() -> set[tuple[str, str, str, bool]]:
    stack = RECORDED[0]["name"]
    return {(r["type"], r["name"], "" if r["parent"] == stack else r["parent"], r["custom"]) for r in RECORDED[1:]}


def children(found: set[tuple[str, str, str, bool]]) -> set[tuple[str, str, str, bool]]:
    return {entry for entry in found if entry[2] in {"c", "c-eksRole", "c-vpc-cni", "system"}}


def same(recorded: Any, found: Any) -> bool:
    """Equal where the recording knows the value; the engine adds the rest of a reference."""
    if recorded == UNKNOWN:
        return found is not None
    if isinstance(recorded, dict) and recorded.get(SIGNATURE) == REFERENCE:
        return isinstance(found, dict) and found["urn"].rpartition("::")[2] == recorded["urn"].rpartition("::")[2]
    if isinstance(recorded, dict):
        return (
            isinstance(found, dict)
            and recorded.keys() == found.keys()
            and all(same(v, found[k]) for k, v in recorded.items())
        )
    if isinstance(recorded, list):
        return isinstance(found, list) and len(recorded) == len(found) and all(map(same, recorded, found))
    if isinstance(recorded, str) and recorded.startswith("{"):
        return bool(json.loads(recorded) == json.loads(found))
    return bool(recorded == found)


def test_the_children_are_exactly_the_recorded_ones(run: Program) -> None:
    assert children(names(run())) == children(recorded_names())


def test_the_inputs_of_the_children_are_the_recorded_ones(run: Program) -> None:
    monitor = run()
    compared = 0
    for recorded in RECORDED:
        if recorded["parent"] not in {"c", "c-eksRole", "c-vpc-cni", "system"}:
            continue
        expected = dict(recorded["inputs"])
        if recorded["type"] == "pulumi:providers:kubernetes":
            expected = {"kubeconfig": expected["kubeconfig"]}  # the engine adds the version and its own bookkeeping
        found = monitor.named(recorded["type"], recorded["name"])["inputs"]
        assert same(expected, found), f"{recorded['name']}: {expected} / {found}"
        compared += 1
    assert compared == len(children(recorded_names()))


def test_our_own_add_ons_switch_off_theirs_and_nothing_else(run: Program) -> None:
    expected = {entry for entry in children(recorded_names()) if entry[1] not in SWITCHED_OFF_BY_THEM}
    monitor = run(OWN_ADD_ONS)
    assert children(names(monitor)) == expected
    cluster = monitor.named("aws:eks/cluster:Cluster", "c-eksCluster")
    assert cluster["inputs"]["bootstrapSelfManagedAddons"] is False
    assert "bootstrapSelfManagedAddons" in cluster["ignored"]


def test_the_cluster_waits_for_its_role_and_the_roles_policy(run: Program) -> None:
    waits = run().named("aws:eks/cluster:Cluster", "c-eksCluster")["depends_on"]
    assert {"c-eksRole-role", "c-eksRole-4b490823"} <= set(waits)


def test_coredns_is_installed_when_asked_for(run: Program) -> None:
    monitor = run({"corednsAddonOptions": {"enabled": True, "version": "v1.12.0-eksbuild.1"}})
    addon = monitor.named("aws:eks/addon:Addon", "c-coredns")
    assert addon["inputs"]["addonVersion"] == "v1.12.0-eksbuild.1"
    assert addon["parent"] == "c"


def test_without_default_security_groups_none_are_made(run: Program) -> None:
    outputs: dict[str, Any] = {}
    monitor = run({"skipDefaultSecurityGroups": True}, preview=False, outputs=outputs)
    assert [r["name"] for r in monitor.registered if "ecurityGroup" in r["type"]] == []
    assert "securityGroupIds" not in monitor.named("aws:eks/cluster:Cluster", "c-eksCluster")["inputs"]["vpcConfig"]
    # EKS's own group takes their place in the outputs.
    assert outputs["clusterSecurityGroupId"] == outputs["nodeSecurityGroupId"]
    assert outputs["clusterSecurityGroupId"].startswith("sg-")
    assert outputs["clusterIngressRuleId"] == ""


def test_a_given_service_role_takes_the_place_of_a_made_one(run: Program) -> None:
    monitor = run(given_service_role=True, preview=False)
    assert [r["name"] for r in monitor.registered if r["name"].startswith("c-eksRole")] == []
    arn = monitor.named("aws:eks/cluster:Cluster", "c-eksCluster")["inputs"]["roleArn"]
    assert arn.startswith("arn:aws:iam::000000000000:role/sys-")


def test_an_oidc_provider_is_made_on_request_for_the_clusters_issuer(run: Program) -> None:
    monitor = run({"createOidcProvider": True}, preview=False)
    provider = monitor.named("aws:iam/openIdConnectProvider:OpenIdConnectProvider", "c-oidcProvider")
    assert provider["parent"] == "c"
    assert provider["inputs"]["url"].startswith("https://oidc.eks.us-west-2.amazonaws.com/id/")


def test_access_entries_become_entries_with_their_policies_below(run: Program) -> None:
    admin = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    principal = "arn:aws:iam::111122223333:role/deploy"
    scope = {"type": "namespace", "namespaces": ["team-a"]}
    policies = {"admin": {"policyArn": admin, "accessScope": scope}}
    monitor = run(
        {"accessEntries": {"deploy": {"principalArn": principal, "username": "deploy", "accessPolicies": policies}}}
    )
    entry = monitor.named("aws:eks/accessEntry:AccessEntry", "c-deploy")
    assert entry["parent"] == "c"
    assert entry["inputs"] == {"clusterName": "train-dev", "principalArn": principal, "userName": "deploy"}
    association = monitor.named("aws:eks/accessPolicyAssociation:AccessPolicyAssociation", "c-deploy-admin")
    assert association["parent"] == "c-deploy"
    assert association["inputs"] == {
        "accessScope": scope,
        "clusterName": "train-dev",
        "policyArn": admin,
        "principalArn": principal,
    }


def test_settings_of_the_control_plane_reach_it(run: Program) -> None:
    given = {
        "clusterTags": {"a": "cluster", "both": "cluster"},
        "tags": {"both": "all"},
        "deletionProtection": True,
        "enabledClusterLogTypes": ["audit"],
        "encryptionConfigKeyArn": "arn:aws:kms:us-west-2:111122223333:key/1",
        "endpointPublicAccess": True,
        "publicAccessCidrs": ["203.0.113.0/24"],
        "kubernetesServiceIpAddressRange": "172.21.0.0/16",
        "upgradePolicy": {"supportType": "STANDARD"},
    }
    inputs = run(given).named("aws:eks/cluster:Cluster", "c-eksCluster")["inputs"]
    assert inputs["tags"] == {"Name": "c-eksCluster", "a": "cluster", "both": "all"}
    assert inputs["deletionProtection"] is True
    assert inputs["enabledClusterLogTypes"] == ["audit"]
    assert inputs["encryptionConfig"] == {
        "provider": {"keyArn": given["encryptionConfigKeyArn"]},
        "resources": ["secrets"],
    }
    assert inputs["vpcConfig"]["publicAccessCidrs"] == ["203.0.113.0/24"]
    assert inputs["kubernetesNetworkConfig"] == {"ipFamily": "ipv4", "serviceIpv4Cidr": "172.21.0.0/16"}
    assert inputs["upgradePolicy"] == {"supportType": "STANDARD"}


def test_the_kubeconfig_is_that_of_the_local_kubernetes(run: Program) -> None:
    outputs: dict[str, Any] = {}
    run(preview=False, outputs=outputs)
    assert outputs["kubeconfig"] == {"apiVersion": "v1", "kind": "Config", "current-context": "local"}
    assert json.loads(outputs["kubeconfigJson"]) == outputs["kubeconfig"]


def test_the_kubeconfig_is_unknown_in_a_first_preview(run: Program) -> None:
    provider = run().named("pulumi:providers:kubernetes", "c-eks-k8s")
    assert provider["inputs"]["kubeconfig"] == UNKNOWN


def test_a_node_group_without_extras_needs_no_launch_template(run: Program) -> None:
    monitor = run(nodes={"diskSize": 100})
    assert [r for r in monitor.registered if r["type"] == "aws:ec2/launchTemplate:LaunchTemplate"] == []
    assert monitor.named("aws:eks/nodeGroup:NodeGroup", "system")["inputs"]["diskSize"] == 100


def test_imdsv2_brings_a_launch_template_that_takes_the_disk_along(run: Program) -> None:
    monitor = run(nodes={"enableIMDSv2": True, "diskSize": 100}, preview=False)
    template = monitor.named("aws:ec2/launchTemplate:LaunchTemplate", "system-launchTemplate")
    assert template["parent"] == "system"
    assert template["inputs"] == {
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 100}}],
        "metadataOptions": {"httpEndpoint": "enabled", "httpPutResponseHopLimit": 2, "httpTokens": "required"},
    }
    group = monitor.named("aws:eks/nodeGroup:NodeGroup", "system")["inputs"]
    assert group["launchTemplate"]["id"].startswith("lt-")
    assert group["launchTemplate"]["version"] == "1"
    assert "diskSize" not in group


def test_a_node_group_takes_version_and_sizes_from_cluster_and_defaults(run: Program) -> None:
    monitor = run(
        nodes={"scalingConfig": None, "operatingSystem": "AL2023", "ignoreScalingChanges": True}, preview=False
    )
    group = monitor.named("aws:eks/nodeGroup:NodeGroup", "system")
    assert group["inputs"]["version"] == "1.35"
    assert group["inputs"]["scalingConfig"] == {"desiredSize": 2, "maxSize": 2, "minSize": 1}
    assert group["inputs"]["amiType"] == "AL2023_x86_64_STANDARD"
    assert group["ignored"] == ["scalingConfig.desiredSize"]


def test_labels_taints_and_names_are_passed_on(run: Program) -> None:
    taints = [{"key": "gpu", "value": "true", "effect": "NO_SCHEDULE"}]
    given = {"labels": {"a": "b"}, "taints": taints, "nodeGroupName": "sys", "capacityType": "SPOT"}
    inputs = run(nodes=given).named("aws:eks/nodeGroup:NodeGroup", "system")["inputs"]
    assert {key: inputs[key] for key in given} == given
