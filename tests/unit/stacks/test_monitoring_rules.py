"""Rules of monitoring: each breaks one thing in a valid section and reads the message."""

import pydantic
import pytest

from stacks.device_plugins import NvidiaSpec
from stacks.monitoring import MonitoringSpec, check_monitoring
from stacks.node_pools import NodePool

pytestmark = pytest.mark.unit

P5 = NodePool.model_validate(
    {
        "name": "p5",
        "instanceType": "p5.48xlarge",
        "zone": "us-west-2b",
        "nodes": {"max": 2},
        "efa": "static",
        "placementGroup": "none",
    }
)


def problems(given=None, *, pools=(P5,), nvidia=None):
    spec = MonitoringSpec.model_validate(given or {})
    return list(check_monitoring("platform.monitoring", spec, pools=pools, nvidia=nvidia))


def test_the_defaults_are_valid():
    assert problems() == []


@pytest.mark.parametrize(
    ("field", "values", "nearest"),
    [
        ("values", {"prometheus": {"prometheusSpec": {"retentionsize": "1GiB"}}}, "retentionSize"),
        ("values", {"prometheus-node-exporter": {"extraArg": []}}, "prometheus-node-exporter.extraArgs"),
        ("values", {"grafana": {"sidecar": {"dashboard": {}}}}, "grafana.sidecar.dashboards"),
        ("dcgmValues", {"toleration": []}, "tolerations"),
    ],
)
def test_a_misspelt_key_of_a_chart_or_of_its_sub_chart_is_refused(field, values, nearest):
    [problem] = problems({field: values})
    assert problem.path.startswith(f"platform.monitoring.{field}.")
    assert nearest in problem.ways_out[0]


def test_a_password_in_the_file_is_refused_and_not_repeated():
    [problem] = problems({"values": {"grafana": {"adminPassword": "hunter2"}}})
    assert problem.path == "platform.monitoring.values.grafana.adminPassword"
    assert "hunter2" not in "\n".join(problem.lines())
    assert "grafana.adminSecret" in problem.ways_out[0]


def test_grafana_needs_the_name_of_a_secret():
    with pytest.raises(pydantic.ValidationError, match="adminSecret"):
        MonitoringSpec.model_validate({"grafana": {}})


@pytest.mark.parametrize("part", ["prometheus", "grafana", "alertmanager"])
@pytest.mark.parametrize("kind", ["LoadBalancer", "NodePort"])
def test_nothing_listens_outside_the_cluster(part, kind):
    [problem] = problems({"values": {part: {"service": {"type": kind}}}})
    assert problem.path == f"platform.monitoring.values.{part}.service.type"
    assert problem.accepted == "ClusterIP"
    assert problems({"values": {part: {"service": {"type": "ClusterIP"}}}}) == []


def test_the_release_does_not_bring_the_definitions_a_second_time():
    [problem] = problems({"values": {"crds": {"enabled": True}}})
    assert "two owners" in problem.reason


def test_a_second_dcgm_exporter_is_refused_where_there_are_gpus():
    nvidia = NvidiaSpec.model_validate({"gpuOperator": {"values": {"dcgmExporter": {"enabled": True}}}})
    [problem] = problems(nvidia=nvidia)
    assert problem.path == "platform.nvidia.gpuOperator.values.dcgmExporter.enabled"
    assert "contend" in problem.reason
    assert problems(nvidia=nvidia, pools=()) == []
    assert problems(nvidia=NvidiaSpec.model_validate({"gpuOperator": {}})) == []
