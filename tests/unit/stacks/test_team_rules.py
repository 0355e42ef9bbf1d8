"""Teams: one thing broken in a valid example, and the sentence about it."""

from typing import Any

import pytest
from pydantic import ValidationError

from stacks.buckets import BucketAccess
from stacks.cluster import Access
from stacks.kueue import KueueSpec
from stacks.slurm import SlurmSpec
from stacks.team_rules import check_teams
from stacks.team_slurm import slurm_commands
from stacks.teams import TeamSpec, team_namespaces, with_team_namespaces, with_team_queues
from stacks.volcano import VolcanoSpec
from stacks.volcano_rules import check_volcano, uses_capacity_plugin
from tests.unit.team_examples import POOLS, ROLE, teams

pytestmark = pytest.mark.unit

VOLCANO = VolcanoSpec.model_validate({"queues": [{"name": "nightly"}]})
SLURM: dict[str, Any] = {
    "nodeSets": [{"pool": "p5"}],
    "accounting": {"database": {}},
    "config": {"AccountingStorageEnforce": "associations,limits"},
}
ADMIN = Access(principal=f"{ROLE}/deploy", level="admin")


def slurm(**changes):
    return SlurmSpec.model_validate({**SLURM, **changes})


def kueue(queue, pool="trn1"):
    return KueueSpec.model_validate({"queues": [{"name": queue, "namespaces": ["lab"], "quota": {pool: 1}}]})


def problems(*changes, **around):
    given = {
        "pools": POOLS,
        "namespaces": ["research"],
        "buckets": ["checkpoints", "datasets"],
        "bucket_access": [],
        "access": [("cluster.access[0]", ADMIN)],
        "volcano": VOLCANO,
        "kueue": None,
        "slurm": slurm(),
        "region": "us-west-2",
    }
    placed = [(f"teams[{number}]", team) for number, team in enumerate(teams(*changes))]
    return list(check_teams(placed, **{**given, **around}))


def the_problem(*changes, **around):
    [problem] = problems(*changes, **around)
    return problem


def test_the_valid_teams_have_no_problem():
    assert problems() == []


def test_quotas_of_all_teams_may_exceed_the_pool():
    assert sum(team.quota.get("p5", 0) for team in teams()) > 4 * 8
    assert problems() == []


def test_a_team_s_name_stands_once():
    both = {"name": "vision", "queue": None, "buckets": [], "members": []}
    problem = the_problem((1, both))
    assert (problem.path, problem.value) == ("teams[1].name", "vision")
    assert "teams[0] has the same name" in problem.reason


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("default", "Kubernetes makes a namespace of this name itself"),
        ("kube-flannel", "Kubernetes makes a namespace of this name itself"),
        ("slurm", "An operator of the platform lives in a namespace of this name"),
        ("monitoring", "An operator of the platform lives in a namespace of this name"),
        ("research", "The section namespaces has a namespace of this name"),
    ],
)
def test_a_team_takes_no_namespace_that_is_another_s(name, why):
    problem = the_problem((2, {"name": name}))
    assert (problem.path, problem.value) == ("teams[2].name", name)
    assert problem.reason.startswith(why)


@pytest.mark.parametrize(
    ("member", "why"),
    [
        ("vision", "not the ARN of an IAM role or user"),
        ("arn:aws:sts::111122223333:assumed-role/vision/ada", "a session of a role"),
        ("arn:aws-cn:iam::111122223333:role/vision", "The ARN's partition is aws-cn"),
    ],
)
def test_a_member_is_a_principal_that_eks_takes(member, why):
    problem = the_problem((2, {"members": [member]}))
    assert (problem.path, problem.value) == ("teams[2].members[0]", member)
    assert why in problem.reason


def test_an_administrator_is_no_member_besides():
    problem = the_problem((2, {"members": [f"{ROLE}/deploy"]}))
    assert problem.path == "teams[2].members[0]"
    assert problem.reason.startswith("cluster.access[0] names it too")
    assert problem.ways_out == ("give the team a role of its own", "remove cluster.access[0]")


def test_a_principal_is_a_member_of_one_team():
    problem = the_problem((2, {"members": [f"{ROLE}/vision"]}))
    assert problem.path == "teams[2].members[0]"
    assert problem.reason == "teams[0].members[0] names it too, and EKS keeps one access entry for a principal."


def test_a_quota_is_of_a_pool_that_exists():
    problem = the_problem((2, {"quota": {"p6": 8}}))
    assert (problem.path, problem.value, problem.accepted) == ("teams[2].quota.p6", 8, "p5, p4d, trn1")


def test_a_quota_fits_its_pool_and_the_sum_is_shown():
    assert problems((2, {"quota": {"p5": 32}})) == []
    problem = the_problem((2, {"quota": {"p5": 33}}))
    assert (problem.path, problem.value) == ("teams[2].quota.p5", 33)
    assert problem.reason == "The pool p5 has 4 node(s) at most, of 8 nvidia.com/gpu each: 4 x 8 = 32."
    assert problem.ways_out[0] == "set p5: 32"


