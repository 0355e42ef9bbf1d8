"""Admission rules come from plain YAML as one release of a chart of ours."""

import pytest
import yaml

from components.own_charts import digest
from components.platform.admission import CHART, AdmissionPolicies, AdmissionPoliciesArgs

pytestmark = pytest.mark.unit

RELEASE = "kubernetes:helm.sh/v3:Release"
RULES = {
    path.stem: list(yaml.safe_load_all(path.read_text(encoding="utf-8"))) for path in (CHART / "rules").glob("*.yaml")
}
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

every_rule = pytest.mark.parametrize("rule", sorted(RULES))


def made(build, **args):
    [release] = build(lambda: AdmissionPolicies("rules", AdmissionPoliciesArgs(**args))).of_type(RELEASE)
    return release.inputs


def test_one_release_holds_all_rules_and_the_table_of_pools(build):
    release = made(build, pools={"pools": "p5"})
    assert release["chart"] == "./policies/admission"
    assert release["name"] == "admission-rules"
    assert release["namespace"] == "kube-system"
    assert release["atomic"] is True
    assert release["values"] == {
        "namespaceLabels": {"eks-training-platform/workloads": "true"},
        "elsewhere": False,
        "pools": {"pools": "p5"},
        "contents": digest(CHART),
    }


def test_other_labels_select_other_namespaces_and_elsewhere_is_passed_on(build):
    values = made(build, namespace_labels={"team": "a"}, elsewhere=True)["values"]
    assert (values["namespaceLabels"], values["elsewhere"]) == ({"team": "a"}, True)


def test_a_changed_rule_changes_the_release(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "a.yaml").write_text("a")
    before = digest(tmp_path)
    (tmp_path / "rules" / "a.yaml").write_text("b")
    assert digest(tmp_path) != before


@every_rule
def test_a_file_holds_a_policy_and_its_binding_of_the_files_name(rule):
    policy, binding = RULES[rule]
    assert (policy["kind"], binding["kind"]) == ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    assert {policy["metadata"]["name"], binding["metadata"]["name"], binding["spec"]["policyName"]} == {rule}
    assert policy["spec"]["failurePolicy"] == "Fail"


@every_rule
def test_what_is_wrong_is_denied_and_advice_warns(rule):
    _, binding = RULES[rule]
    assert binding["spec"]["validationActions"] == (["Warn", "Audit"] if rule.endswith("-advice") else ["Deny"])


@every_rule
def test_rules_of_namespaces_hold_in_training_namespaces_and_the_others_everywhere(rule):
    _, binding = RULES[rule]
    labels = {"eks-training-platform/workloads": "true"}
    wanted = None if rule in CLUSTER_WIDE else {"namespaceSelector": {"matchLabels": labels}}
    assert binding["spec"].get("matchResources") == wanted


@every_rule
def test_a_rule_that_counts_devices_reads_the_table_of_pools(rule):
    policy, binding = RULES[rule]
    wanted = {"name": "training-pools", "namespace": "kube-system", "parameterNotFoundAction": "Deny"}
    assert binding["spec"].get("paramRef") == (wanted if "paramKind" in policy["spec"] else None)


@every_rule
def test_helm_reads_nothing_in_a_rule_as_its_own(rule):
    """The chart takes the files as they are, through Helm's `fromYaml`; braces would still be a trap for a reader."""
    assert "{{" not in (CHART / "rules" / f"{rule}.yaml").read_text(encoding="utf-8")
