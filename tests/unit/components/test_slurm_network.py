"""Slurm's network policies: who gets through to which pod, by the rules of Kubernetes."""

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.platform import SlurmNetwork, SlurmNetworkArgs
from components.platform.slurm_network import APP, slurm_network_policies
from components.platform.slurm_node_sets import node_set_spec
from tests.unit.slurm_examples import POOLS, cluster

pytestmark = pytest.mark.unit

IN_SLURM, OPERATOR, PROMETHEUS, TEAM = "slurm", "slinky", "monitoring", "team-a"
OUTSIDE = None
DAEMONS = {"slurmctld": 6817, "slurmd": 6818, "slurmdbd": 6819, "slurmrestd": 6820}


def selects(selector, labels):
    equal = all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
    return equal and all(
        rule["operator"] == "NotIn" and labels.get(rule["key"]) not in rule["values"]
        for rule in selector.get("matchExpressions", [])
    )


def reaches(spec, app, port, source):
    """Whether a connection from a namespace (None: from no pod) gets through to a port of a pod."""
    policies = [p for p in slurm_network_policies(spec).values() if selects(p["podSelector"], {APP: app})]
    assert policies, "a pod that no policy selects is open"
    return any(
        ("ports" not in rule or port in [entry["port"] for entry in rule["ports"]])
        and ("from" not in rule or any(_is_from(peer, source) for peer in rule["from"]))
        for policy in policies
        for rule in policy["ingress"]
    )


def _is_from(peer, source):
    if source is OUTSIDE:
        return False
    if "namespaceSelector" in peer:
        return selects(peer["namespaceSelector"], {"kubernetes.io/metadata.name": source})
    return peer == {"podSelector": {}} and source == IN_SLURM


@pytest.mark.parametrize(("app", "port"), DAEMONS.items())
def test_slurms_own_pods_reach_each_daemon(app, port):
    assert reaches(cluster(), app, port, IN_SLURM)


@pytest.mark.parametrize("source", [TEAM, OUTSIDE, PROMETHEUS])
@pytest.mark.parametrize(("app", "port"), DAEMONS.items())
def test_nobody_else_does(app, port, source):
    assert not reaches(cluster(), app, port, source)


@pytest.mark.parametrize("app", ["slurmctld", "slurmdbd", "slurmrestd"])
def test_a_daemon_of_the_control_plane_has_one_open_port(app):
    assert not reaches(cluster(), app, 40000, IN_SLURM)


@pytest.mark.parametrize("app", ["slurmd", "login"])
def test_steps_call_back_to_srun_at_any_port(app):
    assert reaches(cluster(), app, 40000, IN_SLURM)
    assert not reaches(cluster(), app, 40000, TEAM)


def test_the_operator_asks_the_rest_api_and_nothing_else():
    found = [app for app, port in DAEMONS.items() if reaches(cluster(), app, port, OPERATOR)]
    assert found == ["slurmrestd"]


def test_prometheus_reads_the_controller_once_there_is_a_monitor():
    monitored = cluster(metrics={"serviceMonitor": True})
    assert [app for app, port in DAEMONS.items() if reaches(monitored, app, port, PROMETHEUS)] == ["slurmctld"]
    assert not reaches(monitored, "slurmctld", 6817, TEAM)


def test_login_is_for_the_cluster_unless_a_load_balancer_is_asked_for():
    assert reaches(cluster(), "login", 22, TEAM)
    assert not reaches(cluster(), "login", 22, OUTSIDE)
    balanced = cluster(login={"service": {"sourceCidrs": ["10.0.0.0/8"]}})
    assert reaches(balanced, "login", 22, OUTSIDE)
    assert not reaches(balanced, "slurmd", 22, OUTSIDE)
    assert not reaches(cluster(login=None), "login", 22, TEAM)


def test_a_pod_of_someone_else_in_the_namespace_is_closed_too():
    assert not reaches(cluster(login=None), "anything", 8080, TEAM)


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: pool.name)
def test_no_node_set_is_on_the_hosts_network_where_policies_do_not_hold(pool):
    spec = cluster()
    entry = next(entry for entry in spec.node_sets if entry.pool == pool.name)
    assert "hostNetwork" not in node_set_spec(spec, entry, pool, None)["template"]["spec"]


def test_each_policy_is_an_object_of_its_own_in_slurms_namespace(build):
    def run():
        on = pulumi.ResourceOptions(providers=[k8s.Provider("k8s", kubeconfig="{}")])
        SlurmNetwork("slurm-network", SlurmNetworkArgs(spec=cluster(), namespace="slurm"), opts=on)

    made = build(run).of_type("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    assert {policy.inputs["metadata"]["namespace"] for policy in made} == {"slurm"}
    assert {policy.inputs["metadata"]["name"] for policy in made} == set(slurm_network_policies(cluster()))
    denied = next(policy for policy in made if policy.inputs["metadata"]["name"] == "default-deny")
    assert denied.inputs["spec"] == {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": []}
