"""cert-manager, Slinky's operator and a Slurm cluster, as the engine would see them."""

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.platform import (
    CertManager,
    CertManagerArgs,
    SlinkyOperator,
    SlinkyOperatorArgs,
    SlurmCluster,
    SlurmClusterArgs,
    SlurmState,
    SlurmStateArgs,
)
from tests.unit.slurm_examples import POOLS, cluster

pytestmark = pytest.mark.unit

RELEASE = "kubernetes:helm.sh/v3:Release"
NODE_SET = "kubernetes:slinky.slurm.net/v1beta1:NodeSet"


def everything(spec, *, protect=True, charts=None):
    def run():
        on = pulumi.ResourceOptions(providers=[k8s.Provider("k8s", kubeconfig="{}")])
        cert_manager = CertManager(
            "cert-manager", CertManagerArgs(charts=charts, images=None, values={"replicaCount": 2}), opts=on
        )
        operator = SlinkyOperator(
            "slinky",
            SlinkyOperatorArgs(replicas=2, charts=charts, images=None),
            opts=on.merge(pulumi.ResourceOptions(depends_on=[cert_manager])),
        )
        after = on.merge(pulumi.ResourceOptions(depends_on=[operator]))
        state = SlurmState(
            "slurm-state",
            SlurmStateArgs(
                cluster_name=spec.name,
                namespace="slurm",
                storage_gib=spec.controller.storage_gib,
                protect=protect,
            ),
            opts=after,
        )
        SlurmCluster(
            "slurm",
            SlurmClusterArgs(
                spec=spec,
                pools=POOLS,
                namespace="slurm",
                claim_name=state.claim_name,
                zone="us-west-2a",
                database=None,
                rotation="slurmKey=unknown",
                charts=charts,
                images=None,
            ),
            opts=after.merge(pulumi.ResourceOptions(depends_on=[state])),
        )

    return run


@pytest.fixture(scope="module")
def slurm(build):
    return build(everything(cluster()))


def test_releases_are_pinned_named_and_roll_back(slurm):
    releases = {r.inputs["name"]: r.inputs for r in slurm.of_type(RELEASE)}
    assert {name: inputs["version"] for name, inputs in releases.items()} == {
        "cert-manager": "v1.21.1",
        "slurm-operator": "1.2.3",
        "slurm": "1.2.3",
    }
    assert all(inputs["atomic"] for inputs in releases.values())
    assert {name: inputs["namespace"] for name, inputs in releases.items()} == {
        "cert-manager": "cert-manager",
        "slurm-operator": "slinky",
        "slurm": "slurm",
    }


def test_more_values_of_the_environment_are_merged_over_ours(slurm):
    values = slurm.named("cert-manager-release").inputs["values"]
    assert values["replicaCount"] == 2
    assert values["crds"] == {"enabled": True, "keep": True}


def test_the_definitions_come_first_and_stay(slurm):
    crds = slurm.only("kubernetes:helm.sh/v4:Chart", "slinky-crds")
    assert crds.request.retainOnDelete is True
    assert "slinky-crds" in slurm.named("slinky-release").depends_on


def test_the_operators_namespace_lets_in_the_webhook_only(slurm):
    namespace = slurm.named("slinky-namespace").inputs["metadata"]
    assert namespace["name"] == "slinky"
    assert namespace["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
    assert slurm.named("slinky-network").inputs["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress"],
        "ingress": [{"ports": [{"port": 9443, "protocol": "TCP"}]}],
    }
    assert slurm.named("slinky-release").inputs["values"]["webhook"]["serverPort"] == 9443
    assert "slinky-network" in slurm.named("slinky-release").depends_on


def test_the_operator_waits_for_cert_manager_and_the_cluster_for_the_operator(slurm):
    assert "cert-manager-release" in slurm.only("ekstraining:platform:SlinkyOperator").depends_on
    before = slurm.only("ekstraining:platform:SlurmCluster").depends_on
    assert {"slinky-release", "slurm-state-claim"} <= set(before)


def test_node_sets_go_before_controller_and_rest_api(slurm):
    sets = slurm.of_type(NODE_SET)
    assert [r.name for r in sets] == ["slurm-p5", "slurm-trn1", "slurm-g6"]
    assert all("slurm-release" in r.depends_on for r in sets)
    assert {r.request.customTimeouts.delete for r in sets} == {"15m"}
    assert sets[0].inputs["metadata"] == {"name": "slurm-worker-p5", "namespace": "slurm"}


def test_replicas_that_others_own_are_left_alone(build):
    sets = [{"pool": "p5", "replicas": 2, "replicasOwner": "outside"}, {"pool": "g6"}]
    recorder = build(everything(cluster(nodeSets=sets, partitions=[])))
    assert list(recorder.named("slurm-p5").request.ignoreChanges) == ["spec.replicas"]
    assert list(recorder.named("slurm-g6").request.ignoreChanges) == []


def test_the_state_volume_is_encrypted_kept_and_protected(slurm):
    storage_class = slurm.only("kubernetes:storage.k8s.io/v1:StorageClass").inputs
    assert storage_class["reclaimPolicy"] == "Retain"
    assert storage_class["parameters"] == {"type": "gp3", "encrypted": "true"}
    assert storage_class["volumeBindingMode"] == "WaitForFirstConsumer"
    claim = slurm.only("kubernetes:core/v1:PersistentVolumeClaim")
    assert claim.request.protect is True
    assert claim.request.retainOnDelete is True
    assert claim.inputs["spec"]["storageClassName"] == "gp3-retain"
    assert claim.inputs["spec"]["resources"] == {"requests": {"storage": "10Gi"}}
    persistence = slurm.named("slurm-release").inputs["values"]["controller"]["persistence"]
    assert persistence["existingClaim"] == claim.inputs["metadata"]["name"] == "slurm-statesave"


def test_login_pods_have_users_of_the_image_unless_a_secret_is_named(slurm, build):
    secret = slurm.only("kubernetes:core/v1:Secret")
    assert secret.inputs["metadata"]["name"] == "slurm-sssd"
    values = slurm.named("slurm-release").inputs["values"]
    assert values["sssd"]["secretRef"] == {"name": "slurm-sssd", "key": "sssd.conf"}
    named = build(everything(cluster(login={"sssdSecret": "ldap"})))
    assert named.of_type("kubernetes:core/v1:Secret") == []
    assert named.named("slurm-release").inputs["values"]["sssd"]["secretRef"]["name"] == "ldap"


def test_values_of_the_environment_reach_the_slurm_chart(build):
    recorder = build(everything(cluster(values={"restapi": {"replicas": 3}}), charts="/srv/charts"))
    release = recorder.named("slurm-release").inputs
    assert release["values"]["restapi"]["replicas"] == 3
    assert release["values"]["restapi"]["pdb"] == {"enabled": True, "minAvailable": 1}
    assert release["chart"] == "/srv/charts/slurm"


def test_the_namespace_of_cert_manager_is_ours_and_restricted(slurm):
    namespace = slurm.named("cert-manager-namespace")
    assert namespace.inputs["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    release = slurm.named("cert-manager-release")
    assert "cert-manager-namespace" in release.depends_on
    assert not release.inputs.get("createNamespace")
