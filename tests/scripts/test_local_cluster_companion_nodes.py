"""Which nodes the companion gives to node groups and node pools, and when it replaces or removes them."""

import copy
from typing import Any

import pytest

from components.catalog.instance_types import INSTANCE_TYPES
from scripts.sandboxing.cluster.companion import node_groups, node_pools, nodes, resources, startup
from tests.scripts.local_cluster_samples import (
    GROUP,
    NODE_CLASS,
    POOL,
    ZONES,
    changed,
    group_machines,
    pool_machines,
)

pytestmark = pytest.mark.scripts


def test_a_node_group_has_its_desired_nodes_spread_over_its_zones() -> None:
    machines = group_machines(GROUP)
    assert [machine.name for machine in machines] == ["system-0", "system-1", "system-2"]
    assert [machine.zone for machine in machines] == ["us-west-2a", "us-west-2b", "us-west-2a"]


def test_a_system_node_has_the_labels_taints_and_resources_that_eks_gives_it() -> None:
    node = nodes.node_of(group_machines(GROUP)[1], "v1.36.3")
    assert node["metadata"]["labels"] == {
        "eks-training-platform/role": "system",
        "eks-training-platform/simulated": "true",
        "eks.amazonaws.com/capacityType": "ON_DEMAND",
        "eks.amazonaws.com/nodegroup": "system",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "system-1",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "m7i.2xlarge",
        "topology.kubernetes.io/region": "us-west-2",
        "topology.kubernetes.io/zone": "us-west-2b",
    }
    assert node["spec"] == {
        "providerID": "sandbox:///us-west-2b/system-1",
        "taints": [{"key": "CriticalAddonsOnly", "value": "true", "effect": "NoSchedule"}],
    }
    assert node["status"]["capacity"] == {"cpu": "8", "memory": "32768Mi", "pods": "58", "ephemeral-storage": "20Gi"}
    assert node["status"]["nodeInfo"]["kubeletVersion"] == "v1.36.3"


def test_an_autonamed_group_is_named_by_what_came_out_of_its_creation() -> None:
    record = changed(GROUP, "inputs.nodeGroupName", None)
    assert group_machines(record)[0].name == "system-0"
    record["outputs"]["nodeGroupName"] = "system-4f2a"
    assert group_machines(record)[0].name == "system-4f2a-0"


def test_a_group_in_subnets_of_another_team_gets_nodes_in_a_zone_of_its_region_and_always_the_same() -> None:
    zones = [[machine.zone for machine in group_machines(GROUP, {})] for _ in range(2)]
    assert zones[0] == zones[1]
    assert len(zones[0]) == 3
    assert set(zones[0]) <= {"us-west-2a", "us-west-2b", "us-west-2c"}


def test_a_group_of_which_not_even_the_region_is_known_gets_nodes_without_a_zone() -> None:
    node = nodes.node_of(group_machines({**GROUP, "outputs": {}}, {})[0], "v1")
    assert "topology.kubernetes.io/zone" not in node["metadata"]["labels"]
    assert node["spec"]["providerID"] == "sandbox:///unknown/system-0"


def test_a_group_of_a_type_outside_the_catalog_gets_no_nodes_and_the_log_says_why() -> None:
    said: list[str] = []
    record = changed(GROUP, "inputs.instanceTypes", ["x9.huge"])
    assert node_groups.machines(record, ZONES, INSTANCE_TYPES, said.append) == []
    assert said == ["node group system: instance type x9.huge is not in the catalog, so it gets no simulated nodes"]


def test_a_dynamic_pool_has_two_nodes_with_everything_the_type_has() -> None:
    machines = pool_machines(POOL)
    assert [machine.name for machine in machines] == ["karpenter-p5-0", "karpenter-p5-1"]
    node = nodes.node_of(machines[0], "v1")
    assert node["status"]["capacity"] == {
        "cpu": "192",
        "memory": f"{2048 * 1024}Mi",
        "pods": str(INSTANCE_TYPES["p5.48xlarge"].pods_static),
        "ephemeral-storage": "500Gi",
        "nvidia.com/gpu": "8",
        "vpc.amazonaws.com/efa": "32",
    }
    labels = node["metadata"]["labels"]
    assert labels["karpenter.sh/nodepool"] == "p5"
    assert labels["karpenter.sh/capacity-type"] == "on-demand"
    assert labels["topology.kubernetes.io/zone"] == "us-west-2b"
    assert labels["eks-training-platform/pool"] == "p5"


