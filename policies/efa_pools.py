"""On which pools of a stack pods may land, and what a node has there. Pools of another stack are not seen."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_policy import PolicyResource, StackValidationArgs

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.karpenter import INSTANCE_TYPE, ZONE
from components.catalog.labels import EFA_LABEL, POOL_LABEL
from policies.efa_devices import accelerator, asked, efa
from policies.manifests import KARPENTER_POOL, Template, Workload, at, plain, read, rows, table, words
from policies.reading import NODE_POOL, has_efa_type
from policies.storage import of_type
from policies.values import is_true, known

CHOICES = (POOL_LABEL, KARPENTER_POOL, ZONE, INSTANCE_TYPE, EFA_LABEL)
"""Labels by which a pod says to which pools it goes."""
NO_JOB = ("Deployment", "DaemonSet", "ReplicaSet")
"""Their pods are no workers of one job."""


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A NodePool, with what its nodes have."""

    name: str
    labels: Mapping[str, frozenset[str]]
    """Label -> the values that its nodes may have."""
    efa: bool
    fixed: bool

    @property
    def zones(self) -> frozenset[str]:
        return self.labels.get(ZONE, frozenset())

    @property
    def counts(self) -> frozenset[int]:
        """EFA devices of a node, one number for each type of the catalog that it may have."""
        types = [INSTANCE_TYPES[name] for name in self.labels.get(INSTANCE_TYPE, ()) if name in INSTANCE_TYPES]
        return frozenset(facts.efa_interfaces if self.efa else 0 for facts in types)

    def fits(self, template: Template, count: int) -> bool:
        """Whether a pod takes all EFA devices of a node, or at most that with a part of its accelerators."""
        resource = accelerator(template)
        taken = (asked(template, resource) or 0) if resource else 0
        types = [INSTANCE_TYPES[name] for name in self.labels.get(INSTANCE_TYPE, ()) if name in INSTANCE_TYPES]
        part = any(f.accelerator_resource == resource and 0 < taken < f.accelerator_count for f in types)
        return count in self.counts or (part and count < max(self.counts))

    def matches(self, key: str, operator: str, values: frozenset[str]) -> bool:
        """Whether some node of it passes one expression; labels that the pool does not state may have any value."""
        own = self.labels.get(key)
        if own is None:
            return True
        return {"In": bool(own & values), "NotIn": bool(own - values), "DoesNotExist": False}.get(operator, True)


def pools_of(args: StackValidationArgs) -> list[Pool]:
    """The pools of a stack. In its first preview they have no properties, and none is found."""
    found = (table(plain(each.props)) for each in of_type(args, NODE_POOL))
    return [_pool(each) for each in found if table(each.get("spec"))]


def _pool(told: dict[str, Any]) -> Pool:
    labels = {
        str(k): frozenset({v}) for k, v in table(at(told, "spec", "template", "metadata", "labels")).items() if words(v)
    }
    for each in rows(at(told, "spec", "template", "spec", "requirements")):
        values = rows(table(each).get("values"))
        if table(each).get("operator") == "In" and values and all(words(value) for value in values):
            labels[str(each.get("key"))] = frozenset(values)
    name = words(at(told, "metadata", "name"))
    labels |= {KARPENTER_POOL: frozenset({name})} if name else {}
    label = next(iter(labels.get(EFA_LABEL, ())), "")
    with_efa = is_true(label) or (not label and has_efa_type(sorted(labels.get(INSTANCE_TYPE, ()))))
    named = next(iter(labels.get(POOL_LABEL, ())), name)
    return Pool(name=named, labels=labels, efa=with_efa, fixed=at(told, "spec", "replicas") is not None)


def expressions(template: Template) -> list[list[tuple[str, str, frozenset[str]]]]:
    """What a pod demands of its node: alternatives, each a list of (label, operator, values) that all hold."""
    selected = [(k, "In", frozenset({v})) for k, v in table(template.spec.get("nodeSelector")).items() if words(v)]
    path = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    terms = [rows(table(term).get("matchExpressions")) for term in rows(at(template.spec, *path))]
    return [[*selected, *(_expression(each) for each in term if isinstance(each, dict))] for term in terms or [[]]]


def _expression(told: dict[str, Any]) -> tuple[str, str, frozenset[str]]:
    values = frozenset(value for value in rows(told.get("values")) if isinstance(value, str))
    return words(told.get("key")), words(told.get("operator")), values


def chooses(template: Template) -> bool:
    """Whether a pod says in any way to which pools or zones it goes."""
    return any(key in CHOICES for demands in expressions(template) for key, _, _ in demands)


def reached(template: Template, pools: list[Pool]) -> list[Pool]:
    """Pools on which its pods may land; none where no pool of the stack fits."""
    alternatives = expressions(template)
    return [pool for pool in pools if any(all(pool.matches(*each) for each in every) for every in alternatives)]


def with_devices(args: StackValidationArgs) -> Iterator[tuple[str, Workload, list[Template]]]:
    """(URN, workload, its templates that ask for accelerators or EFA) of every workload of a stack that has some."""
    for resource in args.resources:
        workload = read(resource.resource_type, resource.name, resource.props)
        if workload is not None and (found := [t for t in workload.templates if accelerator(t) or efa(t)]):
            yield resource.urn, workload, found


def is_one_of_many(workload: Workload, template: Template, templates: list[Template]) -> bool:
    """Whether pods of a template work together with other pods with devices."""
    many = len(templates) > 1 or (template.replicas or 1) > 1 or workload.spec.get("scalingMode") == "DaemonSet"
    return many and workload.kind not in NO_JOB


def pools_of_class(pools: list[PolicyResource], node_class: PolicyResource) -> list[PolicyResource]:
    """The NodePools whose reference names an EC2NodeClass."""
    name = known(node_class.props, "metadata", "name")
    path = ("spec", "template", "spec", "nodeClassRef", "name")
    return [pool for pool in pools if isinstance(name, str) and known(pool.props, *path) == name]
