"""What a Slurm cluster is made of, before anything is registered: slurm.conf, chart values, NodeSets."""

import pytest

from components.catalog.chart_values import keys_of, unknown_keys
from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.requests import SYSTEM_REQUESTS
from components.catalog.slurm import DAEMONS, OWNED_KEYS, gres_of
from components.platform.cert_manager_values import RESOURCES as CERT_MANAGER_RESOURCES
from components.platform.cert_manager_values import cert_manager_values
from components.platform.slinky_values import RESOURCES as OPERATOR_RESOURCES
from components.platform.slinky_values import slinky_values
from components.platform.slurm_conf import gres_conf, slurm_conf
from components.platform.slurm_node_sets import node_set_spec
from components.platform.slurm_values import RESOURCES, AccountingDatabase, SlurmSurroundings, slurm_values
from stacks.node_pools import Nodes
from tests.unit.slurm_examples import G6, GPU_IMAGE, NEURON_IMAGE, P5, POOLS, STEADY, TRN1, cluster

pytestmark = pytest.mark.unit

MIRROR = "registry.example.com/mirror"
DATABASE = AccountingDatabase(
    host="db.example.com",
    port=3306,
    database="slurm_acct_db",
    username="slurm",
    password_secret_name="slurm-accounting",  # noqa: S106 - a name
    password_secret_key="password",  # noqa: S106 - a key's name
)


def around(**changes):
    given = {"zone": "us-west-2a", "claim": "slurm-statesave", "sssd_secret": "slurm-sssd", "database": DATABASE}
    return SlurmSurroundings(**{**given, "rotation": "slurmKey=unknown", "images": None, **changes})


def values(spec=None, **changes):
    return slurm_values(spec or cluster(), POOLS, around(**changes))


def lines(spec=None, pools=POOLS):
    return slurm_conf(spec or cluster(), pools).splitlines()


def node_set(pool, images=None, **changes):
    spec = cluster(**changes)
    entry = next(entry for entry in spec.node_sets if entry.pool == pool.name)
    return node_set_spec(spec, entry, pool, images)


def images_in(part):
    """Every image that a part of the values names, as the chart would write it."""
    found = []
    for key, value in part.items():
        if key == "image" and isinstance(value, dict):
            found.append(value["repository"] + ("@" + value["digest"] if "digest" in value else ":" + value["tag"]))
        elif key == "image":
            found.append(value)
        elif isinstance(value, dict):
            found += images_in(value)
    return found


# Keys


@pytest.mark.parametrize("images", [None, MIRROR])
def test_every_value_is_one_that_a_chart_reads(images):
    assert unknown_keys("cert-manager", cert_manager_values(images)) == []
    assert unknown_keys("slurm-operator", slinky_values(replicas=2, images=images)) == []
    assert unknown_keys("slurm", values(images=images)) == []


def test_every_key_of_a_login_set_is_one_of_the_charts_defaults():
    login = values(cluster(login={"service": {"sourceCidrs": ["10.0.0.0/8"]}}))["loginsets"]["main"]
    assert unknown_keys("slurm", {"loginsetDefaults": login}) == []


def test_the_list_of_the_slurm_chart_would_notice_an_invented_switch():
    assert [key.path for key in unknown_keys("slurm", {"efa": {"enabled": True}, "compute": {"partitions": []}})] == [
        "efa.enabled",
        "compute.partitions",
    ]
    assert "controller.persistence.existingClaim" in keys_of("slurm")


# slurm.conf


@pytest.mark.parametrize(
    "line",
    [
        "ReturnToService=2",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core_Memory",
        "ProctrackType=proctrack/cgroup",
        "TaskPlugin=task/affinity,task/cgroup",
        "PrologFlags=Contain",
        "GresTypes=gpu,neuron",
        "AccountingStorageTRES=gres/gpu,gres/neuron",
        "JobRequeue=1",
    ],
)
def test_slurm_conf_says_what_the_operator_no_longer_writes(line):
    assert line in lines()


def test_the_environment_may_change_defaults_whatever_their_case():
    assert "KillWait=300" in lines()
    changed = lines(cluster(config={"killwait": 60}))
    assert [line for line in changed if line.lower().startswith("killwait")] == ["killwait=60"]


def test_no_key_stands_twice():
    keys = [line.partition("=")[0] for line in lines() if not line.startswith("PartitionName")]
    assert len(keys) == len(set(keys))