def test_a_bucket_is_one_of_the_environment():
    problem = the_problem((2, {"buckets": [{"bucket": "models"}]}))
    assert (problem.path, problem.value) == ("teams[2].buckets[0].bucket", "models")
    assert problem.accepted == "checkpoints, datasets"


def test_a_prefix_ends_where_a_folder_does():
    problem = the_problem((2, {"buckets": [{"bucket": "checkpoints", "prefix": "in"}]}))
    assert (problem.path, problem.value) == ("teams[2].buckets[0].prefix", "in")
    assert "This is no beginning of keys that ends with a folder" in problem.reason


@pytest.mark.parametrize("prefix", ["vision/", "vision/runs/"])
def test_no_team_has_a_part_of_what_another_writes(prefix):
    entry = {"bucket": "checkpoints", "prefix": prefix, "level": "read"}
    problem = the_problem((2, {"buckets": [entry]}))
    assert (problem.path, problem.value) == ("teams[2].buckets[0].prefix", prefix)
    assert 'teams[0].buckets[0] is "vision/" of the same bucket, and vision may write' in problem.reason


def test_a_whole_bucket_overlaps_with_every_part_of_it():
    found = problems((2, {"buckets": [{"bucket": "checkpoints", "prefix": ""}]}))
    assert [problem.path for problem in found] == ["teams[2].buckets[0].prefix"] * 2
    assert all("interns may write" in problem.reason for problem in found)


def test_teams_that_only_read_share_a_part():
    assert problems((2, {"buckets": [{"bucket": "datasets", "prefix": "speech/", "level": "read"}]})) == []


def test_the_same_part_stands_once_in_a_team():
    entry = {"bucket": "checkpoints"}
    problem = the_problem((2, {"buckets": [entry, entry]}))
    assert (problem.path, problem.value) == ("teams[2].buckets[1]", {"bucket": "checkpoints", "prefix": "interns/"})


def test_the_team_s_service_account_gets_its_rights_in_one_place():
    other = BucketAccess(
        namespace="vision", service_account="vision", bucket="datasets", prefixes=("",), level="readWrite"
    )
    problem = the_problem(bucket_access=[other])
    assert problem.path == "teams[0].buckets"
    assert "an account has one role" in problem.reason
    assert problems(bucket_access=[other.model_copy(update={"service_account": "loader"})]) == []


def test_a_queue_needs_a_scheduler():
    found = problems(volcano=None)
    assert [(problem.path, problem.reason) for problem in found] == [
        ("platform.volcano", f"Nothing here knows queues, and teams[{number}].queue asks for one of Volcano.")
        for number in (0, 1)
    ]


@pytest.mark.parametrize(
    ("name", "why"),
    [("nightly", "platform.volcano.queues has a queue of this name"), ("root", "Volcano itself makes a queue")],
)
def test_a_queue_is_called_like_the_team_and_like_nothing_else(name, why):
    problem = the_problem((2, {"name": name, "queue": {}}))
    assert (problem.path, problem.value) == ("teams[2].name", name)
    assert problem.reason.startswith(why)


def test_a_guarantee_lies_within_the_quota_and_the_sum_is_shown():
    problem = the_problem((1, {"quota": {"p5": 7, "trn1": 32}}))
    assert (problem.path, problem.value) == ("teams[1].queue.guaranteedNodes.p5", 1)
    assert "1 node(s) of 8 nvidia.com/gpu are 8, and the team's quota of p5 is 7" in problem.reason


def test_a_guarantee_is_of_a_pool_that_exists():
    problem = the_problem((1, {"queue": {"guaranteedNodes": {"p6": 1}}}))
    assert (problem.path, problem.accepted) == ("teams[1].queue.guaranteedNodes.p6", "p5, p4d, trn1")


def test_guarantees_of_all_queues_together_fit_the_pool_and_the_sum_is_shown():
    with_two = {"queues": [{"name": "nightly", "deserved": {"p5": 2}}, {"name": "n", "parent": "nightly"}]}
    problem = the_problem(volcano=VolcanoSpec.model_validate(with_two))
    assert problem.path == "teams[1].queue.guaranteedNodes.p5"
    assert problem.reason == (
        "The pool p5 can have 4 node(s), and 2 (nightly) + 2 (vision) + 1 (speech) = 5 are guaranteed."
    )
    assert "quotas may exceed the pool, guarantees may not" in problem.ways_out[0]


def test_a_child_s_share_counts_with_its_parent():
    queues = [{"name": "nightly", "deserved": {"p5": 1}}, {"name": "n", "parent": "nightly", "deserved": {"p5": 1}}]
    assert problems(volcano=VolcanoSpec.model_validate({"queues": queues})) == []


def test_weights_and_guarantees_do_not_mix():
    problem = the_problem(volcano=VolcanoSpec.model_validate({"queues": [{"name": "nightly", "weight": 2}]}))
    assert (problem.path, problem.value) == ("platform.volcano.queues[0].weight", 2)
    assert "teams[0].queue guarantees nodes" in problem.reason


