"""Labels that name other accelerators than the nodes have."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.gpu_hardware import named_in
from policies.rules.gpu_label_matches_hardware import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, general_pool, node_class, node_pool, requiring
from tests.policy.workload_samples import INDEXED_JOB, MPI_JOB, mpi_job

pytestmark = pytest.mark.policy

OURS = "eks-training-platform/accelerator"
TYPE = "node.kubernetes.io/instance-type"


def labelled(labels, *types):
    pool = requiring(TYPE, *types) if types else node_pool()
    pool["spec"]["template"]["metadata"]["labels"] = labels
    return pool


def pod(selector):
    return {"metadata": {"name": "train"}, "spec": {"template": {"spec": {"nodeSelector": selector, "containers": []}}}}


@pytest.mark.parametrize(
    ("labels", "types"),
    [
        ({OURS: "h100"}, ()),
        ({"accelerator": "nvidia-h100"}, ()),
        ({"example.com/product": "NVIDIA-H100-80GB-HBM3", "example.com/team": "a"}, ()),
        ({OURS: "a10g"}, ("g5.xlarge", "g5.12xlarge")),
        ({OURS: "a100"}, ("x99.large",)),
        (None, ()),
        (["h100"], ()),
    ],
    ids=["ours", "a word", "a product", "sizes of one family", "a type nobody knows", "none", "a list"],
)
def test_a_pool_that_names_its_accelerator_passes(check, labels, types):
    assert check(POLICY, NODE_POOL, labelled(labels, *types)) == []


@pytest.mark.parametrize(
    ("labels", "types", "words"),
    [
        ({"accelerator": "nvidia-a100"}, ("g5.xlarge",), "accelerator: nvidia-a100, and g5.xlarge has a10g"),
        ({"accelerator": "nvidia-a10"}, ("g5.xlarge", "p5.48xlarge"), ""),
        ({OURS: "H100"}, (), f"{OURS}: H100, and p5.48xlarge has h100"),
        ({OURS: "gpu"}, (), f"{OURS}: gpu"),
        ({OURS: "a10g"}, ("g5.xlarge", "p5.48xlarge"), "p5.48xlarge has h100"),
        ({"example.com/kind": "Tesla_V100"}, (), "Tesla_V100"),
    ],
    ids=["another GPU", "nothing it knows", "another spelling", "no name", "one of two types", "another product"],
)
def test_a_pool_that_names_another_is_refused_with_ways_out(check, labels, types, words):
    found = check(POLICY, NODE_POOL, labelled(labels, *types), name="p5")
    if not words:
        assert found == []
        return
    [message] = found
    assert words in message
    assert ", or choose an instance type" in message


def test_labels_and_tags_of_a_node_class_are_refused_too(check):
    made = node_class(tags={"accelerator": "a100"})
    made["metadata"]["labels"][OURS] = "h200"
    assert len(check(POLICY, NODE_CLASS, made)) == 2
    assert check(POLICY, NODE_CLASS, node_class()) == []


def test_a_pod_that_asks_for_one_type_and_another_accelerator_is_refused(check):
    [message] = check(POLICY, INDEXED_JOB, pod({TYPE: "g5.xlarge", OURS: "a100"}))
    assert "Job 'train' (spec.template nodeSelector) says" in message
    assert check(POLICY, INDEXED_JOB, pod({TYPE: "g5.xlarge", OURS: "a10g"})) == []
    assert check(POLICY, INDEXED_JOB, pod({OURS: "a100"})) == []
    assert check(POLICY, MPI_JOB, mpi_job()) == []


def test_a_preview_that_does_not_know_a_value_says_nothing_about_it(check):
    assert check(POLICY, NODE_POOL, labelled({OURS: UNKNOWN})) == []
    assert check(POLICY, NODE_POOL, labelled(UNKNOWN)) == []
    assert check(POLICY, NODE_POOL, labelled({OURS: "a100"}, UNKNOWN)) == []
    assert check(POLICY, INDEXED_JOB, pod(UNKNOWN)) == []


def test_names_stand_by_themselves():
    assert named_in("nvidia-l40s") == {"l40s"}
    assert named_in("NVIDIA-RTX-PRO-Server-6000") == {"rtx-pro-server-6000"}
    assert named_in("flat4") == set()


def test_what_has_no_accelerators_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]
    assert check(POLICY, NODE_POOL, general_pool()) == []


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_POOL, labelled({OURS: "a100"}), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