LUSTRE_TAINT, EBS_TAINT = "fsx.csi.aws.com/agent-not-ready", "ebs.csi.aws.com/agent-not-ready"
BOTH = frozenset({"aws-ebs-csi-driver", "aws-fsx-csi-driver"})


def new_node(*, ready: bool = True, more: tuple[str, ...] = ()) -> dict[str, Any]:
    """A node of the pool as the API server gives it back, with more startup taints than the sample has."""
    pool = copy.deepcopy(POOL)
    pool["spec"]["template"]["spec"]["startupTaints"] += [{"key": key, "effect": "NoExecute"} for key in more]
    node = nodes.node_of(pool_machines(pool)[0], "v1")
    node["metadata"]["resourceVersion"] = "7"
    node["status"]["conditions"] = [{"type": "Ready", "status": "True" if ready else "False"}]
    return node


def test_a_node_of_a_pool_starts_with_its_startup_taints_and_is_not_initialized() -> None:
    node = new_node()
    assert [taint["key"] for taint in node["spec"]["taints"]] == ["nvidia.com/gpu", LUSTRE_TAINT]
    assert startup.waiting_for(node) == (LUSTRE_TAINT,)
    assert "karpenter.sh/initialized" not in node["metadata"]["labels"]
    assert node["metadata"]["labels"]["karpenter.sh/registered"] == "true"


def test_a_ready_node_loses_the_taint_of_a_driver_that_is_installed_and_no_other() -> None:
    patch = startup.next_step(new_node(more=(EBS_TAINT,)), frozenset({"aws-ebs-csi-driver"}))
    assert patch is not None
    assert [taint["key"] for taint in patch["spec"]["taints"]] == ["nvidia.com/gpu", LUSTRE_TAINT]
    assert patch["metadata"] == {"resourceVersion": "7"}


def test_a_node_is_initialized_after_the_last_startup_taint_and_only_once() -> None:
    node = new_node()
    lifted = startup.next_step(node, BOTH)
    assert lifted is not None
    assert "labels" not in lifted["metadata"]
    node["spec"]["taints"] = lifted["spec"]["taints"]
    patch = startup.next_step(node, BOTH)
    assert patch == {"metadata": {"resourceVersion": "7", "labels": {"karpenter.sh/initialized": "true"}}}
    node["metadata"]["labels"]["karpenter.sh/initialized"] = "true"
    assert startup.next_step(node, BOTH) is None


def test_the_taint_of_a_driver_that_is_missing_stays_and_the_node_is_not_initialized() -> None:
    assert startup.next_step(new_node(), frozenset({"aws-ebs-csi-driver"})) is None
    assert startup.nothing_lifts(LUSTRE_TAINT, frozenset()) == (
        f"{LUSTRE_TAINT} stays: its add-on aws-fsx-csi-driver is not in the account, so nothing lifts it"
    )
    assert startup.nothing_lifts(LUSTRE_TAINT, BOTH) == ""
    assert (
        startup.nothing_lifts("example.com/agent", BOTH) == "example.com/agent stays: nothing in the sandbox lifts it"
    )


def test_before_a_node_is_ready_nothing_is_lifted() -> None:
    assert startup.next_step(new_node(ready=False), BOTH) is None


