"""Jobs stay in one zone."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.net_job_single_zone import POLICY
from tests.policy.efa_samples import ZONE, by_affinity, job, on, pool, require
from tests.policy.planned import Planned
from tests.policy.workload_samples import IMAGE, devices, on_pool

pytestmark = pytest.mark.policy

POOL = "eks-training-platform/pool"
B, A = pool(), pool("p5-a", require(ZONE, "us-west-2a"))


def template(of, replicas):
    container = {"name": "w", "image": IMAGE, "resources": devices(gpu=8, efa=32)}
    return {"replicas": replicas, "template": {"spec": {**on_pool(of), "containers": [container]}}}


def torch_job(master, worker):
    spec = {"pytorchReplicaSpecs": {"Master": template(master, 1), "Worker": template(worker, 3)}}
    return Planned(type="kubernetes:kubeflow.org/v1:PyTorchJob", name="train", props={"spec": spec})


def ray_cluster(*pools):
    groups = [template(each, 2) for each in pools]
    return Planned(type="kubernetes:ray.io/v1:RayCluster", name="ray", props={"spec": {"workerGroupSpecs": groups}})


@pytest.mark.parametrize(
    "good", [job(), torch_job("p5", "p5"), on(job(), by_affinity(ZONE, "In", "us-west-2a"))], ids=str
)
def test_one_pool_or_one_zone_passes(check_stack, good):
    assert check_stack(POLICY, [A, B, good]) == []


def test_groups_of_a_ray_cluster_may_lie_apart_and_it_passes(check_stack):
    assert check_stack(POLICY, [A, B, ray_cluster("p5", "p5-a")]) == []


@pytest.mark.parametrize(
    "chosen",
    [
        by_affinity(POOL, "In", "p5", "p5-a"),
        by_affinity(POOL, "Exists"),
        by_affinity(ZONE, "In", "us-west-2a", "us-west-2b"),
        {"nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"}},
    ],
    ids=str,
)
def test_pods_that_may_land_in_two_zones_are_refused_with_ways_out(check_stack, chosen):
    [message] = check_stack(POLICY, [A, B, on(job(), chosen)])
    assert "MPIJob 'train' may land in several zones (us-west-2a, us-west-2b)" in message
    assert "one pool, or require one zone" in message


def test_a_master_in_another_zone_is_refused(check_stack):
    assert len(check_stack(POLICY, [A, B, torch_job("p5-a", "p5")])) == 1


def test_pods_that_choose_nothing_are_left_to_another_rule_and_pass(check_stack):
    assert check_stack(POLICY, [A, B, on(job(), {"nodeSelector": None})]) == []


def test_a_preview_decides_on_what_it_knows(check_stack):
    assert check_stack(POLICY, [B, pool("p5-a", require(ZONE, UNKNOWN)), on(job(), by_affinity(POOL, "Exists"))]) == []
    assert check_stack(POLICY, [A, B, on(job(), {"nodeSelector": UNKNOWN, "affinity": UNKNOWN})]) == []


def test_a_stack_without_pools_or_pods_is_not_its_business(check_stack):
    assert check_stack(POLICY, [A, B]) == ["not applicable"]
    assert check_stack(POLICY, [job()]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_job(analyzer):
    bad = torch_job("p5-a", "p5")
    found = [d for d in analyzer.analyze_stack([A, B, bad]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, bad.urn)]
