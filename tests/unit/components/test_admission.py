"""Admission rules come from plain YAML as typed resources."""

import pytest

from components.platform.admission import FOLDER, AdmissionPolicies, AdmissionPoliciesArgs, rules

pytestmark = pytest.mark.unit

POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
BINDING = f"{POLICY}Binding"
LABELS = {"eks-training-platform/workloads": "true"}
MISNAMED = """
kind: ValidatingAdmissionPolicy
metadata: {name: a}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: other}
"""
CLUSTER_WIDE = {
    "efs-access-point-identity",
    "fsx-no-inline-dra-field",
    "fsx-static-vs-dynamic-volume",
    "fsx-storageclass-scratch-no-throughput",
    "sec-login-sets",
    "slurm-argocd",
    "slurm-daemonset-advice",
    "slurm-objects",
    "volcano-scheduler-config",
}


@pytest.fixture(scope="module")
def made(build):
    return build(lambda: AdmissionPolicies("rules", AdmissionPoliciesArgs()))


def test_every_file_becomes_a_policy_and_its_binding(made):
    files = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    assert sorted(r.inputs["metadata"]["name"] for r in made.of_type(POLICY)) == files
    assert sorted(r.inputs["spec"]["policyName"] for r in made.of_type(BINDING)) == files
    assert sorted(made.outputs["rules"]["names"]) == files


def test_a_binding_waits_for_its_policy_and_that_for_the_table_of_pools(made):
    for binding in made.of_type(BINDING):
        assert binding.depends_on == [binding.name.removesuffix("-binding")]
    assert {tuple(policy.depends_on) for policy in made.of_type(POLICY)} == {("rules-pools",)}


def test_rules_that_count_devices_read_the_table_that_the_component_writes(made):
    [table] = made.of_type("kubernetes:core/v1:ConfigMap")
    where = {key: table.inputs["metadata"][key] for key in ("name", "namespace")}
    read = [r.inputs["spec"]["paramRef"] for r in made.of_type(BINDING) if "paramRef" in r.inputs["spec"]]
    assert read
    assert all({key: ref[key] for key in where} == where for ref in read)


def test_elsewhere_rules_of_namespaces_warn_if_someone_wants_that(build):
    warned = build(lambda: AdmissionPolicies("rules", AdmissionPoliciesArgs(elsewhere=True)))
    bindings = {r.inputs["metadata"]["name"]: r.inputs["spec"] for r in warned.of_type(BINDING)}
    added = {name.removesuffix("-elsewhere") for name in bindings if name.endswith("-elsewhere")}
    assert added == {path.stem for path in FOLDER.glob("*.yaml")} - CLUSTER_WIDE
    for name in added:
        spec, first = bindings[f"{name}-elsewhere"], bindings[name]
        assert spec["validationActions"] == ["Warn", "Audit"]
        assert spec["policyName"] == name
        assert spec.get("paramRef") == first.get("paramRef")
        [others, system] = spec["matchResources"]["namespaceSelector"]["matchExpressions"]
        assert others == {"key": "eks-training-platform/workloads", "operator": "NotIn", "values": ["true"]}
        assert system["values"] == ["kube-system"]


def test_every_violation_is_denied_and_advice_warns(made):
    actions = {r.inputs["spec"]["policyName"]: r.inputs["spec"]["validationActions"] for r in made.of_type(BINDING)}
    for name, found in actions.items():
        assert found == (["Warn", "Audit"] if name.endswith("-advice") else ["Deny"])
    assert {r.inputs["spec"]["failurePolicy"] for r in made.of_type(POLICY)} == {"Fail"}


def test_namespaced_rules_hold_in_training_namespaces_and_the_others_everywhere(made):
    bindings = {r.inputs["spec"]["policyName"]: r.inputs["spec"] for r in made.of_type(BINDING)}
    assert {name for name, spec in bindings.items() if "matchResources" not in spec} == CLUSTER_WIDE
    selected = [spec["matchResources"] for name, spec in bindings.items() if name not in CLUSTER_WIDE]
    assert selected == [{"namespaceSelector": {"matchLabels": LABELS}}] * len(selected)


def test_other_labels_select_other_namespaces(build):
    other = build(lambda: AdmissionPolicies("rules", AdmissionPoliciesArgs(namespace_labels={"team": "a"})))
    spec = other.named("rules-fsx-shared-access-mode-binding").inputs["spec"]
    assert spec["matchResources"] == {"namespaceSelector": {"matchLabels": {"team": "a"}}}


def test_every_validation_has_a_message_of_its_own_with_values(made):
    for policy in made.of_type(POLICY):
        for validation in policy.inputs["spec"]["validations"]:
            assert validation["message"].endswith(".")
            assert (
                "metadata.name" in validation["messageExpression"]
                or "variables.seen" in validation["messageExpression"]
            )


def test_rules_about_pods_know_the_same_kinds_of_workloads():
    found = {policy["metadata"]["name"]: policy["spec"] for policy, _ in rules(LABELS)}
    one, other = found["s3-durable-only-after-transfer"], found["ckpt-no-imaginary-manager"]
    kinds = [
        [r for r in spec["matchConstraints"]["resourceRules"] if r["resources"] != ["configmaps"]]
        for spec in (one, other)
    ]
    assert kinds[0] == kinds[1]
    pods = [next(v["expression"] for v in spec["variables"] if v["name"] == "pods") for spec in (one, other)]
    assert pods[1] == f"object.kind == 'ConfigMap' ? [] : {pods[0]}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kind: ConfigMap\n", "holds one ValidatingAdmissionPolicy"),
        (MISNAMED, "have the file's name"),
    ],
    ids=["something else", "another policy"],
)
def test_a_file_that_is_no_rule_is_refused_by_name(tmp_path, text, reason):
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"a\.yaml: .*{reason}"):
        list(rules(LABELS, tmp_path))
