"""Admission rules for workloads: what the policy pack cannot see, because people apply it to the cluster themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import yaml

from components.catalog.labels import SYSTEM_NAMESPACE, TRAINING_POOLS, WORKLOADS_LABEL

FOLDER = Path(__file__).resolve().parents[2] / "policies" / "admission"
"""Plain YAML, one file for each rule: its ValidatingAdmissionPolicy and its binding. `kubectl apply -f` takes it."""

POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmissionPoliciesArgs:
    namespace_labels: Mapping[str, str] = field(default_factory=lambda: {WORKLOADS_LABEL: "true"})
    """Labels of the namespaces in which rules about namespaced objects hold. A change is live, for what is created or
    changed afterwards. Rules about volumes and classes, which lie in no namespace, hold everywhere."""
    pools: Mapping[str, str] = field(default_factory=dict)
    """`pool_table` of the environment: what rules about devices compare with. A change is live."""
    elsewhere: bool = False
    """Judge other namespaces too: what is wrong there is let in, with a warning and a line in the audit log. A change
    is live."""


class AdmissionPolicies(pulumi.ComponentResource):
    """Every rule in `policies/admission`, enforced by the API server itself: no webhook that can be down.

    Policies are cluster-wide and their names are fixed: two of these components in one cluster collide.

    Raises:
        ValueError: a file holds something else than a policy and a binding that names it.
    """

    names: Sequence[str]
    """Of the policies, in the order of the alphabet."""

    def __init__(self, name: str, args: AdmissionPoliciesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:AdmissionPolicies", name, {}, opts)
        pools = k8s.core.v1.ConfigMap(
            f"{name}-pools",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=TRAINING_POOLS, namespace=SYSTEM_NAMESPACE),
            data=dict(args.pools),
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
        self.names = []
        for policy, binding in rules(args.namespace_labels):
            made = self._policy(name, policy, pools)
            self._bind(name, made, binding)
            if args.elsewhere and (warning := elsewhere(binding)):
                self._bind(name, made, warning)
            self.names.append(str(policy["metadata"]["name"]))
        self.register_outputs({"names": list(self.names)})

    def _policy(self, name: str, policy: Mapping[str, Any], pools: pulumi.Resource) -> pulumi.Resource:
        return k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
            f"{name}-{policy['metadata']['name']}",
            metadata=policy["metadata"],
            spec=policy["spec"],
            # A fixed name stands once, so what is replaced goes first.
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True, depends_on=[pools]),
        )

    def _bind(self, name: str, policy: pulumi.Resource, binding: Mapping[str, Any]) -> None:
        k8s.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
            f"{name}-{binding['metadata']['name']}-binding",
            metadata=binding["metadata"],
            spec=binding["spec"],
            # Only both together do anything; the binding, which holds the scope, comes last and goes first.
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True, depends_on=[policy]),
        )


def elsewhere(binding: Mapping[str, Any]) -> dict[str, Any] | None:
    """A second binding that warns in all other namespaces; None where the first holds everywhere."""
    selector = binding["spec"].get("matchResources", {}).get("namespaceSelector")
    if not selector:
        return None
    others = [{"key": key, "operator": "NotIn", "values": [value]} for key, value in selector["matchLabels"].items()]
    # The cluster's own parts are nobody's workloads.
    others += [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [SYSTEM_NAMESPACE]}]
    return {
        **binding,
        "metadata": {"name": f"{binding['metadata']['name']}-elsewhere"},
        "spec": {
            **binding["spec"],
            "validationActions": ["Warn", "Audit"],
            "matchResources": {"namespaceSelector": {"matchExpressions": others}},
        },
    }


def rules(
    namespace_labels: Mapping[str, str], folder: Path = FOLDER
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(policy, binding) of each file, with the labels of the namespaces in which rules hold.

    Raises:
        ValueError: a file holds something else than a policy and a binding that names it.
    """
    for path in sorted(folder.glob("*.yaml")):
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        if [document.get("kind") for document in documents] != [POLICY, BINDING]:
            raise ValueError(f"{path.name}: holds one {POLICY} and then its {BINDING}")
        policy, binding = documents
        names = {policy["metadata"]["name"], binding["metadata"]["name"], binding["spec"]["policyName"]}
        if names != {path.stem}:
            raise ValueError(f"{path.name}: policy, binding and policyName have the file's name")
        selected = binding["spec"].get("matchResources", {})
        if "namespaceSelector" in selected:
            selected["namespaceSelector"] = {"matchLabels": dict(namespace_labels)}
        yield policy, binding
