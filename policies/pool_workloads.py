"""Which pods ask for accelerators, and whether they reach a pool that has them."""

from collections.abc import Iterator
from typing import Any

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from components.catalog.labels import POOL_LABEL
from policies.manifests import KARPENTER_POOL, Template, at, rows, table
from policies.values import UNKNOWN, is_said

POOL_KEYS = (POOL_LABEL, KARPENTER_POOL)
EFA_RESOURCE = "vpc.amazonaws.com/efa"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""Of a workload that Kueue admits: the flavor of its queue puts the pool's label and tolerations into its pods."""

_STARTS = {
    GPU_RESOURCE: (GPU_RESOURCE, "nvidia.com/mig-"),
    NEURON_RESOURCE: (NEURON_RESOURCE,),
    EFA_RESOURCE: (EFA_RESOURCE,),
}
"""Kind of device, which taints its nodes but for EFA -> how names of its resources begin (`…/neuroncore` too)."""


def family(resource: str) -> str | None:
    """`nvidia.com/gpu`, `aws.amazon.com/neuron` or EFA, whichever a resource belongs to; None for CPU and the like."""
    return next((name for name, starts in _STARTS.items() if resource.startswith(starts)), None)


def asked(template: Template) -> list[str]:
    """Names of the accelerators and interfaces that a pod asks for, zero of one left out."""
    names = dict.fromkeys(
        str(name)
        for container in template.containers
        for kind in ("limits", "requests")
        for name in table(at(container.spec, "resources", kind))
        if family(str(name))
    )
    return [name for name in names if any(container.asked(name) != 0 for container in template.containers)]


def names_a_pool(template: Template) -> bool:
    """Whether a pod can only start in pools that it names; so it is where that is not known yet."""
    selector = template.spec.get("nodeSelector")
    if selector is UNKNOWN or any(is_said(table(selector).get(key)) for key in POOL_KEYS):
        return True
    required = at(template.spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    if required is UNKNOWN:
        return True
    # A node fits where one of the terms does, so each must name the pool.
    terms = rows(table(required).get("nodeSelectorTerms"))
    return bool(terms) and all(map(_names_pool, terms))


def _names_pool(term: Any) -> bool:
    expressions = [table(found) for found in rows(table(term).get("matchExpressions"))]
    return any(found.get("key") in POOL_KEYS and found.get("operator") == "In" for found in expressions)


def tolerates(template: Template, taint: str) -> bool:
    """Whether a pod is let in by the taint of a training pool's nodes, `<resource>=true:NoSchedule`."""
    tolerations = template.spec.get("tolerations")
    return tolerations is UNKNOWN or any(_lets_in(each, taint) for each in rows(tolerations))


def _lets_in(toleration: Any, taint: str) -> bool:
    if toleration is UNKNOWN:
        return True
    found = table(toleration)
    key, value, effect = (found.get(name) for name in ("key", "value", "effect"))
    everything = found.get("operator") == "Exists"
    same_key = key in (taint, UNKNOWN) or (everything and not key)
    return same_key and (everything or value in ("true", UNKNOWN)) and effect in (None, "", "NoSchedule", UNKNOWN)


def missing_tolerations(template: Template) -> Iterator[str]:
    """Taints of pools that have what a pod asks for, and that the pod does not tolerate."""
    families = dict.fromkeys(found for name in asked(template) if (found := family(name)))
    yield from (taint for taint in families if taint != EFA_RESOURCE and not tolerates(template, taint))
    # EFA alone comes with nodes of either kind.
    if list(families) == [EFA_RESOURCE] and not any(tolerates(template, t) for t in (GPU_RESOURCE, NEURON_RESOURCE)):
        yield GPU_RESOURCE