def test_slurm_conf_has_no_device_kind_without_node_sets():
    assert not [line for line in lines(cluster(nodeSets=[])) if line.startswith(("GresTypes", "AccountingStorageTRES"))]


def test_joint_partitions_name_their_node_sets():
    assert "PartitionName=all Nodes=ALL Default=NO MaxTime=UNLIMITED State=UP" in lines()
    assert "PartitionName=chips Nodes=trn1 Default=NO MaxTime=UNLIMITED State=UP" in lines()


def test_the_only_partition_is_the_default():
    assert "Default=YES" in lines(cluster(nodeSets=[], partitions=[{"name": "all"}]))[-1]


def test_more_nodes_than_the_operator_allows_for_raise_the_limit():
    big = [pool.model_copy(update={"nodes": Nodes(max=500)}) for pool in POOLS]
    assert "MaxNodeCount=1500" in lines(cluster(), big)
    assert not [line for line in lines() if line.startswith("MaxNodeCount")]


def test_gres_conf_has_a_line_for_every_node_that_may_come():
    assert gres_conf(cluster(), POOLS).splitlines() == [
        "NodeName=p5-[0-7] AutoDetect=nvidia",
        "NodeName=trn1-[0-1] AutoDetect=off Name=neuron Count=16 Flags=CountOnly",
        "NodeName=g6-[0-1] AutoDetect=nvidia",
    ]


def test_nodes_whose_names_nobody_knows_find_their_gpus_too():
    spec = cluster(nodeSets=[{"pool": "steady", "scalingMode": "DaemonSet"}, {"pool": "trn1"}], partitions=[])
    assert gres_conf(spec, [STEADY, TRN1]).splitlines() == [
        "AutoDetect=nvidia",
        "NodeName=trn1-[0-1] AutoDetect=off Name=neuron Count=16 Flags=CountOnly",
    ]


def test_devices_are_confined_to_jobs():
    assert "ConstrainDevices=yes" in values()["configFiles"]["cgroup.conf"]
    assert "CgroupPlugin=cgroup/v2" in values()["configFiles"]["cgroup.conf"]


@pytest.mark.parametrize(
    ("kind", "gres"),
    [
        ("p5.48xlarge", "gpu:h100:8"),
        ("g6.xlarge", "gpu:l4:1"),
        ("trn1.32xlarge", "neuron:16"),
        ("g7e.48xlarge", "gpu:8"),
    ],
)
def test_devices_are_counted_as_slurm_does(kind, gres):
    assert gres_of(INSTANCE_TYPES[kind]) == gres


# NodeSets


def test_a_node_set_asks_for_all_devices_of_a_node():
    limits = node_set(P5)["slurmd"]["resources"]["limits"]
    assert limits["nvidia.com/gpu"] == "8"
    assert limits["vpc.amazonaws.com/efa"] == "32"
    assert not [key for key in limits if key.startswith("hugepages")]
    assert node_set(TRN1)["slurmd"]["resources"]["limits"]["aws.amazon.com/neuron"] == "16"
    assert "vpc.amazonaws.com/efa" not in node_set(G6)["slurmd"]["resources"]["limits"]


def test_limits_leave_room_for_daemonsets():
    limits = node_set(P5)["slurmd"]["resources"]["limits"]
    assert limits["cpu"] == "190"
    assert 1800 < int(limits["memory"].removesuffix("Gi")) < 2048 * 0.925
    asked = [entry for entry in SYSTEM_REQUESTS if entry.replicas is None]
    assert sum(entry.cpu_m for entry in asked) <= DAEMONS.cpu_m
    assert sum(entry.memory_mib for entry in asked) <= DAEMONS.memory_mib


def test_a_share_is_of_what_is_left():
    half = [{"pool": "p5", "sharePercent": 50}]
    limits = node_set(P5, nodeSets=half, partitions=[])["slurmd"]["resources"]["limits"]
    assert limits["cpu"] == "95"
    assert limits["nvidia.com/gpu"] == "8"


def test_gres_and_features_are_pairs_without_blanks_which_the_operator_needs():
    tokens = node_set(P5)["extraConf"].split(" ")
    assert tokens == ["Gres=gpu:h100:8", "Features=h100,efa"]
    assert all(token.count("=") == 1 for token in tokens)


def test_a_node_set_stays_on_the_nodes_of_its_pool():
    pod = node_set(P5)["template"]["spec"]
    assert pod["nodeSelector"]["eks-training-platform/pool"] == "p5"
    assert pod["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "example.com/team", "operator": "Exists", "effect": "NoExecute"},
    ]
    assert pod["hostname"] == "p5-"


