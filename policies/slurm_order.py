"""What a resource of a stack waits for: by `dependsOn`, by values of others, and by the components it belongs to."""

from collections.abc import Iterator, Sequence

from pulumi_policy import PolicyResource

from components.catalog.pins import CERT_MANAGER
from policies.manifests import RELEASES
from policies.slurm_charts import CLUSTER, DEFINITIONS, OPERATOR, SLINKY_CHARTS, chart_of
from policies.values import known

ADDON = "aws:eks/addon:Addon"
EKS_CLUSTER = "aws:eks/cluster:Cluster"
DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
OPAQUE = (
    RELEASES[1],
    "kubernetes:yaml/v2:ConfigFile",
    "kubernetes:yaml/v2:ConfigGroup",
    "kubernetes:kustomize/v2:Directory",
)
"""Components of the provider, whose arguments no policy sees."""
_OURS = {
    ("ekstraining:platform:CertManager", RELEASES[0]): CERT_MANAGER.name,
    ("ekstraining:platform:SlinkyOperator", RELEASES[0]): OPERATOR,
    ("ekstraining:platform:SlinkyOperator", RELEASES[1]): DEFINITIONS,
    ("ekstraining:platform:SlurmCluster", RELEASES[0]): CLUSTER,
}
"""The first preview of a stack shows releases without properties, since their cluster does not exist yet."""


def waits_for(resource: PolicyResource, those: Sequence[PolicyResource]) -> bool:
    """Whether a resource is made after one of those, directly or by what lies between."""
    wanted = {found.urn for found in those}
    return any(found.urn in wanted for found in everything_before(resource))


def everything_before(resource: PolicyResource) -> Iterator[PolicyResource]:
    """All that is made before a resource."""
    seen, ahead = {resource.urn}, list(_directly_before(resource))
    while ahead:
        found = ahead.pop()
        if found.urn not in seen:
            seen.add(found.urn)
            yield found
            ahead.extend(_directly_before(found))


def _directly_before(resource: PolicyResource) -> Iterator[PolicyResource]:
    yield from resource.dependencies
    for found in resource.property_dependencies.values():
        yield from found
    if resource.parent is not None:
        yield resource.parent


def hidden(resources: Sequence[PolicyResource]) -> list[PolicyResource]:
    """Components that may install anything: neither their arguments nor their objects are shown."""
    shown = {found.parent.urn for found in resources if found.parent is not None}
    return [r for r in resources if r.resource_type in OPAQUE and not role_of(r) and r.urn not in shown]


def role_of(resource: PolicyResource) -> str:
    """Name of the chart that a resource installs in the chain; empty for what has no part in it."""
    if resource.resource_type == ADDON:
        name = known(resource.props, "addonName")
        return CERT_MANAGER.name if name == CERT_MANAGER.name else ""
    if resource.resource_type == DEFINITION:
        return DEFINITIONS if resource.name.endswith(".slinky.slurm.net") or _group(resource) else ""
    if resource.resource_type not in RELEASES:
        return ""
    parent = resource.parent.resource_type if resource.parent is not None else ""
    chart = chart_of(resource.resource_type, resource.props) or _OURS.get((parent, resource.resource_type), "")
    return chart if chart in (*SLINKY_CHARTS, CERT_MANAGER.name) else ""


def _group(definition: PolicyResource) -> bool:
    return bool(known(definition.props, "spec", "group") == "slinky.slurm.net")
