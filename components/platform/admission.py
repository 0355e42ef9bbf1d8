"""Admission rules for workloads: what the policy pack cannot see, because people apply it to the cluster themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pulumi

from components.catalog.labels import WORKLOADS_LABEL
from components.own_charts import own_release

CHART = Path(__file__).resolve().parents[2] / "policies" / "admission"
"""A chart of ours; its folder `rules` holds plain YAML, one file for each rule: its ValidatingAdmissionPolicy and its
binding. `kubectl apply -f policies/admission/rules` takes them too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmissionPoliciesArgs:
    namespace_labels: Mapping[str, str] = field(default_factory=lambda: {WORKLOADS_LABEL: "true"})
    """Labels of the namespaces in which rules about namespaced objects deny. A change is live, for what is created or
    changed afterwards. Rules about what lies in no namespace, and about Slurm's objects, hold everywhere."""
    pools: Mapping[str, str] = field(default_factory=dict)
    """`pool_table` of the environment: what rules about devices compare with. A change is live."""
    elsewhere: bool = False
    """Judge other namespaces too: what is wrong there is let in, with a warning and a line in the audit log. A change
    is live."""


class AdmissionPolicies(pulumi.ComponentResource):
    """Every rule in `policies/admission`, enforced by the API server itself: no webhook that can be down.

    One release of a chart of ours holds them all. Policies are cluster-wide and their names are fixed: two of these
    components in one cluster collide.
    """

    def __init__(self, name: str, args: AdmissionPoliciesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:AdmissionPolicies", name, {}, opts)
        own_release(
            f"{name}-rules",
            CHART,
            parent=self,
            values={
                "namespaceLabels": dict(args.namespace_labels),
                "elsewhere": args.elsewhere,
                "pools": dict(args.pools),
            },
        )
        self.register_outputs({})
