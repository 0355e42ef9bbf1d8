"""A team's rights, quotas, network, members and service account, as the engine would see them."""

import json

import pytest

from components.identity import RoleRules
from components.platform.team import Team, TeamArgs, hard_limits
from components.platform.team_role import READ, member_rules
from tests.unit.team_examples import POOLS, ROLE, teams

pytestmark = pytest.mark.unit

ARNS = {"checkpoints": "arn:aws:s3:::training-dev-checkpoints-1", "datasets": "arn:aws:s3:::datasets"}
KEY = "arn:aws:kms:us-west-2:111122223333:key/1"
PARTS = ("volcano", "mpiOperator", "kuberay", "kueue", "slurm")
ROLE_KIND, BINDING = (
    "kubernetes:rbac.authorization.k8s.io/v1:Role",
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
)
ENTRY, QUOTA = "aws:eks/accessEntry:AccessEntry", "kubernetes:core/v1:ResourceQuota"
RULES = RoleRules(permissions_boundary_arn="arn:aws:iam::111122223333:policy/boundary", path="/ml/")


@pytest.fixture(scope="module")
def make(build):
    def run(*changes, **more):
        spec = teams((0, dict(changes)))[0]
        given = {"pools": POOLS, "cluster_name": "training-dev", "bucket_arns": ARNS, "kms_key_arn": KEY}
        args = TeamArgs(**{**given, "spec": spec, "parts": PARTS, "role_rules": RULES, **more})
        return build(lambda: Team("team-vision", args))

    return run


@pytest.fixture(scope="module")
def made(make):
    return make()


def test_every_object_lies_in_the_team_s_namespace(made):
    objects = [r for r in made.registrations if r.type.startswith("kubernetes:")]
    assert len(objects) == 6
    assert {r.inputs["metadata"]["namespace"] for r in objects} == {"vision"}


def test_nothing_reaches_past_the_namespace(made):
    kinds = {r.type for r in made.registrations if r.type.startswith("kubernetes:")}
    assert kinds == {
        ROLE_KIND,
        BINDING,
        QUOTA,
        "kubernetes:networking.k8s.io/v1:NetworkPolicy",
        "kubernetes:core/v1:ServiceAccount",
    }
    # Such a policy of EKS would add rights that no Role here shows.
    assert made.of_type("aws:eks/accessPolicyAssociation:AccessPolicyAssociation") == []


