"""Monitoring: what is installed for which pools, with which values, rules and dashboards."""

import re
import subprocess

import pytest

from components.catalog.chart_values import unknown_keys
from components.platform import alerts
from components.platform.crd_charts import DATA, crd_data
from components.platform.dashboards import dashboards
from components.platform.efa_counters import FILE, SCRIPT
from components.platform.monitoring import CRD_FOLDER, Monitoring, MonitoringArgs
from components.platform.monitoring_values import dcgm_values, stack_values
from components.platform.tolerations import device_tolerations
from stacks.monitoring import MonitoringSpec
from stacks.node_pools import NodePool

pytestmark = pytest.mark.unit

RELEASE = "kubernetes:helm.sh/v3:Release"
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
SERVICE_MONITOR = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor"
RULE = "kubernetes:monitoring.coreos.com/v1:PrometheusRule"
MAP = "kubernetes:core/v1:ConfigMap"
MIRROR = "registry.example.com/mirror"


def pool(name: str, instance_type: str, **more: object) -> NodePool:
    given = {"efa": "off", "placementGroup": "none", "nodes": {"max": 2}, "zone": "us-west-2b", **more}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **given})


P5 = pool("p5", "p5.48xlarge", efa="static", taints=[{"key": "example.com/team", "value": "a"}])
PLAIN_GPU = pool("gpu", "p5.48xlarge")
TRN = pool("trn", "trn1.2xlarge")
ALL = (P5, PLAIN_GPU, TRN)
PLAIN = MonitoringSpec()
FULL = MonitoringSpec.model_validate(
    {
        "retentionDays": 30,
        "storageGiB": 200,
        "grafana": {"adminSecret": "grafana-admin"},
        "alertmanagerSecret": "alertmanager-config",
        "nodeUnits": True,
        "values": {"prometheus": {"prometheusSpec": {"walCompression": False}}},
        "dcgmValues": {"hostNetwork": True},
    }
)


@pytest.fixture(scope="module")
def make(build):
    def run(spec=PLAIN, pools=ALL, *, volcano=True, images=None):
        args = MonitoringArgs(
            spec=spec, pools=pools, namespace="monitoring", volcano=volcano, charts=None, images=images
        )
        return build(lambda: Monitoring("monitoring", args))

    return run


@pytest.mark.parametrize("spec", [PLAIN, FULL])
@pytest.mark.parametrize("images", [None, MIRROR])
def test_every_value_is_one_that_its_chart_reads(spec, images):
    assert unknown_keys("kube-prometheus-stack", stack_values(spec, images)) == []
    assert unknown_keys("dcgm-exporter", dcgm_values(spec, pools=ALL, images=images)) == []


def test_prometheus_reads_everybody_s_monitors_and_keeps_as_much_as_its_volume_holds():
    spec = stack_values(FULL, None)["prometheus"]["prometheusSpec"]
    assert spec["serviceMonitorSelectorNilUsesHelmValues"] is False
    assert spec["ruleSelectorNilUsesHelmValues"] is False
    assert (spec["retention"], spec["retentionSize"]) == ("30d", "170GiB")
    claim = spec["storageSpec"]["volumeClaimTemplate"]["spec"]
    assert claim["storageClassName"] == "gp3"
    assert claim["resources"]["requests"] == {"storage": "200Gi"}
    assert spec["walCompression"] is False


def test_helpers_beside_the_others_ask_for_what_they_use_too():
    values = stack_values(FULL, None)
    operator = values["prometheusOperator"]
    helpers = (operator["admissionWebhooks"]["patch"], operator["prometheusConfigReloader"])
    for helper in (*helpers, values["grafana"]["sidecar"]):
        assert helper["resources"]["requests"] == {"cpu": "10m", "memory": "64Mi"}
    assert values["grafana"]["testFramework"] == {"enabled": False}


def test_what_can_run_on_system_nodes_does():
    values = stack_values(FULL, None)
    system = {"eks-training-platform/role": "system"}
    selectors = [
        values["prometheusOperator"]["nodeSelector"],
        values["prometheusOperator"]["admissionWebhooks"]["patch"]["nodeSelector"],
        values["prometheus"]["prometheusSpec"]["nodeSelector"],
        values["alertmanager"]["alertmanagerSpec"]["nodeSelector"],
        values["grafana"]["nodeSelector"],
        values["kube-state-metrics"]["nodeSelector"],
    ]
    assert selectors == [system] * 6


def test_what_eks_hides_is_not_scraped():
    values = stack_values(PLAIN, None)
    parts = ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy")
    assert [values[part]["enabled"] for part in parts] == [False] * 4


def test_grafana_and_alertmanager_run_only_with_a_secret_of_ours():
    plain, full = stack_values(PLAIN, None), stack_values(FULL, None)
    assert (plain["grafana"], plain["alertmanager"]) == ({"enabled": False}, {"enabled": False})
    assert full["grafana"]["admin"] == {"existingSecret": "grafana-admin"}
    assert full["alertmanager"]["alertmanagerSpec"]["configSecret"] == "alertmanager-config"
    assert full["alertmanager"]["alertmanagerSpec"]["useExistingSecret"] is True