def test_nothing_takes_a_busy_node_away():
    made = node_set(P5)
    assert made["template"]["metadata"]["annotations"] == {"karpenter.sh/do-not-disrupt": "true"}
    assert made["updateStrategy"] == {"type": "OnDelete"}
    assert made["workloadDisruptionProtection"] is True


def test_shared_memory_is_a_quarter_unless_said():
    shm = node_set(P5)["template"]["spec"]["volumes"][0]
    assert shm["emptyDir"]["medium"] == "Memory"
    memory = int(node_set(P5)["slurmd"]["resources"]["limits"]["memory"].removesuffix("Gi"))
    assert int(shm["emptyDir"]["sizeLimit"].removesuffix("Gi")) == memory // 4
    said = node_set(P5, nodeSets=[{"pool": "p5", "sharedMemoryGiB": 64}], partitions=[])
    assert said["template"]["spec"]["volumes"][0]["emptyDir"]["sizeLimit"] == "64Gi"
    assert said["slurmd"]["volumeMounts"] == [{"name": "shm", "mountPath": "/dev/shm"}]  # noqa: S108


def test_claims_are_mounted():
    made = node_set(P5)
    volume = {"name": "claim-shared", "persistentVolumeClaim": {"claimName": "shared"}}
    assert volume in made["template"]["spec"]["volumes"]
    assert {"name": "claim-shared", "mountPath": "/shared", "readOnly": False} in made["slurmd"]["volumeMounts"]


def test_replicas_are_those_of_a_fixed_pool_and_none_of_a_dynamic_one_unless_said():
    assert node_set(P5)["replicas"] == 2
    assert node_set(TRN1)["replicas"] == 2
    assert node_set(G6, nodeSets=[{"pool": "g6"}], partitions=[])["replicas"] == 0


def test_a_daemonset_has_no_replicas_and_prunes_its_records():
    sets = [{"pool": "steady", "scalingMode": "DaemonSet"}]
    made = node_set(STEADY, nodeSets=sets, partitions=[])
    assert "replicas" not in made
    assert made["pruneSlurmNodeRecords"] == "NodeNotFound"
    assert node_set(P5)["pruneSlurmNodeRecords"] == "Never"


def test_a_node_set_has_a_partition_of_its_own_unless_told_not_to():
    assert node_set(P5)["partition"] == {"enabled": True, "config": "Default=YES MaxTime=7-00 State=UP"}
    assert node_set(TRN1)["partition"] == {"enabled": False}


def test_the_node_image_follows_the_accelerator():
    assert node_set(P5)["slurmd"]["image"] == GPU_IMAGE
    assert node_set(TRN1)["slurmd"]["image"] == NEURON_IMAGE


# The release


def test_the_chart_makes_no_secret():
    made = values()
    assert made["slurmKey"] == {"create": False, "secretRef": {"name": "slurm-auth-slurm", "key": "slurm.key"}}
    assert made["jwtKey"] == {"create": False, "secretRef": {"name": "slurm-auth-jwt", "key": "jwt.key"}}
    assert made["sssd"] == {"secretRef": {"name": "slurm-sssd", "key": "sssd.conf"}}


def test_the_controller_keeps_its_state_on_our_volume_in_its_zone():
    controller = values()["controller"]
    assert controller["persistence"] == {"enabled": True, "existingClaim": "slurm-statesave"}
    assert controller["podSpec"]["nodeSelector"]["topology.kubernetes.io/zone"] == "us-west-2a"
    assert controller["inplaceReconfigure"] is True


@pytest.mark.parametrize("part", ["controller", "restapi", "accounting"])
def test_the_control_plane_runs_on_system_nodes(part):
    assert values()[part]["podSpec"]["nodeSelector"]["eks-training-platform/role"] == "system"


def test_the_rest_api_is_there_twice_on_a_budget_of_one_field():
    rest = values()["restapi"]
    assert rest["replicas"] == 2
    # The chart renders both fields, and the API server takes one only: the other keeps its null.
    assert rest["pdb"] == {"enabled": True, "minAvailable": 1}