def test_a_queue_of_kueue_is_one_that_kueue_has():
    queue = {"queue": {"clusterQueue": "research"}}
    assert problems((2, queue), kueue=kueue("research")) == []
    problem = the_problem((2, queue), kueue=kueue("nightly"))
    assert (problem.path, problem.value, problem.accepted) == ("teams[2].queue.clusterQueue", "research", "nightly")
    problem = the_problem((2, queue))
    assert problem.reason == "platform.kueue is off."


def test_kueue_keeps_guarantees_itself():
    queue = {"guaranteedNodes": {"p5": 1}, "clusterQueue": "research"}
    problem = the_problem((1, {"queue": queue}), kueue=kueue("research"))
    assert problem.path == "teams[1].queue.guaranteedNodes"
    assert "nominalQuota" in problem.reason


@pytest.mark.parametrize(
    ("cluster", "why"),
    [(None, "There is no Slurm cluster."), (slurm(accounting=None), "platform.slurm.accounting is null")],
)
def test_an_account_needs_a_database(cluster, why):
    problem = the_problem(slurm=cluster)
    assert (problem.path, problem.value) == ("teams[0].slurmAccount", "vision")
    assert why in problem.reason


@pytest.mark.parametrize("config", [{}, {"accountingstorageenforce": "associations"}])
def test_a_limit_that_slurm_would_ignore_is_refused(config):
    problem = the_problem(slurm=slurm(config=config))
    assert problem.path == "platform.slurm.config.AccountingStorageEnforce"
    assert "Slurm ignores the limit of vision (teams[0].slurmAccount)" in problem.reason


def test_an_account_belongs_to_one_team():
    problem = the_problem((2, {"slurmAccount": "vision"}))
    assert problem.path == "teams[2].slurmAccount"
    assert problem.reason.startswith("teams[0] has the same account")


def test_slurm_s_root_account_is_nobody_s():
    assert "Slurm's own account has this name" in the_problem((2, {"slurmAccount": "root"})).reason


def test_no_team_has_privileged_pods():
    with pytest.raises(ValidationError, match="'baseline' or 'restricted'"):
        TeamSpec.model_validate({"name": "vision", "podSecurity": "privileged"})


def test_a_team_s_namespace_is_made_like_any_other():
    made = team_namespaces(teams())
    assert [(one.name, one.pod_security, one.existing) for one in made] == [
        ("vision", "baseline", False),
        ("speech", "restricted", False),
        ("interns", "baseline", False),
    ]


def test_queues_of_teams_stand_beside_those_of_volcano_and_keep_its_rules():
    whole = with_team_queues(VOLCANO, teams((2, {"queue": {"clusterQueue": "research"}})))
    assert [(queue.name, queue.deserved, queue.capability) for queue in whole.queues] == [
        ("nightly", {}, {}),
        ("vision", {"p5": 2}, {}),
        ("speech", {"p5": 1}, {}),
    ]
    assert uses_capacity_plugin(whole)
    assert list(check_volcano("platform.volcano", whole, pools=POOLS)) == []


def test_a_pool_is_handed_out_by_one_scheduler():
    found = problems(kueue=kueue("research", pool="p5"))
    assert [problem.path for problem in found] == [f"teams[{n}].queue.guaranteedNodes.p5" for n in (0, 1)]
    assert "neither scheduler counts what the other gave away" in found[0].reason


def test_a_queue_of_kueue_serves_the_namespaces_of_its_teams_each_once():
    queues = [{"name": "research", "namespaces": ["lab", "speech"], "quota": {"p5": 1}}]
    queues.append({"name": "nightly", "namespaces": ["lab"], "quota": {"p5": 1}})
    to_it = {"queue": {"clusterQueue": "research"}}
    whole = with_team_namespaces(KueueSpec.model_validate({"queues": queues}), teams((1, to_it), (2, to_it)))
    assert [queue.namespaces for queue in whole.queues] == [("lab", "speech", "interns"), ("lab",)]


def test_an_account_is_made_and_limited_by_commands_that_may_be_run_again():
    [line] = slurm_commands(teams(), slurm(name="hpc"), POOLS)
    manager = "kubectl exec -n slurm statefulset/hpc-controller -c slurmctld -- sacctmgr -i"
    assert line == (
        f"{manager} add account vision Description=vision; "
        f"{manager} modify account where name=vision set GrpTRES=gres/gpu=32"
    )


def test_slurm_is_told_of_no_devices_that_it_does_not_count():
    both = slurm(nodeSets=[{"pool": "p5"}, {"pool": "trn1"}])
    [line] = slurm_commands(teams(), both, POOLS)
    assert line.endswith("set GrpTRES=gres/gpu=32,gres/neuron=0")
    [line] = slurm_commands(teams(), slurm(nodeSets=[]), POOLS)
    assert "GrpTRES" not in line