def test_a_taint_that_is_no_startup_taint_is_never_lifted() -> None:
    node = new_node()
    node["spec"]["taints"].append({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"})
    patch = startup.next_step(node, BOTH)
    assert patch is not None
    assert [taint["key"] for taint in patch["spec"]["taints"]] == ["nvidia.com/gpu", "node.kubernetes.io/not-ready"]


def test_a_node_of_a_node_group_has_no_steps_to_go() -> None:
    node = nodes.node_of(group_machines(GROUP)[0], "v1")
    node["metadata"]["resourceVersion"] = "7"
    node["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    assert startup.next_step(node, BOTH) is None


@pytest.mark.parametrize(
    ("limits", "count"),
    [
        ({"nvidia.com/gpu": "8"}, 1),
        ({"nvidia.com/gpu": "7"}, 0),
        ({"nvidia.com/gpu": 0}, 0),
        ({"nvidia.com/gpu": "80"}, 2),
        ({"cpu": "200"}, 1),
        ({"memory": "3000Gi"}, 1),
        ({"memory": "5Ti", "nodes": "1"}, 1),
        ({"aws.amazon.com/neuron": "16"}, 2),
        ({}, 2),
        (None, 2),
    ],
)
def test_limits_bound_the_number_of_nodes(limits: dict[str, object] | None, count: int) -> None:
    assert len(pool_machines(changed(POOL, "spec.limits", limits))) == count


def test_a_static_pool_has_as_many_nodes_as_it_says() -> None:
    assert len(pool_machines(changed(POOL, "spec.replicas", 5))) == 5
    assert pool_machines(changed(POOL, "spec.replicas", 0)) == []


def test_a_pool_that_is_being_deleted_has_no_nodes() -> None:
    assert pool_machines(changed(POOL, "metadata.deletionTimestamp", "2026-11-29T00:00:00Z")) == []


def test_a_trainium_pool_offers_neuron_devices_and_no_gpus() -> None:
    pool = copy.deepcopy(POOL)
    pool["spec"]["template"]["spec"]["requirements"][0]["values"] = ["trn1.32xlarge"]
    capacity = pool_machines(pool)[0].capacity
    assert capacity["aws.amazon.com/neuron"] == "16"
    assert "nvidia.com/gpu" not in capacity


def test_efa_on_request_offers_all_interfaces_of_the_type_and_efa_off_none() -> None:
    without_list = changed(NODE_CLASS, "spec.networkInterfaces", None)
    assert pool_machines(POOL, without_list)[0].capacity["vpc.amazonaws.com/efa"] == "32"
    off = changed(POOL, "spec.template.metadata.labels", {"eks-training-platform/pool": "p5"})
    assert "vpc.amazonaws.com/efa" not in pool_machines(off, without_list)[0].capacity


def test_nodes_carry_the_placement_group_of_their_class_as_karpenter_labels_them() -> None:
    label = "karpenter.k8s.aws/placement-group-id"
    by_id = changed(NODE_CLASS, "spec.placementGroupSelector", {"id": "pg-0a"})
    by_name = changed(NODE_CLASS, "spec.placementGroupSelector", {"name": "p5"})
    assert {machine.labels[label] for machine in pool_machines(POOL, by_id)} == {"pg-0a"}
    (named,) = {machine.labels[label] for machine in pool_machines(POOL, by_name)}
    assert named.startswith("pg-")
    assert label not in pool_machines(POOL, NODE_CLASS)[0].labels


def test_local_disks_in_a_raid_are_the_disk_of_the_node() -> None:
    node_class = changed(NODE_CLASS, "spec.instanceStorePolicy", "RAID0")
    assert pool_machines(POOL, node_class)[0].capacity["ephemeral-storage"] == f"{int(30400e9 / 2**30)}Gi"


def general(*families: str, least: str = "4") -> dict[str, object]:
    """A pool that names families and a smallest size, as general pools do."""
    requirements = [
        {"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": list(families)},
        {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gte", "values": [least]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2a", "us-west-2b"]},
    ]
    pool = changed(POOL, "spec.template.spec.requirements", requirements)
    return changed(pool, "spec.limits", {"cpu": "64"})


def test_a_pool_of_families_gets_nodes_of_the_smallest_type_that_it_allows_over_its_zones() -> None:
    machines = pool_machines(general("c7i", "m7i"))
    assert [machine.instance_type for machine in machines] == ["m7i.xlarge", "m7i.xlarge"]
    assert [machine.zone for machine in machines] == ["us-west-2a", "us-west-2b"]
    assert pool_machines(general("c7i", least="32"))[0].instance_type == "c7i.8xlarge"


def test_a_pool_of_unknown_families_gets_no_nodes() -> None:
    assert pool_machines(general("x9")) == []


def test_max_pods_of_the_kubelet_wins_over_the_catalog() -> None:
    assert pool_machines(POOL, changed(NODE_CLASS, "spec.kubelet", {"maxPods": 110}))[0].capacity["pods"] == "110"


def test_reserved_capacity_comes_before_on_demand() -> None:
    pool = copy.deepcopy(POOL)
    pool["spec"]["template"]["spec"]["requirements"][2]["values"] = ["on-demand", "reserved"]
    assert pool_machines(pool)[0].labels["karpenter.sh/capacity-type"] == "reserved"


def test_a_pool_without_a_zone_uses_those_of_the_account() -> None:
    pool = copy.deepcopy(POOL)
    del pool["spec"]["template"]["spec"]["requirements"][1]
    assert {machine.zone for machine in pool_machines(pool)} == {"us-west-2a"}


def test_a_ready_pool_is_not_told_again_until_its_nodes_change() -> None:
    status = node_pools.ready_status(POOL, nodes=2)
    assert status is not None
    assert status["status"]["conditions"][0]["type"] == "Ready"
    pool = POOL | status
    assert node_pools.ready_status(pool, nodes=2) is None
    assert node_pools.ready_status(pool, nodes=1) is not None


def test_a_request_for_the_whole_machine_does_not_fit_as_on_the_real_one() -> None:
    free = resources.allocatable(pool_machines(POOL)[0].capacity)
    assert free["cpu"] == "191450m"
    assert resources.quantity(free["memory"]) < 0.93 * 2**41
    assert free["nvidia.com/gpu"] == "8"


@pytest.mark.parametrize(("cores", "reserved"), [(1, 60), (2, 70), (4, 80), (8, 90)])
def test_reserved_millicores_follow_the_published_table(cores: int, reserved: int) -> None:
    free = resources.allocatable({"cpu": str(cores), "memory": "8192Mi", "pods": "10", "ephemeral-storage": "20Gi"})
    assert free["cpu"] == f"{cores * 1000 - reserved}m"


@pytest.mark.parametrize(
    ("text", "value"),
    [("64", 64), (64, 64), ("1500m", 1.5), ("2k", 2000), ("1Ki", 1024), ("2Ti", 2 * 2**40), ("1.5G", 1.5e9)],
)
def test_quantities_are_read_with_their_suffix(text: str | int, value: float) -> None:
    assert resources.quantity(text) == value


@pytest.mark.parametrize(
    ("zone", "region"),
    [("us-west-2b", "us-west-2"), ("us-west-2-lax-1a", "us-west-2"), ("us-gov-east-1a", "us-gov-east-1"), ("", "")],
)
def test_the_region_is_read_from_the_zone(zone: str, region: str) -> None:
    assert nodes.region_of(zone) == region


def test_node_names_are_valid_hostname_labels() -> None:
    assert nodes.machine_name("Sys_Tem.1", 0) == "sys-tem-1-0"
    long = nodes.machine_name("x" * 80, 11)
    assert len(long) == 63
    assert long.endswith("-11")
    assert long != nodes.machine_name("x" * 81, 11)


def test_nothing_changes_when_all_is_as_wanted() -> None:
    machines = pool_machines(POOL)
    actual = [nodes.node_of(machine, "v1") for machine in machines]
    assert nodes.changes(machines, actual, "v1") == nodes.Changes((), ())


def test_scaling_down_removes_the_last_node_only() -> None:
    actual = [nodes.node_of(machine, "v1") for machine in group_machines(GROUP)]
    wanted = group_machines(changed(GROUP, "inputs.scalingConfig.desiredSize", 2))
    assert nodes.changes(wanted, actual, "v1") == nodes.Changes((), ("system-2",))


def test_a_node_that_differs_is_removed_first_and_made_anew_after() -> None:
    old = [nodes.node_of(machine, "v1") for machine in group_machines(GROUP)]
    wanted = group_machines(changed(GROUP, "inputs.labels", {"eks-training-platform/role": "other"}))
    assert nodes.changes(wanted, old, "v1") == nodes.Changes((), ("system-0", "system-1", "system-2"))
    assert len(nodes.changes(wanted, [], "v1").create) == 3


def test_a_node_on_its_way_out_is_not_removed_twice() -> None:
    leaving = changed(nodes.node_of(group_machines(GROUP)[0], "v1"), "metadata.deletionTimestamp", "now")
    assert nodes.changes([], [leaving], "v1") == nodes.Changes((), ())