def test_login_is_for_the_cluster_alone_unless_blocks_are_named():
    assert values()["loginsets"]["main"]["service"] == {"spec": {"type": "ClusterIP"}}
    service = values(cluster(login={"service": {"sourceCidrs": ["10.0.0.0/8"]}}))["loginsets"]["main"]["service"]
    assert service["spec"] == {"type": "LoadBalancer", "loadBalancerSourceRanges": ["10.0.0.0/8"]}
    internal = service["metadata"]["annotations"]
    assert internal["service.beta.kubernetes.io/aws-load-balancer-internal"] == "true"
    assert internal["service.beta.kubernetes.io/aws-load-balancer-scheme"] == "internal"


def test_without_login_there_is_no_login_set():
    made = values(cluster(login=None), sssd_secret=None)
    assert made["loginsets"] == {}
    assert "sssd" not in made


def test_accounting_writes_to_the_database_that_is_named():
    assert values()["accounting"]["storageConfig"] == {
        "host": "db.example.com",
        "port": 3306,
        "database": "slurm_acct_db",
        "username": "slurm",
        "passwordKeyRef": {"name": "slurm-accounting", "key": "password"},
    }
    assert values(database=None)["accounting"] == {"enabled": False}


def test_metrics_need_no_prometheus_operator_unless_asked():
    assert values()["controller"]["metrics"] == {"enabled": True, "serviceMonitor": {"enabled": False}}
    assert values(cluster(metrics={"serviceMonitor": True}))["controller"]["metrics"]["serviceMonitor"]["enabled"]
    assert values(cluster(metrics=None))["controller"]["metrics"]["enabled"] is False


def test_no_image_floats_at_latest():
    found = [*images_in(values()), *images_in(node_set(P5))]
    assert [image for image in found if image.endswith(":latest")] == []
    assert [image for image in found if "alpine" in image and "@sha256:" not in image] == []


def test_a_digest_of_the_environment_wins_over_the_moving_tag():
    digest = "sha256:" + "3" * 64
    made = values(cluster(imageDigests={"slurmctld": digest}))
    assert images_in(made["controller"])[:2] == [f"ghcr.io/slinkyproject/slurmctld@{digest}"] * 2
    assert images_in(values()["controller"])[0] == "ghcr.io/slinkyproject/slurmctld:26.05-ubuntu26.04"


def test_images_come_from_the_mirror_when_there_is_one():
    found = [
        *images_in(values(images=MIRROR)),
        *images_in(slinky_values(replicas=2, images=MIRROR)),
        node_set(P5, MIRROR)["logfile"]["image"],
    ]
    assert [image for image in found if not image.startswith(f"{MIRROR}/")] == []
    assert cert_manager_values(MIRROR)["imageRegistry"] == MIRROR
    assert node_set(P5, MIRROR)["slurmd"]["image"] == GPU_IMAGE


# The operator and cert-manager


def test_the_operator_looks_at_slurms_namespace_only_and_freezes_nobody():
    made = slinky_values(replicas=2, images=None)
    assert (made["operator"]["namespaces"], made["webhook"]["namespaces"]) == ("slurm", "slurm")
    assert made["webhook"]["mutating"]["failurePolicy"] == "Ignore"
    assert made["certManager"]["enabled"] is True
    assert made["crds"]["enabled"] is False


def test_a_single_pod_has_no_budget_that_would_stop_drains():
    assert slinky_values(replicas=2, images=None)["webhook"]["pdb"] == {"enabled": True}
    assert slinky_values(replicas=1, images=None)["operator"]["pdb"] == {"enabled": False}


def test_cert_managers_definitions_outlive_its_release():
    assert cert_manager_values(None)["crds"] == {"enabled": True, "keep": True}
    assert cert_manager_values(None)["global"]["nodeSelector"] == {"eks-training-platform/role": "system"}


def test_the_table_of_requests_says_what_the_values_ask_for():
    table = {entry.name: (f"{entry.cpu_m}m", f"{entry.memory_mib}Mi") for entry in SYSTEM_REQUESTS}

    def asked(resources):
        requests = resources["requests"]
        return requests["cpu"], requests["memory"].replace("1Gi", "1024Mi")

    assert table["cert-manager"] == asked(CERT_MANAGER_RESOURCES)
    assert table["slurm-operator"] == asked(OPERATOR_RESOURCES)
    assert table["slurmctld, slurmrestd, slurmdbd, login pods"] == asked(RESOURCES)


def test_the_baseline_and_devices_are_refused_in_config():
    keys = {line.partition("=")[0].lower() for line in lines(cluster(config={})) if not line.startswith("Partition")}
    assert keys - OWNED_KEYS == {"jobrequeue", "killwait"}
