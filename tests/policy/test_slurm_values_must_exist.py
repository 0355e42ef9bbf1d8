"""Values that their chart does not read."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_values_must_exist import POLICY
from tests.policy.slurm_samples import CHART, RELEASE, release, slurm

pytestmark = pytest.mark.policy


def test_keys_of_the_chart_pass_and_so_does_the_valid_release(check):
    assert check(POLICY, RELEASE, slurm()) == []
    assert check(POLICY, RELEASE, release("slurm-operator-crds", values={})) == []
    assert check(POLICY, RELEASE, release("slurm-operator-crds")) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("partitions.gpu", {"enabled": True, "nodesets": ["gpu"], "configMap": {"State": "UP"}}),
        ("nodesets.gpu.slurmd.securityContext", {"privileged": True}),
        ("nodesets.gpu.slurmd.image", "registry.example/slurmd:26.05"),
        ("nodesets.gpu.podSpec.volumes", [{"name": "shm"}]),
        ("nodesets.gpu.partition", {"enabled": True}),
        ("nodesets.cpu-example", {}),
        ("loginsets.main", {"replicas": 1, "service": {"spec": {"type": "ClusterIP"}, "port": 22}}),
        ("controller.service.nodePort", 30817),
        ("controller.slurmctld.args", ["-v"]),
        ("controller.persistence.volumeName", "pv"),
        ("controller.extraConfMap.JobRequeue", 1),
        ("configFiles.gres.conf", "AutoDetect=nvidia"),
        ("restapi", {}),
        ("restapi", UNKNOWN),
        ("nodesets", None),
    ],
)
def test_what_the_chart_hands_on_or_names_itself_passes(check, path, value):
    assert check(POLICY, RELEASE, slurm(path, value)) == []


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("compute", {"partitions": [{"name": "gpu"}]}, "compute.partitions"),
        ("efa", {"enabled": True}, "efa.enabled"),
        ("placementGroup", "cluster", "placementGroup"),
        ("nodesets.gpu.instanceType", "p5.48xlarge", "nodesets.gpu.instanceType"),
        ("nodesets.gpu.partitions.enabled", True, "nodesets.gpu.partitions.enabled"),
        ("loginsets.main.sssdConf", "x", "loginsets.main.sssdConf"),
        ("partitions.gpu.pools", ["gpu"], "partitions.gpu.pools"),
        ("controller.persistance.enabled", True, "controller.persistance.enabled"),
        ("jwtHs256KeyRef", {"name": "jwt"}, "jwtHs256KeyRef.name"),
        ("accounting.storageConfig.password", UNKNOWN, "accounting.storageConfig.password"),
    ],
)
def test_an_invented_key_is_refused_with_its_path(check, path, value, named):
    [message] = check(POLICY, RELEASE, slurm(path, value))
    assert f"Release 'slurm' sets {named}, which the chart slurm does not read" in message
    assert f", or remove {named}" in message


def test_a_misspelt_key_is_refused_with_the_nearest_one_under_its_own_name(check):
    [message] = check(POLICY, RELEASE, slurm("nodesets.gpu.replica", 2))
    assert "Write nodesets.gpu.replicas, or remove nodesets.gpu.replica" in message


@pytest.mark.parametrize(
    ("chart", "values", "named"),
    [
        ("slurm-operator", {"operator": {"replica": 2}}, "operator.replica"),
        ("slurm-operator-crds", {"keep": True}, "keep"),
        ("cert-manager", {"installCRD": True}, "installCRD"),
        ("volcano", {"custom": {"scheduler_replica": 2}}, "custom.scheduler_replica"),
    ],
)
def test_other_charts_that_are_listed_are_refused_alike(check, chart, values, named):
    [message] = check(POLICY, RELEASE, {"name": chart, "chart": f"oci://mirror.example/{chart}", "values": values})
    assert f"Release '{chart}' sets {named}" in message


def test_every_invented_key_is_refused_at_once(check):
    assert len(check(POLICY, RELEASE, slurm("efa", {"enabled": True, "count": 32}))) == 2


@pytest.mark.parametrize("values", [UNKNOWN_OBJECT_VALUE, None, [], "replicas: 3"])
def test_values_that_a_preview_does_not_know_pass(check, values):
    assert check(POLICY, RELEASE, release("slurm", values=values)) == []


def test_a_chart_or_a_version_without_a_list_is_not_its_business(check):
    invented = {"efa": {"enabled": True}}
    assert check(POLICY, RELEASE, release("slurm", version="1.3.0", values=invented)) == ["not applicable"]
    assert check(POLICY, RELEASE, {"chart": "keycloak", "values": invented}) == ["not applicable"]
    assert check(POLICY, CHART, {}) == ["not applicable"]
    assert check(POLICY, "kubernetes:apps/v1:Deployment", {"chart": "slurm", "values": invented}) == ["not applicable"]
    assert len(check(POLICY, RELEASE, release("slurm", version="v1.2.2", values=invented))) == 1


def test_the_engine_gets_a_mandatory_violation(analyzer):
    response = analyzer.analyze(RELEASE, slurm("efa", {"enabled": True}))
    [found] = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
