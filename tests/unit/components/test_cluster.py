"""The cluster: what is asked of pulumi-eks, and what is made around it."""

import json

import pulumi
import pulumi_aws as aws
import pytest

from components.cluster import TrainingCluster, TrainingClusterArgs
from components.cluster.access import access_policy
from stacks.cluster import Access

pytestmark = pytest.mark.unit

DEPLOY, RESEARCH = (f"arn:aws:iam::111122223333:role/{name}" for name in ("deploy", "research"))


def program(**changes):
    given = {
        "cluster_name": "training-test",
        "kubernetes_version": "1.35",
        "support_type": "EXTENDED",
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-a", "subnet-b"],
        "public_cidrs": [],
        "access": [
            Access(principal=DEPLOY, level="admin", deployer=True),
            Access(principal=RESEARCH, level="edit", namespaces=("team-a",)),
        ],
        "deletion_protection": True,
        "system_instance_type": "m7i.2xlarge",
        "system_count": 3,
        "partition": "aws",
        "tags": {"owner": "ml"},
    }

    def run():
        provider = aws.Provider("aws", region="us-west-2")
        opts = pulumi.ResourceOptions(providers=[provider])
        TrainingCluster("cluster", TrainingClusterArgs(**{**given, **changes}), opts=opts)

    return run


@pytest.fixture(scope="module")
def cluster(build):
    return build(program())


@pytest.fixture(scope="module")
def public(build):
    return build(program(public_cidrs=["203.0.113.0/24"], deletion_protection=False, partition="aws-us-gov"))


def asked(recorder):
    return recorder.only("eks:index:Cluster").inputs


def test_the_api_is_private_unless_blocks_are_named(cluster, public):
    assert asked(cluster)["endpointPrivateAccess"] is True
    assert asked(cluster)["endpointPublicAccess"] is False
    assert "publicAccessCidrs" not in asked(cluster)
    assert asked(public)["endpointPublicAccess"] is True
    assert asked(public)["publicAccessCidrs"] == ["203.0.113.0/24"]


def test_access_goes_by_entries_only(cluster):
    assert asked(cluster)["authenticationMode"] == "API"


def test_the_control_plane_logs_everything(cluster):
    logs = {"api", "audit", "authenticator", "controllerManager", "scheduler"}
    assert set(asked(cluster)["enabledClusterLogTypes"]) == logs


def test_pulumi_eks_brings_no_add_on_node_group_security_group_or_oidc_provider_of_its_own(cluster):
    inputs = asked(cluster)
    assert inputs["createOidcProvider"] is False
    assert inputs["skipDefaultNodeGroup"] is True
    assert inputs["skipDefaultSecurityGroups"] is True
    assert inputs["bootstrapSelfManagedAddons"] is False
    assert inputs["useDefaultVpcCni"] is True
    assert inputs["kubeProxyAddonOptions"]["enabled"] is False
    assert inputs["corednsAddonOptions"]["enabled"] is False


def test_deletion_protection_and_support_follow_the_environment(cluster, public):
    assert asked(cluster)["deletionProtection"] is True
    assert asked(public)["deletionProtection"] is False
    assert asked(cluster)["upgradePolicy"] == {"supportType": "EXTENDED"}


def test_add_ons_that_nodes_need_come_before_them_and_coredns_after(cluster):
    nodes = cluster.named("cluster-system").depends_on
    assert {"cluster-vpc-cni", "cluster-kube-proxy", "cluster-eks-pod-identity-agent"} <= set(nodes)
    assert "cluster-system-group" in cluster.named("cluster-coredns").depends_on


def test_add_on_versions_are_not_invented(cluster):
    addons = cluster.of_type("aws:eks/addon:Addon")
    assert {a.inputs["addonName"] for a in addons} == {"vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns"}
    assert not any("addonVersion" in a.inputs for a in addons)


