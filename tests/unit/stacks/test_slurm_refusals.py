"""One bad Slurm cluster per rule, and what its message says."""

import pytest

from stacks.slurm import SlurmSpec
from stacks.slurm_rules import check_slurm
from tests.unit.slurm_examples import GPU_IMAGE, POOLS, STEADY, VALID, cluster

pytestmark = pytest.mark.unit

P5, TRN1 = {"pool": "p5"}, {"pool": "trn1"}
DAEMONS = {"pool": "steady", "scalingMode": "DaemonSet"}


def problems(spec=None, *, pools=(*POOLS, STEADY), cert_manager=True):
    return list(check_slurm("platform.slurm", spec or cluster(), pools=pools, cert_manager=cert_manager))


def test_the_valid_cluster_has_no_problem():
    assert problems() == []


REFUSALS = [
    (
        "a pool that is none",
        {"nodeSets": [{"pool": "p6"}]},
        "nodeSets[0].pool",
        ["wait forever", "p5, trn1, g6, steady"],
    ),
    ("a pool twice", {"nodeSets": [P5, P5]}, "nodeSets[1].pool", ["one slurmd"]),
    (
        "more nodes than the pool may have",
        {"nodeSets": [{"pool": "p5", "replicas": 9}]},
        "nodeSets[0].replicas",
        ["at most 8", "set replicas: 8", "nodes.max"],
    ),
    (
        "the spare node of a fixed pool",
        {"nodeSets": [{"pool": "trn1", "replicas": 3}]},
        "nodeSets[0].replicas",
        ["at most 2", "nodes.fixed"],
    ),
    (
        "a daemon set on a pool that Karpenter sizes",
        {"nodeSets": [{"pool": "p5", "scalingMode": "DaemonSet"}]},
        "nodeSets[0].scalingMode",
        ["never asks", "fixed: n"],
    ),
    (
        "a daemon set on Trainium",
        {"nodeSets": [{"pool": "trn1", "scalingMode": "DaemonSet"}]},
        "nodeSets[0].scalingMode",
        ["whose names it knows", "StatefulSet"],
    ),
    (
        "replicas of a daemon set",
        {"nodeSets": [{**DAEMONS, "replicas": 2}]},
        "nodeSets[0].replicas",
        ["ignores replicas"],
    ),
    (
        "an owner of a daemon set's replicas",
        {"nodeSets": [{**DAEMONS, "replicasOwner": "outside"}]},
        "nodeSets[0].replicasOwner",
        ["ignores replicas"],
    ),
    (
        "no image for GPUs",
        {"nodeImage": {"neuron": VALID["nodeImage"]["neuron"]}, "nodeSets": [P5]},
        "nodeImage.gpu",
        ["no CUDA", "sha256"],
    ),
    (
        "no image for Trainium",
        {"nodeImage": {"gpu": GPU_IMAGE}, "nodeSets": [TRN1]},
        "nodeImage.neuron",
        ["Neuron SDK"],
    ),
    (
        "more shared memory than memory",
        {"nodeSets": [{"pool": "p5", "sharedMemoryGiB": 4096}]},
        "nodeSets[0].sharedMemoryGiB",
        ["counts as memory", "p5.48xlarge"],
    ),
    (
        "two claims at one path",
        {"nodeSets": [{**P5, "claims": [{"claim": "a", "path": "/d"}, {"claim": "b", "path": "/d"}]}]},
        "nodeSets[0].claims[1].path",
        ["already"],
    ),
    (
        "a claim over shared memory",
        {"nodeSets": [{**P5, "claims": [{"claim": "a", "path": "/dev/shm"}]}]},  # noqa: S108
        "nodeSets[0].claims[0].path",
        ["/dev/shm"],  # noqa: S108
    ),
    (
        "a feature of other hardware",
        {"nodeSets": [{**P5, "features": ["efa", "H200"]}]},
        "nodeSets[0].features[1]",
        ["has h100", "--constraint=H200"],
    ),
    ("no partition", {"nodeSets": [{**P5, "partition": None}], "partitions": []}, "partitions", ["refuses every job"]),
    ("nothing at all", {"nodeSets": [], "partitions": []}, "partitions", ["name: all"]),
    ("a partition called like a node set's", {"partitions": [{"name": "p5"}]}, "partitions[0].name", ["p5-nodes"]),
    (
        "two partitions of one name",
        {"partitions": [{"name": "all"}, {"name": "ALL"}]},
        "partitions[1].name",
        ["a name of its own"],
    ),
    (
        "a partition over a pool without node set",
        {"partitions": [{"name": "all", "pools": ["p6"]}]},
        "partitions[0].pools[0]",
        ["No node set", "p5, trn1, g6"],
    ),
    (
        "two defaults",
        {"partitions": [{"name": "all", "default": True}]},
        "partitions[0].default",
        ["nodeSets[0].partition.default says so too"],
    ),
    ("a key of the operator", {"config": {"SlurmctldHost": "x"}}, "config.SlurmctldHost", ["last counts"]),
    (
        "a key of the baseline in another case",
        {"config": {"grestypes": "gpu"}},
        "config.grestypes",
        ["remove the line"],
    ),
    ("a partition as text", {"config": {"PartitionName": "x"}}, "config.PartitionName", ["partitions"]),
    ("accounting without a database", {"accounting": {}}, "accounting", ["never starts", "accounting: null"]),
    (
        "accounting with two databases",
        {"accounting": {**VALID["accounting"], "database": {}}},
        "accounting",
        ["two are named"],
    ),
    (
        "login for the world",
        {"login": {"service": {"sourceCidrs": ["0.0.0.0/0"]}}},
        "login.service.sourceCidrs[0]",
        ["whole world", "port-forward"],
    ),
    (
        "a block that is none",
        {"login": {"service": {"sourceCidrs": ["10.0.0.0/8", "10.0.0.1/8"]}}},
        "login.service.sourceCidrs[1]",
        ["no IPv4 block"],
    ),
    ("a token for root", {"tokens": [{"user": "root"}]}, "tokens[0].user", ["everything in Slurm", "scontrol token"]),
    (
        "two tokens of a user",
        {"tokens": [{"user": "ci"}, {"user": "ci", "lifetime": "2h"}]},
        "tokens[1].user",
        ["one Secret"],
    ),
    (
        "a token that holds too short",
        {"tokens": [{"user": "ci", "lifetime": "4m59s"}]},
        "tokens[0].lifetime",
        ["from 5m to 720h"],
    ),
    (
        "a token that holds too long",
        {"tokens": [{"user": "ci", "lifetime": "721h"}]},
        "tokens[0].lifetime",
        ["nobody can take back", "from 5m to 720h"],
    ),
    (
        "a token over a key",
        {"keys": {"jwt": "slurm-token-ci"}, "tokens": [{"user": "ci"}]},
        "tokens[0].user",
        ["write over it", "slurm-token-ci"],
    ),
    ("a misspelt key of the chart", {"values": {"restapi": {"replica": 3}}}, "values.restapi.replica", ["replicas"]),
    ("node sets past the section", {"values": {"nodesets": {"x": {}}}}, "values.nodesets", ["platform.slurm.nodeSets"]),
    (
        "state that is not kept",
        {"values": {"controller": {"persistence": {"enabled": False}}}},
        "values.controller.persistence",
        ["platform.slurm.controller"],
    ),
    (
        "a public login past the section",
        {"values": {"loginsets": {"main": {"service": {"spec": {"type": "LoadBalancer"}}}}}},
        "values.loginsets.main.service",
        ["public load balancer", "platform.slurm.login.service"],
    ),
    (
        "a public login by the chart's defaults",
        {"values": {"loginsetDefaults": {"service": {"spec": {"type": "LoadBalancer"}}}}},
        "values.loginsetDefaults.service",
        ["public load balancer"],
    ),
    ("keys made by the chart", {"values": {"jwtKey": {"create": True}}}, "values.jwtKey", ["platform.slurm.keys"]),
]


