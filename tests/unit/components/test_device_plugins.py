"""The device plane: what is installed for which pools, and with which values."""

import pulumi
import pytest

from components.catalog.chart_values import unknown_keys
from components.catalog.eks_images import eks_registry
from components.catalog.images import mirrored
from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.kube_scheduler import KUBE_SCHEDULER_TAGS
from components.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from components.catalog.pins import GPU_OPERATOR
from components.catalog.requests import SYSTEM_REQUESTS
from components.platform.device_plugins import DevicePlane, create_device_plugins
from components.platform.efa_device_plugin_values import efa_device_plugin_values
from components.platform.gpu_operator_values import gpu_operator_values
from components.platform.neuron_plugin_values import neuron_plugin_values
from components.platform.nvidia_device_plugin_values import nvidia_device_plugin_values
from components.platform.tolerations import device_tolerations
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec
from stacks.node_pools import NodePool

pytestmark = pytest.mark.unit

RELEASE = "kubernetes:helm.sh/v3:Release"
MIRROR = "registry.example.com/mirror"


def pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"max": 2}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **given})


P5 = pool("p5", "p5.48xlarge", efa="static")
OWNED = pool("owned", "p5.48xlarge", taints=[{"key": "example.com/team", "value": "a"}, {"key": "example.com/x"}])
TRN1 = pool("trn1", "trn1.32xlarge", efa="static", taints=[{"key": "example.com/team", "value": "b"}])
SMALL = pool("small", "trn1.2xlarge")

OPERATOR = NvidiaSpec.model_validate({"gpuOperator": {}})
EXTENDED = NeuronSpec.model_validate({"schedulerExtension": True})


def nvidia(spec=None, pools=(P5,), images=None):
    return nvidia_device_plugin_values(spec or NvidiaSpec(), pools=pools, images=images)


def operator(spec=OPERATOR, pools=(P5,), images=None):
    return gpu_operator_values(spec, pools=pools, images=images)


def neuron(spec=None, pools=(TRN1,), kubernetes="1.35", images=None):
    return neuron_plugin_values(spec or NeuronSpec(), pools=pools, kubernetes=kubernetes, images=images)


def efa(spec=None, pools=(P5,), region="us-west-2", images=None):
    return efa_device_plugin_values(spec or EfaSpec(), pools=pools, region=region, images=images)


@pytest.mark.parametrize("images", [None, MIRROR])
def test_every_value_is_one_that_its_chart_reads(images):
    assert unknown_keys("nvidia-device-plugin", nvidia(images=images)) == []
    assert unknown_keys("gpu-operator", operator(images=images)) == []
    assert unknown_keys("neuron-helm-chart", neuron(EXTENDED, images=images)) == []
    assert unknown_keys("aws-efa-k8s-device-plugin", efa(images=images)) == []


def test_tolerations_cover_accelerators_taints_of_pools_and_csi_startup_once_each():
    keys = [each["key"] for each in device_tolerations([P5, OWNED, TRN1])]
    assert keys == [
        "nvidia.com/gpu",
        "aws.amazon.com/neuron",
        "example.com/team",
        "example.com/x",
        "ebs.csi.aws.com/agent-not-ready",
        "fsx.csi.aws.com/agent-not-ready",
        "efs.csi.aws.com/agent-not-ready",
        "s3.csi.aws.com/agent-not-ready",
    ]
    assert {each["operator"] for each in device_tolerations([P5, OWNED])} == {"Exists"}


def test_tolerations_depend_on_no_order_and_no_value():
    other = TRN1.model_copy(update={"taints": OWNED.taints})
    assert device_tolerations([OWNED, TRN1]) == device_tolerations([TRN1, OWNED]) == device_tolerations([other])


@pytest.mark.parametrize(
    "tolerations_of",
    [
        lambda pools: nvidia(pools=pools)["tolerations"],
        lambda pools: operator(pools=pools)["daemonsets"]["tolerations"],
        lambda pools: operator(pools=pools)["node-feature-discovery"]["worker"]["tolerations"],
        lambda pools: neuron(pools=pools)["devicePlugin"]["tolerations"],
        lambda pools: efa(pools=pools)["tolerations"],
    ],
    ids=["nvidia", "operator", "nfd worker", "neuron", "efa"],
)
def test_every_plugin_follows_the_taints_of_the_pools(tolerations_of):
    assert tolerations_of([P5]) == device_tolerations([P5])
    assert {"key": "example.com/team", "operator": "Exists"} in tolerations_of([P5, TRN1])


def test_no_pod_gets_more_efa_devices_than_it_asked_for():
    assert nvidia()["mofedEnabled"] is False
    assert {"name": "MOFED_ENABLED", "value": "false"} in operator()["devicePlugin"]["env"]
    assert operator()["driver"]["rdma"] == {"enabled": False}


@pytest.mark.parametrize("wanted", [True, False])
def test_gdrcopy_is_given_when_asked_for_whoever_brings_the_plugin(wanted):
    spec = NvidiaSpec.model_validate({"gdrcopy": wanted})
    assert nvidia(spec)["gdrcopyEnabled"] is wanted
    assert {"name": "GDRCOPY_ENABLED", "value": str(wanted).lower()} in operator(spec)["devicePlugin"]["env"]


