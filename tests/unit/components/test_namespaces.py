"""Namespaces: labelled for Pod Security and for the rules of training, and protected with the data in them."""

import pytest

from components.platform.namespaces import Namespaces, NamespacesArgs
from stacks.namespaces import NamespaceSpec

pytestmark = pytest.mark.unit

NAMESPACE = "kubernetes:core/v1:Namespace"


@pytest.fixture(scope="module")
def namespaces(build):
    given = [
        NamespaceSpec(name="team-a"),
        NamespaceSpec(name="team-b", pod_security="restricted"),
        NamespaceSpec(name="theirs", existing=True),
    ]
    return build(lambda: Namespaces("ns", NamespacesArgs(namespaces=given, kubernetes_version="1.35", protect=True)))


def labels(recorder, name):
    return recorder.only(NAMESPACE, f"ns-{name}").inputs["metadata"]["labels"]


def test_a_namespace_of_ours_is_made_and_one_of_others_is_not(namespaces):
    assert {r.inputs["metadata"]["name"] for r in namespaces.of_type(NAMESPACE)} == {"team-a", "team-b"}


@pytest.mark.parametrize("mode", ["enforce", "audit", "warn"])
def test_pods_are_held_to_the_level_in_the_clusters_version(namespaces, mode):
    key = f"pod-security.kubernetes.io/{mode}"
    assert (labels(namespaces, "team-a")[key], labels(namespaces, "team-b")[key]) == ("baseline", "restricted")
    assert labels(namespaces, "team-a")[f"{key}-version"] == "v1.35"


def test_the_rules_of_training_hold_there(namespaces):
    assert labels(namespaces, "team-a")["eks-training-platform/workloads"] == "true"


def test_a_namespace_is_protected_since_it_takes_its_claims_along(namespaces, build):
    assert [r.request.protect for r in namespaces.of_type(NAMESPACE)] == [True, True]
    args = NamespacesArgs(namespaces=[NamespaceSpec(name="team-a")], kubernetes_version="1.35", protect=False)
    assert build(lambda: Namespaces("ns", args)).only(NAMESPACE).request.protect is False