def test_node_exporter_runs_on_every_node_and_reads_units_only_when_asked():
    plain = stack_values(PLAIN, None)["prometheus-node-exporter"]
    full = stack_values(FULL, None)["prometheus-node-exporter"]
    assert plain["tolerations"] == [{"operator": "Exists"}]
    assert "--collector.textfile.directory=/textfiles" in plain["extraArgs"]
    assert "--collector.systemd" not in plain["extraArgs"]
    assert "--collector.systemd" in full["extraArgs"]
    assert [mount["name"] for mount in full["extraHostVolumeMounts"]] == ["textfiles", "dbus"]


def test_the_dcgm_exporter_finds_gpu_nodes_and_tolerates_their_taints():
    values = dcgm_values(PLAIN, pools=ALL, images=MIRROR)
    assert values["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert values["tolerations"] == device_tolerations(ALL)
    assert {"key": "example.com/team", "operator": "Exists"} in values["tolerations"]
    assert values["image"] == {"repository": f"{MIRROR}/nvidia/k8s/dcgm-exporter"}
    assert "tag" not in values["image"]


def test_all_exporters_say_the_node_by_the_same_label():
    node = {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node", "action": "replace"}
    assert dcgm_values(PLAIN, pools=ALL, images=None)["serviceMonitor"]["relabelings"] == [node]
    monitor = stack_values(PLAIN, None)["prometheus-node-exporter"]["prometheus"]["monitor"]
    assert monitor["relabelings"] == [node]


@pytest.mark.parametrize(
    ("pools", "releases", "daemon_sets"),
    [
        ((), {"kube-prometheus-stack"}, set()),
        ((PLAIN_GPU,), {"kube-prometheus-stack", "dcgm-exporter"}, set()),
        ((P5,), {"kube-prometheus-stack", "dcgm-exporter"}, {"efa-counters"}),
        ((TRN,), {"kube-prometheus-stack"}, {"neuron-monitor"}),
        (ALL, {"kube-prometheus-stack", "dcgm-exporter"}, {"efa-counters", "neuron-monitor"}),
    ],
)
def test_an_exporter_is_there_where_a_pool_needs_it_and_not_else(make, pools, releases, daemon_sets):
    made = make(pools=pools)
    found = {release.inputs["name"] for release in made.of_type(RELEASE)}
    assert found == releases | {"prometheus-operator-definitions"}
    assert {each.inputs["metadata"]["name"] for each in made.of_type(DAEMON_SET)} == daemon_sets


def test_the_definitions_are_a_chart_of_ours_and_stand_first(make):
    made = make()
    assert made.named("monitoring-crds").inputs["chart"] == f"./components/platform/data/{CRD_FOLDER}"
    assert len(list(crd_data(CRD_FOLDER))) == 10
    release = made.named("monitoring-release")
    assert "monitoring-crds" in release.depends_on
    assert release.inputs["skipCrds"] is True
    assert release.inputs["values"]["crds"] == {"enabled": False}


def test_monitors_and_rules_come_after_the_operator(make):
    made = make()
    for each in [*made.of_type(SERVICE_MONITOR), *made.of_type(RULE), *made.of_type(DAEMON_SET)]:
        assert "monitoring-release" in each.depends_on
    assert "monitoring-release" in made.named("monitoring-dcgm").depends_on


@pytest.mark.parametrize("volcano", [True, False])
def test_volcano_is_read_only_where_it_is(make, volcano):
    made = make(volcano=volcano)
    names = {each.inputs["metadata"]["name"] for each in made.of_type(SERVICE_MONITOR)}
    assert ("volcano-scheduler" in names) is volcano
    groups = [group["name"] for group in made.only(RULE).inputs["spec"]["groups"]]
    assert ("training-platform-volcano" in groups) is volcano


def test_dashboards_come_with_grafana(make):
    assert make(PLAIN).of_type(MAP) == []
    maps = make(FULL).of_type(MAP)
    assert {each.inputs["metadata"]["labels"]["grafana_dashboard"] for each in maps} == {"1"}
    assert len(maps) == len(list(dashboards())) == 3


def test_alerts_are_left_out_where_their_metrics_do_not_exist(make):
    rules = make(PLAIN, (TRN,), volcano=False).only(RULE).inputs["spec"]["groups"]
    names = {rule["alert"] for group in rules for rule in group["rules"]}
    assert "NeuronExecutionErrors" in names
    assert "PodsWaitForAccelerators" in names
    assert not names & {"GpuHardwareXid", "EfaIdleWhileGpusBusy", "VolcanoPodGroupsWait", "LustreOverTcp"}
    assert {alert.name for alert in alerts.ALERTS} == {
        rule["alert"] for group in make(FULL).only(RULE).inputs["spec"]["groups"] for rule in group["rules"]
    }


def expressions():
    for alert in alerts.ALERTS:
        yield alert.name, alert.expr
    for name, board in dashboards():
        for panel in board["panels"]:
            for target in panel["targets"]:
                yield f"{name}: {panel['title']}", target["expr"]


def metrics_of(expression: str) -> set[str]:
    """Names that are no function, keyword or label: an identifier with an underscore before `{`, `[` or an end."""
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\b(?:by|on) \([^)]*\)", " ", expression)
    return {word for word in re.findall(r"[A-Za-z_:][A-Za-z0-9_:]*(?!\w*\s*\()", bare) if "_" in word} - {
        "avg_over_time"
    }


FAMILIES = ("DCGM_FI_", "kube_", "karpenter_nodes_", "operator_nodeclaim_status_condition_", "volcano_queue_pod_group_")
SINGLE = {
    *(f"node_amazonefa_{name}" for name in ("tx_bytes", "rx_bytes", "rdma_read_bytes", "rdma_write_bytes", "rx_drops")),
    "node_systemd_unit_state",
    "node_textfile_mtime_seconds",
    "neuroncore_utilization_ratio",
    "neuron_runtime_memory_used_bytes",
    "execution_errors_total",
}


@pytest.mark.parametrize(("name", "expression"), list(expressions()))
def test_an_expression_is_closed_and_reads_metrics_that_an_exporter_here_has(name, expression):
    for opened, closed in ("()", "[]", "{}"):
        assert expression.count(opened) == expression.count(closed), name
    assert expression.count('"') % 2 == 0
    found = metrics_of(expression) or {"up"}
    unknown = {metric for metric in found if not metric.startswith(FAMILIES) and metric not in SINGLE} - {"up"}
    assert unknown == set(), name


def test_the_reader_of_metric_names_reads_them():
    assert metrics_of('sum by (node_a) (rate(made_up_total{label_x="y"}[5m])) > 1e6') == {"made_up_total"}


def test_an_alert_names_a_cause_and_the_labels_that_its_expression_keeps():
    for alert in alerts.ALERTS:
        assert len(alert.cause) > 60, alert.name
        used = set(re.findall(r"\$labels\.(\w+)", alert.summary))
        grouped = re.match(r"(?:sum|max|avg) by \(([^)]*)\)", alert.expr)
        if grouped:
            assert used <= {label.strip() for label in grouped.group(1).split(",")}, alert.name


def test_panels_have_ids_of_their_own_and_take_the_chosen_data_source():
    for name, board in dashboards():
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids)), name
        assert {panel["datasource"]["uid"] for panel in board["panels"]} == {"${datasource}"}