@pytest.mark.parametrize(("changes", "path", "words"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_a_bad_cluster_is_refused_with_a_way_out(changes, path, words):
    # The valid partitions name pools that some of these take away.
    found = problems(cluster(**{"partitions": [], **changes}))
    assert [problem.path for problem in found] == [f"platform.slurm.{path}"]
    text = "\n".join(found[0].lines())
    assert [word for word in words if word not in text] == []
    assert all(found[0].ways_out)


def test_slurm_needs_cert_manager():
    found = problems(cert_manager=False)
    assert [problem.path for problem in found] == ["platform.certManager"]
    assert "certManager: {}" in found[0].ways_out[0]


def test_names_that_grow_past_a_label_are_refused_with_the_sum():
    pool = POOLS[0].model_copy(update={"name": "p" * 51})
    found = problems(cluster(nodeSets=[{"pool": pool.name}], partitions=[]), pools=[pool])
    assert [problem.path for problem in found] == ["platform.slurm.nodeSets[0].pool"]
    assert "66 characters" in found[0].reason
    assert "3 characters shorter" in found[0].accepted


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nodeImage", {"gpu": "ghcr.io/slinkyproject/slurmd:26.05-ubuntu26.04"}),
        ("nodeImage", {"gpu": "registry.example.com/slurmd@sha256:123"}),
        ("imageDigests", {"slurmctld": "26.05"}),
        ("name", "n" * 41),
        ("config", {"Two Words": "x"}),
        ("config", {"Licenses": "a\nNodeName=x"}),
        ("nodeSets", [{"pool": "p5", "partition": {"maxTime": "forever"}}]),
        ("nodeSets", [{"pool": "p5", "features": ["two words"]}]),
        ("nodeSets", [{"pool": "p5", "instanceType": "p5.48xlarge"}]),
        ("login", {"service": {"sourceCidrs": []}}),
        ("login", {"service": {"type": "LoadBalancer"}}),
        ("tokens", [{"user": "Two Words"}]),
        ("tokens", [{"user": "ci", "lifetime": "1d"}]),
        ("tokens", [{"user": "ci", "refresh": False}]),
    ],
)
def test_a_field_of_the_wrong_form_is_no_cluster(field, value):
    with pytest.raises(ValueError, match=r"String should|Extra inputs|at least 1 item"):
        SlurmSpec.model_validate({**VALID, field: value})