def test_gpus_are_whole_and_the_plugin_runs_where_they_are():
    values = nvidia()
    assert (values["migStrategy"], values["gfd"], values["nfd"]) == ("none", {"enabled": False}, {"enabled": False})
    assert values["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert values["failOnInitError"] is True
    assert "config" not in values


def test_the_operator_leaves_driver_and_toolkit_alone_and_runs_on_system_nodes():
    values = operator()
    system = {"eks-training-platform/role": "system"}
    assert values["driver"]["enabled"] is False
    assert values["toolkit"] == {"enabled": False}
    assert values["validator"]["plugin"]["env"] == [{"name": "WITH_WORKLOAD", "value": "false"}]
    nfd = values["node-feature-discovery"]
    assert [part["nodeSelector"] for part in (values["operator"], nfd["master"], nfd["gc"])] == [system] * 3
    assert nfd["worker"]["nodeSelector"] == {"nvidia.com/gpu.present": "true"}


def test_neuron_devices_are_whole_and_their_health_has_one_source():
    values = neuron()
    assert values["npd"] == values["draDriver"] == values["scheduler"] == {"enabled": False}
    assert values["devicePlugin"]["enabled"] is True


def test_the_neuron_plugin_reaches_every_type_that_a_pool_may_have():
    types = neuron()["neuronInstances"]
    assert set(types) == {name for name, facts in INSTANCE_TYPES.items() if facts.is_neuron}
    assert "trn1.32xlarge" in types
    assert "p5.48xlarge" not in types


@pytest.mark.parametrize("kubernetes", KUBERNETES_VERSIONS)
def test_the_second_scheduler_is_of_the_cluster_s_minor(kubernetes):
    scheduler = neuron(EXTENDED, kubernetes=kubernetes)["scheduler"]
    tag = scheduler["customScheduler"]["image"]["tag"]
    assert tag.startswith(f"v{kubernetes}.")
    assert f"-eks-{kubernetes.replace('.', '-')}-" in tag
    assert scheduler["nodeSelector"] == {"eks-training-platform/role": "system"}
    assert scheduler["customScheduler"]["nodeSelector"] == scheduler["nodeSelector"]


def test_a_scheduler_of_an_unknown_minor_is_never_guessed():
    assert "1.37" not in KUBE_SCHEDULER_TAGS
    with pytest.raises(KeyError):
        neuron(EXTENDED, kubernetes="1.37")


def test_the_table_of_requests_has_what_the_scheduler_asks_for():
    scheduler = neuron(EXTENDED)["scheduler"]
    asked = [part["resources"]["requests"] for part in (scheduler, scheduler["customScheduler"])]
    [row] = [row for row in SYSTEM_REQUESTS if row.part == "neuron.schedulerExtension"]
    assert row.cpu_m == sum(int(each["cpu"].removesuffix("m")) for each in asked)
    assert row.memory_mib == sum(int(each["memory"].removesuffix("Mi")) for each in asked)


def test_the_efa_plugin_goes_by_the_pools_label_and_not_by_the_chart_s_list_of_types():
    values = efa()
    assert values["supportedInstanceLabels"] == {"keys": ["eks-training-platform/efa"], "values": ["true"]}
    assert values["nodeSelector"] == {"eks-training-platform/efa": "true"}
    assert "securityContext" not in values, "the chart's own is privileged, which the plugin needs"


@pytest.mark.parametrize(
    ("region", "registry"),
    [
        ("us-west-2", "602401143452.dkr.ecr.us-west-2.amazonaws.com"),
        ("eu-west-1", "602401143452.dkr.ecr.eu-west-1.amazonaws.com"),
        ("eu-south-2", "455263428931.dkr.ecr.eu-south-2.amazonaws.com"),
        ("us-gov-west-1", "013241004608.dkr.ecr.us-gov-west-1.amazonaws.com"),
        ("cn-north-1", "918309763551.dkr.ecr.cn-north-1.amazonaws.com.cn"),
    ],
)
def test_the_efa_image_comes_from_the_registry_of_the_region(region, registry):
    assert efa(region=region)["image"] == {"repository": f"{registry}/eks/aws-efa-k8s-device-plugin"}


def test_a_region_without_a_known_registry_leaves_the_image_to_the_chart():
    assert eks_registry("ap-east-2") is None
    assert "image" not in efa(region="ap-east-2")


def test_images_come_from_the_mirror_below_their_own_path():
    assert nvidia(images=MIRROR)["image"]["repository"] == f"{MIRROR}/nvidia/k8s-device-plugin"
    assert efa(images=MIRROR)["image"]["repository"] == f"{MIRROR}/eks/aws-efa-k8s-device-plugin"
    values = neuron(EXTENDED, images=MIRROR)
    assert values["devicePlugin"]["image"]["repository"] == f"{MIRROR}/neuron/neuron-device-plugin"
    custom = values["scheduler"]["customScheduler"]["image"]["repository"]
    assert custom == f"{MIRROR}/eks-distro/kubernetes/kube-scheduler"
    values = operator(images=MIRROR)
    assert values["operator"]["repository"] == values["devicePlugin"]["repository"] == f"{MIRROR}/nvidia"
    nfd = values["node-feature-discovery"]["image"]["repository"]
    assert nfd == f"{MIRROR}/nfd/node-feature-discovery"


def test_an_image_keeps_its_registry_without_a_mirror():
    assert mirrored("nvcr.io/nvidia/k8s-device-plugin", None) == "nvcr.io/nvidia/k8s-device-plugin"


@pytest.mark.parametrize(
    "merged_values",
    [
        lambda values: nvidia(NvidiaSpec.model_validate({"values": values})),
        lambda values: operator(NvidiaSpec.model_validate({"gpuOperator": {"values": values}})),
        lambda values: neuron(NeuronSpec.model_validate({"values": values})),
        lambda values: efa(EfaSpec.model_validate({"values": values})),
    ],
    ids=["nvidia", "operator", "neuron", "efa"],
)
def test_values_of_the_environment_lie_over_ours(merged_values):
    assert merged_values({"tolerations": [], "mine": {"a": 1}})["mine"] == {"a": 1}
    assert merged_values({"tolerations": []})["tolerations"] == []


def test_a_large_pool_is_updated_within_the_time_that_helm_waits():
    for strategy in (nvidia()["updateStrategy"], efa()["updateStrategy"], neuron()["devicePlugin"]["updateStrategy"]):
        assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}}
    assert operator()["daemonsets"]["rollingUpdate"] == {"maxUnavailable": "25%"}