def test_efa_counters_of_a_node_become_samples(tmp_path):
    for device, counter, value in (
        ("rdmap16s27", "tx_bytes", "1234\n"),
        ("rdmap16s27", "rx_bytes", "5\n"),
        ("rdmap32s27", "tx_bytes", "77\n"),
        ("rdmap32s27", "lifespan", "not a number\n"),
    ):
        folder = tmp_path / "sys" / "class" / "infiniband" / device / "ports" / "1" / "hw_counters"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / counter).write_text(value)
    assert _write(tmp_path) == {
        'node_amazonefa_rx_bytes{device="rdmap16s27",port="1"} 5',
        'node_amazonefa_tx_bytes{device="rdmap16s27",port="1"} 1234',
        'node_amazonefa_tx_bytes{device="rdmap32s27",port="1"} 77',
    }


def test_a_node_without_a_device_yet_has_no_samples(tmp_path):
    (tmp_path / "sys").mkdir()
    assert _write(tmp_path) == set()


def _write(folder):
    (folder / "out").mkdir()
    environment = {"SYS": str(folder / "sys"), "OUT": str(folder / "out"), "EVERY": "once", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["/bin/sh", "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in (folder / "out").iterdir()] == [FILE]
    return set((folder / "out" / FILE).read_text().splitlines())


def test_efa_counters_run_as_root_without_any_privilege_and_on_efa_nodes(make):
    [made] = [e for e in make().of_type(DAEMON_SET) if e.inputs["metadata"]["name"] == "efa-counters"]
    pod = made.inputs["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"eks-training-platform/efa": "true"}
    assert pod["tolerations"] == device_tolerations(ALL)
    context = pod["containers"][0]["securityContext"]
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert context["allowPrivilegeEscalation"] is False
    assert "privileged" not in context
    assert "@sha256:" in pod["containers"][0]["image"]


def test_neuron_monitor_is_of_an_exact_version_and_on_the_pools_types(make):
    [made] = [e for e in make(images=MIRROR).of_type(DAEMON_SET) if e.inputs["metadata"]["name"] == "neuron-monitor"]
    pod = made.inputs["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == f"{MIRROR}/neuron/neuron-monitor:1.3.0"
    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert terms[0]["matchExpressions"][0]["values"] == ["trn1.2xlarge"]
    assert made.inputs["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}


def test_the_definitions_name_their_source_and_are_of_one_version():
    text = (DATA / CRD_FOLDER / "README.md").read_text(encoding="utf-8")
    assert "Apache License 2.0" in " ".join(text.split())
    assert "sha256" in text
    versions = {each["metadata"]["annotations"]["operator.prometheus.io/version"] for each in crd_data(CRD_FOLDER)}
    assert versions == {"0.93.1"}