def test_the_network_add_on_has_an_identity_of_its_own_and_nodes_do_not_need_its_rights(cluster):
    addon = cluster.only("aws:eks/addon:Addon", "cluster-vpc-cni")
    assert addon.inputs["podIdentityAssociations"][0]["serviceAccount"] == "aws-node"
    trust = json.loads(cluster.only("aws:iam/role:Role", "cluster-vpc-cni").inputs["assumeRolePolicy"])
    assert trust["Statement"][0]["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert trust["Statement"][0]["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    attached = [r.inputs["policyArn"] for r in cluster.registrations if "system-role-" in r.name]
    assert not any("CNI" in arn for arn in attached)


def test_the_deployer_gets_no_entry_since_eks_makes_one(cluster):
    principals = [r.inputs["principalArn"] for r in cluster.of_type("aws:eks/accessEntry:AccessEntry")]
    assert principals == [RESEARCH]


def test_an_entry_is_limited_to_its_namespaces(cluster):
    association = cluster.only("aws:eks/accessPolicyAssociation:AccessPolicyAssociation").inputs
    assert association["policyArn"] == "arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy"
    assert association["accessScope"] == {"type": "namespace", "namespaces": ["team-a"]}


@pytest.mark.parametrize(
    ("level", "namespaces", "policy"),
    [
        ("admin", (), "AmazonEKSClusterAdminPolicy"),
        ("admin", ("a",), "AmazonEKSAdminPolicy"),
        ("edit", (), "AmazonEKSEditPolicy"),
        ("view", ("a",), "AmazonEKSViewPolicy"),
    ],
)
def test_a_level_has_its_eks_policy(level, namespaces, policy):
    assert access_policy(Access(principal=RESEARCH, level=level, namespaces=namespaces)) == policy


def test_policies_belong_to_the_regions_partition(public):
    association = public.only("aws:eks/accessPolicyAssociation:AccessPolicyAssociation").inputs
    assert association["policyArn"].startswith("arn:aws-us-gov:eks::aws:")
    attachments = public.of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    assert {a.inputs["policyArn"].split(":")[1] for a in attachments} == {"aws-us-gov"}


def test_system_nodes_have_encrypted_disks_and_keep_pods_from_their_metadata(cluster):
    template = cluster.only("aws:ec2/launchTemplate:LaunchTemplate").inputs
    assert template["metadataOptions"]["httpTokens"] == "required"
    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 1
    [disk] = template["blockDeviceMappings"]
    assert disk["ebs"]["encrypted"] == "true"
    assert template["updateDefaultVersion"] is True


def test_system_nodes_are_tagged_since_default_tags_do_not_reach_them(cluster):
    specifications = cluster.only("aws:ec2/launchTemplate:LaunchTemplate").inputs["tagSpecifications"]
    assert {s["resourceType"]: s["tags"]["owner"] for s in specifications} == {"instance": "ml", "volume": "ml"}


def test_a_changed_template_rolls_the_node_group(cluster):
    group = cluster.only("eks:index:ManagedNodeGroup")
    assert group.inputs["launchTemplate"]["version"] == "1"
    assert "cluster-system-template" in group.depends_on


def test_the_node_group_has_its_size_label_and_rights_before_it_starts(cluster):
    group = cluster.only("eks:index:ManagedNodeGroup")
    assert group.inputs["labels"] == {"eks-training-platform/role": "system"}
    assert group.inputs["scalingConfig"] == {"minSize": 3, "desiredSize": 3, "maxSize": 4}
    attached = {name for name in group.depends_on if name.startswith("cluster-system-role-")}
    assert len(attached) == 3


def test_the_kubernetes_provider_knows_its_cluster_by_the_endpoint(cluster):
    provider = cluster.only("pulumi:providers:kubernetes")
    assert provider.inputs["clusterIdentifier"] == "https://cluster.example"
    assert provider.inputs["kubeconfig"] == "{}"


def test_outputs_are_those_that_others_build_on(cluster):
    assert cluster.outputs["cluster"] == {
        "name": "training-test",
        "endpoint": "https://cluster.example",
        "securityGroupId": "sg-made-by-eks",
    }
