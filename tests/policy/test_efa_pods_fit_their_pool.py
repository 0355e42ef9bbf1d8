"""Pods ask for the EFA of their nodes."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_pods_fit_their_pool import POLICY
from tests.policy.efa_samples import by_affinity, job, on, pool, require
from tests.policy.planned import Planned
from tests.policy.pool_samples import NODE_POOL
from tests.policy.workload_samples import devices, mpi_job

pytestmark = pytest.mark.policy

POOL = "eks-training-platform/pool"
TYPE = "node.kubernetes.io/instance-type"
NODE_SET = "kubernetes:slinky.slurm.net/v1beta1:NodeSet"


def without(name="g5"):
    return pool(name, require(TYPE, "g5.xlarge"), **{"eks-training-platform/efa": "false"})


def fixed(name="p5"):
    return pool(name, lambda made: made["spec"].update(replicas=4))


def hugepages():
    asked = devices(gpu=8, efa=32)
    asked["limits"]["hugepages-2Mi"] = "5120Mi"
    return job(resources=asked)


@pytest.mark.parametrize("counts", [{"gpu": 8, "efa": 32}, {"gpu": 4, "efa": 16}], ids=str)
def test_all_of_a_node_or_a_part_of_it_passes(check_stack, counts):
    assert check_stack(POLICY, [pool(), without(), job(resources=devices(**counts))]) == []


def test_on_a_pool_without_efa_nobody_asks_and_it_passes(check_stack):
    assert (
        check_stack(POLICY, [pool(), on(job(resources=devices(gpu=1)), {"nodeSelector": {POOL: "g5"}}), without()])
        == []
    )


def test_workers_without_efa_on_its_pool_are_refused_with_ways_out(check_stack):
    [message] = check_stack(POLICY, [pool(), job(resources=devices(gpu=8))])
    assert "MPIJob 'train' has workers on pool p5 that ask for no vpc.amazonaws.com/efa" in message
    assert "in the limits, or choose a pool without EFA" in message


@pytest.mark.parametrize("chosen", [by_affinity(POOL, "In", "p5"), by_affinity(POOL, "NotIn", "g5")], ids=str)
def test_by_affinity_they_are_refused_too(check_stack, chosen):
    [message] = check_stack(POLICY, [pool(), without(), on(job(resources=devices(gpu=8)), chosen)])
    assert "on pool p5 that ask for no" in message


def test_a_node_set_is_refused_and_one_pod_alone_passes(check_stack):
    told = {"slurmd": {"resources": devices(gpu=8)}, "template": {"spec": {"nodeSelector": {POOL: "p5"}}}}
    two, one = (Planned(type=NODE_SET, name="n", props={"spec": {**told, "replicas": n}}) for n in (2.0, 1))
    assert len(check_stack(POLICY, [pool(), two])) == 1
    assert check_stack(POLICY, [pool(), one]) == []


@pytest.mark.parametrize("counts", [{"gpu": 8, "efa": 4}, {"gpu": 8, "efa": 64}, {"gpu": 4, "efa": 33}], ids=str)
def test_another_count_is_refused_with_that_of_the_type(check_stack, counts):
    [message] = check_stack(POLICY, [pool(), job(resources=devices(**counts))])
    assert f"asks for {counts['efa']} vpc.amazonaws.com/efa; a node of p5 has 32. Ask for" in message
    assert "as the type has, or choose" in message


def test_efa_on_a_pool_without_is_refused_with_ways_out(check_stack):
    wrong = on(job(resources=devices(gpu=1, efa=1)), {"nodeSelector": {POOL: "g5"}})
    [message] = check_stack(POLICY, [pool(), without(), wrong])
    assert "asks for 1 vpc.amazonaws.com/efa on pool g5, which has none" in message
    assert "EFA, or ask for none" in message


def test_hugepages_are_refused_where_karpenter_starts_nodes_for_pods(check_stack):
    [message] = check_stack(POLICY, [pool(), hugepages()])
    assert "asks for hugepages on pool p5" in message
    assert "out, or use a pool of fixed nodes" in message
    assert check_stack(POLICY, [fixed(), hugepages()]) == []


def test_a_type_that_the_catalog_does_not_know_passes(check_stack):
    assert check_stack(POLICY, [pool("p5", require(TYPE, "p9.48xlarge")), job(resources=devices(gpu=8, efa=7))]) == []


def test_a_preview_decides_on_what_it_knows(check_stack):
    open_count = job(resources={"limits": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": UNKNOWN}})
    assert check_stack(POLICY, [pool(), open_count]) == []
    assert check_stack(POLICY, [pool("p5", require(TYPE, UNKNOWN)), job()]) == []
    elsewhere = on(job(resources=devices(gpu=8)), {"nodeSelector": {POOL: UNKNOWN}})
    assert check_stack(POLICY, [pool(), elsewhere]) == []


@pytest.mark.parametrize("odd", [None, [], "text", UNKNOWN, {"limits": []}])
def test_odd_pods_pass(check_stack, odd):
    props = mpi_job(resources=odd)
    strange = Planned(type="kubernetes:kubeflow.org/v2beta1:MPIJob", name="train", props={**props, "spec": odd})
    assert check_stack(POLICY, [pool(), job(resources=odd), strange]) == ["not applicable"]


def test_pods_that_choose_nothing_or_pools_of_another_stack_pass(check_stack):
    assert check_stack(POLICY, [pool(), on(job(resources=devices(gpu=8)), {"nodeSelector": None})]) == []
    assert check_stack(POLICY, [pool("p4d"), job(resources=devices(gpu=8))]) == []


def test_a_stack_without_pools_or_pods_is_not_its_business(check_stack):
    assert check_stack(POLICY, [pool()]) == ["not applicable"]
    assert check_stack(POLICY, [job()]) == ["not applicable"]
    assert check_stack(POLICY, [Planned(type=NODE_POOL, name="p5", props={}), job()]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_job(analyzer):
    bad = job(resources=devices(gpu=8, efa=4))
    found = [d for d in analyzer.analyze_stack([pool(), bad]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, bad.urn)]