def test_members_are_a_group_that_is_bound_to_the_role_of_the_namespace(made):
    binding = made.only(BINDING)
    assert binding.inputs["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "team-member"}
    assert binding.inputs["subjects"] == [
        {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "team-vision"}
    ]
    assert made.only(ROLE_KIND).inputs["metadata"]["name"] == "team-member"


def test_each_member_has_an_access_entry_with_that_group_alone(made):
    entries = made.of_type(ENTRY)
    assert {r.inputs["principalArn"] for r in entries} == {f"{ROLE}/vision", f"{ROLE}/ml/vision-leads"}
    assert [r.inputs["kubernetesGroups"] for r in entries] == [["team-vision"]] * 2
    assert all(r.depends_on == ["team-vision-members"] for r in entries)


def test_another_order_of_members_changes_nothing(made, make):
    other = make(("members", [f"{ROLE}/ml/vision-leads", f"{ROLE}/vision"]))
    names = [{r.name: r.inputs["principalArn"] for r in each.of_type(ENTRY)} for each in (made, other)]
    assert names[0] == names[1]


def test_roles_that_differ_in_account_or_path_alone_are_two(make):
    members = [f"arn:aws:iam::{account}:role/{name}" for account, name in ((1, "a-b"), (2, "a-b"), (1, "a/b"))]
    assert len({r.name for r in make(("members", members)).of_type(ENTRY)}) == 3


def rules(parts=PARTS):
    return [(rule.api_groups[0], set(rule.resources), set(rule.verbs)) for rule in member_rules(parts)]


def test_no_rule_has_a_wildcard_or_gives_rights():
    for group, resources, verbs in rules():
        assert "*" not in {group, *resources, *verbs}
        assert group != "rbac.authorization.k8s.io"
        assert not verbs & {"bind", "escalate", "impersonate"}
        assert "serviceaccounts/token" not in resources


@pytest.mark.parametrize(
    "resource",
    ["resourcequotas", "limitranges", "networkpolicies", "serviceaccounts", "daemonsets", "localqueues", "workloads"],
)
def test_members_look_at_what_bounds_them_and_do_not_change_it(resource):
    [verbs] = [verbs for _, resources, verbs in rules() if resource in resources]
    assert verbs == set(READ)


@pytest.mark.parametrize(
    ("part", "group", "resource"),
    [
        ("volcano", "batch.volcano.sh", "jobs"),
        ("mpiOperator", "kubeflow.org", "mpijobs"),
        ("kuberay", "ray.io", "rayjobs"),
    ],
)
def test_jobs_of_an_operator_are_open_where_it_is_on(part, group, resource):
    def allowed(parts):
        return [verbs for api, resources, verbs in rules(parts) if api == group and resource in resources]

    assert "create" in allowed([part])[0]
    assert allowed([]) == []


def test_the_quota_is_one_sum_for_each_kind_of_accelerator(made):
    hard = made.only(QUOTA, "team-vision-quota").inputs["spec"]["hard"]
    # 24 of p5 and 8 of p4d: the API server does not tell pools apart.
    assert hard["requests.nvidia.com/gpu"] == "32"
    assert hard["requests.aws.amazon.com/neuron"] == "0"


def test_cores_do_not_go_round_the_quota_of_neuron_devices():
    hard = hard_limits(teams()[1], POOLS)
    assert (hard["requests.aws.amazon.com/neuron"], hard["requests.aws.amazon.com/neuroncore"]) == ("32", "0")


def test_a_team_without_a_quota_has_no_accelerators():
    hard = hard_limits(teams()[2], POOLS)
    assert {value for key, value in hard.items() if key.startswith("requests.")} == {"0"}


@pytest.mark.parametrize("kind", ["loadbalancers", "nodeports"])
def test_no_service_opens_the_namespace(kind):
    assert hard_limits(teams()[2], POOLS)[f"services.{kind}"] == "0"


def test_no_pod_has_a_priority_of_the_system(made):
    spec = made.only(QUOTA, "team-vision-priorities").inputs["spec"]
    assert spec["hard"] == {"pods": "0"}
    [term] = spec["scopeSelector"]["matchExpressions"]
    assert (term["scopeName"], term["operator"]) == ("PriorityClass", "In")
    assert set(term["values"]) == {"system-cluster-critical", "system-node-critical"}


def test_pods_are_called_from_the_own_namespace_and_by_two_operators(made):
    spec = made.only("kubernetes:networking.k8s.io/v1:NetworkPolicy").inputs["spec"]
    assert (spec["podSelector"], spec["policyTypes"]) == ({}, ["Ingress"])
    [own, operators] = spec["ingress"][0]["from"]
    assert own == {"podSelector": {}}
    [term] = operators["namespaceSelector"]["matchExpressions"]
    assert (term["key"], term["values"]) == ("kubernetes.io/metadata.name", ["kuberay-operator", "monitoring"])


def test_the_service_account_has_a_role_for_its_prefixes(made):
    account = made.only("kubernetes:core/v1:ServiceAccount")
    assert account.inputs["metadata"] == {"name": "vision", "namespace": "vision"}
    statements = json.loads(made.only("aws:iam/rolePolicy:RolePolicy").inputs["policy"])["Statement"]
    writes = [one["Resource"] for one in statements if "s3:PutObject" in one["Action"]]
    assert writes == [[f"{ARNS['checkpoints']}/vision/*"]]
    association = made.only("aws:eks/podIdentityAssociation:PodIdentityAssociation").inputs
    assert (association["namespace"], association["serviceAccount"]) == ("vision", "vision")


def test_the_role_keeps_the_company_s_rules(made):
    role = made.only("aws:iam/role:Role").inputs
    assert (role["permissionsBoundary"], role["path"]) == (RULES.permissions_boundary_arn, "/ml/")


def test_without_buckets_there_is_no_service_account(make):
    assert make(("buckets", [])).of_type("kubernetes:core/v1:ServiceAccount") == []


def test_outputs_say_where_and_as_whom(made):
    role = made.only("aws:iam/role:Role").name
    assert made.outputs["team-vision"] == {
        "namespace": "vision",
        "group": "team-vision",
        "roleArn": f"arn:aws:mock:::{role}",
    }