def test_a_plugin_that_fails_on_nodes_without_efa_does_not_fail_the_release():
    asking = pool("asking", "p5.48xlarge", efa="onRequest")
    assert efa(pools=[P5, asking])["updateStrategy"]["rollingUpdate"] == {"maxUnavailable": "100%"}


@pytest.fixture
def releases(build):
    """Chart -> registration of the release, for pools and parts of the environment."""

    def run(*pools, **parts):
        given = {"nvidia": NvidiaSpec(), "neuron": NeuronSpec(), "efa": EfaSpec(), **parts}
        plane = DevicePlane(**given, pools=pools, kubernetes="1.35", region="us-west-2", charts=None, images=None)
        recorder = build(lambda: create_device_plugins(plane, pulumi.ResourceOptions()) and None)
        return {each.inputs["name"]: each for each in recorder.of_type(RELEASE)}

    return run


@pytest.mark.parametrize(
    ("pools", "charts"),
    [
        ([], set()),
        ([P5], {"nvidia-device-plugin", "aws-efa-k8s-device-plugin"}),
        ([OWNED], {"nvidia-device-plugin"}),
        ([SMALL], {"neuron-helm-chart"}),
        ([TRN1], {"neuron-helm-chart", "aws-efa-k8s-device-plugin"}),
        ([P5, SMALL], {"nvidia-device-plugin", "neuron-helm-chart", "aws-efa-k8s-device-plugin"}),
    ],
    ids=["no pools", "GPUs with EFA", "GPUs", "Neuron", "Neuron with EFA", "both"],
)
def test_a_plugin_is_installed_where_a_pool_needs_it(releases, pools, charts):
    assert set(releases(*pools)) == charts


def test_the_operator_comes_in_place_of_the_plugin_s_own_chart(releases):
    assert set(releases(OWNED, nvidia=OPERATOR)) == {"gpu-operator"}
    assert releases(SMALL, nvidia=OPERATOR).keys() == {"neuron-helm-chart"}


def test_a_part_that_is_off_installs_nothing(releases):
    assert releases(P5, TRN1, nvidia=None, neuron=None, efa=None) == {}


def test_plugins_live_in_kube_system(releases):
    found = releases(P5, TRN1)
    assert {each.inputs["namespace"] for each in found.values()} == {"kube-system"}
    assert all(each.inputs.get("createNamespace") in (None, False) for each in found.values())


def test_the_operator_lives_in_a_privileged_namespace_of_its_own(build):
    plane = DevicePlane(
        nvidia=OPERATOR,
        neuron=None,
        efa=None,
        pools=[P5],
        kubernetes="1.35",
        region="us-west-2",
        charts=None,
        images=None,
    )
    recorder = build(lambda: create_device_plugins(plane, pulumi.ResourceOptions()) and None)
    namespace = recorder.only("kubernetes:core/v1:Namespace")
    assert namespace.inputs["metadata"]["name"] == "gpu-operator"
    assert namespace.inputs["metadata"]["labels"] == {
        "eks-training-platform/system": "true",
        "pod-security.kubernetes.io/enforce": "privileged",
    }
    release = recorder.only(RELEASE)
    assert release.inputs["namespace"] == "gpu-operator"
    assert namespace.name in release.depends_on


def test_operator_and_validator_are_of_the_pinned_release_and_not_of_the_charts_own_default():
    values = gpu_operator_values(NvidiaSpec(gpu_operator={}), pools=[], images=None)
    assert {values[part]["version"] for part in ("operator", "validator")} == {GPU_OPERATOR.version}
