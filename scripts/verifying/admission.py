"""Admission: each rule of this repository is there, bound, and does what its file says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import yaml

from components.catalog.counts import EFA_RESOURCE
from components.catalog.labels import SYSTEM_NAMESPACE, TRAINING_POOLS
from scripts.bootstrap import ROOT
from scripts.findings import Finding
from scripts.verifying.cluster import Check, called, devices, name, namespace

RULES = ROOT / "policies" / "admission" / "rules"
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"


class Admission(Check):
    """Policies without a binding refuse nothing, and one with other actions only warns."""

    name = "admission"
    kinds = (
        "validatingadmissionpolicies.admissionregistration.k8s.io",
        "validatingadmissionpolicybindings.admissionregistration.k8s.io",
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        "configmaps",
    )

    def check(self) -> Iterator[Finding]:
        there = {name(each): each for each in self.cluster.of(POLICY)}
        actions = {
            each["spec"].get("policyName"): each["spec"].get("validationActions") or []
            for each in self.cluster.of(BINDING)
            if name(each) == each["spec"].get("policyName")
        }
        for rule, wanted in rules().items():
            if rule not in there:
                yield self.error(f"{POLICY}/{rule}", "missing", "This rule refuses nothing.", "pulumi up")
                continue
            if sorted(actions.get(rule, [])) != sorted(wanted):
                yield self.error(
                    f"{BINDING}/{rule}",
                    actions.get(rule) or "missing",
                    f"The rule should {' and '.join(wanted).lower()}; without its binding it does nothing.",
                    "pulumi up; see who changed it in the audit log",
                )
            status = there[rule].get("status") or {}
            for warning in (status.get("typeChecking") or {}).get("expressionWarnings") or []:
                yield self.warning(
                    called(there[rule]),
                    warning.get("fieldRef", ""),
                    f"The API server's type check complains: {warning.get('warning', '')}",
                    "report it: the rule may err on this version of Kubernetes",
                )
        yield from self._pools()
        yield from self._webhooks()

    def _pools(self) -> Iterator[Finding]:
        """The table by which rules about devices know the pools."""
        found = [
            each
            for each in self.cluster.of("ConfigMap")
            if (namespace(each), name(each)) == (SYSTEM_NAMESPACE, TRAINING_POOLS)
        ]
        seen = found[0].get("data") or {} if found else {}
        expected = {
            f"{pool.name}.{fact}": str(value)
            for pool in self.environment.node_pools
            for fact, value in {
                "type": pool.instance_type,
                "zone": pool.zone,
                "devices": pool.type_facts.accelerator_count,
                "efa": devices(pool).get(EFA_RESOURCE, 0),
            }.items()
        }
        wrong = sorted(key for key, value in expected.items() if seen.get(key) != value)
        if not found or wrong:
            yield self.error(
                f"ConfigMap/{SYSTEM_NAMESPACE}/{TRAINING_POOLS}",
                wrong if found else "missing",
                "Rules about devices compare jobs with it, and it does not say what the environment says.",
                "pulumi up",
            )

    def _webhooks(self) -> Iterator[Finding]:
        """A webhook that nobody trusts refuses everything that it should judge."""
        if self.cluster.sandbox:
            # Operators write it once they run, and in the sandbox none does: its API server calls no webhook.
            return
        for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
            for item in self.cluster.of(kind):
                for hook in item.get("webhooks") or []:
                    config = hook.get("clientConfig") or {}
                    if "service" in config and not config.get("caBundle") and hook.get("failurePolicy") != "Ignore":
                        yield self.error(
                            called(item),
                            f"{hook['name']} has no caBundle",
                            "The API server does not trust the webhook and refuses what it should judge.",
                            "kubectl get certificates -A; cainjector writes it once there is a certificate",
                        )


@cache
def rules() -> Mapping[str, Sequence[str]]:
    """Name of each rule -> the actions of its binding, as the files of policies/admission/rules say."""
    found = {}
    for path in sorted(RULES.glob("*.yaml")):
        for thing in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if thing["kind"] == BINDING:
                found[thing["spec"]["policyName"]] = thing["spec"]["validationActions"]
    return found
