"""The cluster: what is asked of pulumi-eks, and what is made around it."""

import json

import pulumi
import pulumi_aws as aws
import pytest

from components.catalog.addons import ADDONS
from components.cluster import TrainingCluster, TrainingClusterArgs
from components.cluster.access import access_policy
from components.cluster.tunnel import through_tunnel
from components.identity import RoleRules
from stacks.cluster import TUNNEL_PORT, Access

pytestmark = pytest.mark.unit

BOUNDARY = "arn:aws-us-gov:iam::111122223333:policy/boundary"
DEPLOY, RESEARCH = (f"arn:aws:iam::111122223333:role/{name}" for name in ("deploy", "research"))


def program(**changes):
    given = {
        "cluster_name": "training-test",
        "kubernetes_version": "1.35",
        "support_type": "EXTENDED",
        "vpc_id": "vpc-1",
        "subnet_ids": {"us-west-2a": "subnet-a", "us-west-2b": "subnet-b"},
        "public_cidrs": [],
        "access": [
            Access(principal=DEPLOY, level="admin", deployer=True),
            Access(principal=RESEARCH, level="edit", namespaces=("team-a",)),
        ],
        "deletion_protection": True,
        "system_instance_type": "m7i.2xlarge",
        "system_per_zone": {"us-west-2a": 2, "us-west-2b": 1},
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
    return build(
        program(
            public_cidrs=["203.0.113.0/24"],
            deletion_protection=False,
            partition="aws-us-gov",
            kms_key="create",
            protect=True,
            prefix_delegation=True,
            role_rules=RoleRules(permissions_boundary_arn=BOUNDARY, path="/ml/"),
        )
    )


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
    after = cluster.named("cluster-node-addons").depends_on
    assert {"cluster-system-us-west-2a", "cluster-system-us-west-2b"} <= set(after)
    for addon in ("coredns", "aws-ebs-csi-driver", "metrics-server", "eks-node-monitoring-agent"):
        assert cluster.only("aws:eks/addon:Addon", f"cluster-{addon}").parent == "cluster-node-addons"


def test_add_on_versions_are_not_invented_and_a_preview_warns_of_each_that_is_open(build, caplog):
    recorder = build(program(addon_versions={"coredns": "v1.12.1-eksbuild.2"}))
    addons = {a.inputs["addonName"]: a.inputs for a in recorder.of_type("aws:eks/addon:Addon")}
    assert set(addons) == set(ADDONS)
    assert [name for name, inputs in addons.items() if "addonVersion" in inputs] == ["coredns"]
    assert addons["coredns"]["addonVersion"] == "v1.12.1-eksbuild.2"
    told = caplog.text
    assert "vpc-cni" in told
    assert "describe-addon-versions --kubernetes-version 1.35" in told
    assert "coredns" not in told


def test_nothing_is_warned_of_when_every_version_is_said(build, caplog):
    build(program(addon_versions=dict.fromkeys(ADDONS, "v1.0.0-eksbuild.1")))
    assert "addonVersions" not in caplog.text


def settings(recorder, addon):
    return json.loads(recorder.only("aws:eks/addon:Addon", f"cluster-{addon}").inputs["configurationValues"])


def test_network_policies_are_enforced_and_addresses_come_one_by_one(cluster):
    assert settings(cluster, "vpc-cni") == {"enableNetworkPolicy": "true"}


def test_nodes_take_addresses_as_prefixes_where_a_pool_needs_them(public):
    assert settings(public, "vpc-cni")["env"] == {"ENABLE_PREFIX_DELEGATION": "true", "WARM_PREFIX_TARGET": "1"}


def test_volumes_of_the_ebs_driver_are_tagged_and_the_driver_has_an_identity(cluster):
    assert settings(cluster, "aws-ebs-csi-driver") == {"controller": {"extraVolumeTags": {"owner": "ml"}}}
    addon = cluster.only("aws:eks/addon:Addon", "cluster-aws-ebs-csi-driver").inputs
    assert addon["podIdentityAssociations"][0]["serviceAccount"] == "ebs-csi-controller-sa"
    attached = cluster.named("cluster-aws-ebs-csi-driver-service-role/AmazonEBSCSIDriverPolicy").inputs
    assert attached["policyArn"] == "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy"


def test_the_default_class_makes_encrypted_volumes_in_the_zone_of_the_pod(cluster):
    made = cluster.only("kubernetes:storage.k8s.io/v1:StorageClass")
    assert made.inputs["metadata"]["annotations"] == {"storageclass.kubernetes.io/is-default-class": "true"}
    assert made.inputs["parameters"] == {"type": "gp3", "encrypted": "true"}
    assert made.inputs["volumeBindingMode"] == "WaitForFirstConsumer"
    assert "cluster-aws-ebs-csi-driver" in made.depends_on
    assert made.request.provider.rsplit("::", 2)[-2] == "cluster-k8s"


def test_objects_that_can_only_be_replaced_have_a_provider_whose_previews_do_not_apply_them(cluster):
    providers = {r.name: r.inputs for r in cluster.of_type("pulumi:providers:kubernetes")}
    assert set(providers) == {"cluster-k8s", "cluster-k8s-fixed"}
    assert "enableServerSideApply" not in providers["cluster-k8s"]
    assert providers["cluster-k8s-fixed"]["enableServerSideApply"] in (False, "false")
    assert providers["cluster-k8s-fixed"]["clusterIdentifier"] == providers["cluster-k8s"]["clusterIdentifier"]


def test_the_control_plane_runs_under_a_role_of_ours_that_has_its_rights_first(cluster):
    requested = cluster.only("eks:index:Cluster")
    assert requested.inputs["serviceRole"]["urn"].endswith("::cluster-role")
    assert {"cluster-role-AmazonEKSClusterPolicy", "cluster-logs"} <= set(requested.depends_on)
    trust = json.loads(cluster.only("aws:iam/role:Role", "cluster-role").inputs["assumeRolePolicy"])
    assert trust["Statement"][0]["Principal"] == {"Service": "eks.amazonaws.com"}


def test_the_log_group_is_there_before_eks_makes_one_without_an_end(cluster):
    group = cluster.only("aws:cloudwatch/logGroup:LogGroup").inputs
    assert group == {"name": "/aws/eks/training-test/cluster", "retentionInDays": 90}


def test_a_key_of_ours_rotates_and_is_protected(public):
    key = public.only("aws:kms/key:Key")
    assert key.inputs["enableKeyRotation"] is True
    assert key.inputs["deletionWindowInDays"] == 30
    assert key.request.protect is True
    assert public.only("eks:index:Cluster").input_depends_on("encryptionConfigKeyArn") == ["cluster-secrets"]


def test_without_a_key_none_is_made_and_a_key_of_others_is_only_named(build, cluster):
    assert cluster.of_type("aws:kms/key:Key") == []
    assert "encryptionConfigKeyArn" not in asked(cluster)
    arn = "arn:aws:kms:us-west-2:111122223333:key/k"
    recorder = build(program(kms_key=arn))
    assert recorder.of_type("aws:kms/key:Key") == []
    assert asked(recorder)["encryptionConfigKeyArn"] == arn


def test_the_services_block_is_said_since_eks_would_choose_one(cluster):
    assert asked(cluster)["kubernetesServiceIpAddressRange"] == "172.20.0.0/16"


def test_every_role_has_the_companys_boundary_and_path(public):
    roles = public.of_type("aws:iam/role:Role")
    assert len(roles) == 4
    assert {(r.inputs["permissionsBoundary"], r.inputs["path"]) for r in roles} == {(BOUNDARY, "/ml/")}


KUBECONFIG = {
    "clusters": [{"name": "c", "cluster": {"server": "https://A.gr7.us-west-2.eks.amazonaws.com", "ca": "x"}}],
    "users": [{"name": "u"}],
}


def test_through_the_tunnel_the_api_is_on_this_machine_and_its_certificate_is_still_its_own():
    found = json.loads(through_tunnel(json.dumps(KUBECONFIG)))
    assert found["users"] == KUBECONFIG["users"]
    assert found["clusters"][0]["cluster"] == {
        "server": f"https://127.0.0.1:{TUNNEL_PORT}",
        "tls-server-name": "a.gr7.us-west-2.eks.amazonaws.com",
        "ca": "x",
    }


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
    for group in cluster.of_type("eks:index:ManagedNodeGroup"):
        assert group.inputs["launchTemplate"]["version"] == "1"
        assert "cluster-system-template" in group.depends_on


def test_each_zone_has_a_node_group_so_that_a_lost_node_comes_back_beside_its_volumes(cluster):
    groups = {g.name: g.inputs for g in cluster.of_type("eks:index:ManagedNodeGroup")}
    assert {name: inputs["subnetIds"] for name, inputs in groups.items()} == {
        "cluster-system-us-west-2a": ["subnet-a"],
        "cluster-system-us-west-2b": ["subnet-b"],
    }


def test_a_node_group_has_its_size_label_and_rights_before_it_starts(cluster):
    group = cluster.only("eks:index:ManagedNodeGroup", "cluster-system-us-west-2a")
    assert group.inputs["labels"] == {"eks-training-platform/role": "system"}
    assert group.inputs["scalingConfig"] == {"minSize": 2, "desiredSize": 2, "maxSize": 3}
    attached = {name for name in group.depends_on if name.startswith("cluster-system-role-")}
    assert len(attached) == 3


def test_the_kubernetes_provider_knows_its_cluster_by_the_endpoint(cluster):
    provider = cluster.only("pulumi:providers:kubernetes", "cluster-k8s")
    assert provider.inputs["clusterIdentifier"] == "https://cluster.example"
    assert provider.inputs["kubeconfig"] == "{}"


def test_outputs_are_those_that_others_build_on(cluster):
    assert cluster.outputs["cluster"] == {
        "name": "training-test",
        "endpoint": "https://cluster.example",
        "securityGroupId": "sg-made-by-eks",
    }
