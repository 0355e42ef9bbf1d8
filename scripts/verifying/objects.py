"""What is wrong with the objects of a running cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

KINDS = (
    "nodes",
    "persistentvolumeclaims",
    "daemonsets.apps",
    "deployments.apps",
    "validatingadmissionpolicies.admissionregistration.k8s.io",
    "validatingadmissionpolicybindings.admissionregistration.k8s.io",
)


def findings(items: Iterable[Mapping[str, Any]]) -> list[str]:
    """One sentence for each thing that is not as it should be."""
    found: list[str] = []
    seen = list(items)
    if not any(item["kind"] == "Node" for item in seen):
        found.append("the cluster has no node")
    bound = {i["spec"].get("policyName") for i in seen if i["kind"] == "ValidatingAdmissionPolicyBinding"}
    for item in seen:
        name, status, spec = item["metadata"]["name"], item.get("status", {}), item.get("spec", {})
        where = f"{item['metadata'].get('namespace', '')}/{name}"
        match item["kind"]:
            case "Node":
                ready = [c["status"] for c in status.get("conditions", []) if c["type"] == "Ready"]
                if ready != ["True"]:
                    found.append(f"node {name} is not Ready")
            case "PersistentVolumeClaim" if status.get("phase") != "Bound":
                found.append(f"claim {where} is {status.get('phase', 'without a phase')}, not Bound")
            case "DaemonSet":
                wanted, ready_pods = status.get("desiredNumberScheduled", 0), status.get("numberReady", 0)
                if ready_pods < wanted:
                    found.append(f"DaemonSet {where} has {ready_pods} of {wanted} pods ready")
            case "Deployment":
                replicas, available = spec.get("replicas", 1), status.get("availableReplicas", 0)
                if available < replicas:
                    found.append(f"Deployment {where} has {available} of {replicas} replicas available")
            case "ValidatingAdmissionPolicy" if name not in bound:
                found.append(f"admission policy {name} has no binding, so it refuses nothing")
    return found
