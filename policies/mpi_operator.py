"""Resources of a stack that bring the MPI Operator."""

from collections.abc import Iterator

from pulumi_policy import PolicyResource

from components.catalog.pins import MPI_OPERATOR
from policies.manifests import RELEASES
from policies.values import UNKNOWN, known

COMPONENT = "ekstraining:platform:MpiOperator"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
PARTS = ("operator", "definition")


def parts_of(resource: PolicyResource) -> Iterator[str]:
    """Which of `PARTS` a resource brings. A name that is not known yet counts for the operator's."""
    told = [known(resource.props, *path) for path in (("metadata", "name"), ("name",), ("chart",))]
    names = [resource.name, *(MPI_OPERATOR.name if name is UNKNOWN else str(name) for name in told)]
    ours = any(MPI_OPERATOR.name in name for name in names)
    if resource.resource_type == COMPONENT:
        yield from PARTS
    elif resource.resource_type in RELEASES and ours:
        yield "definition"
        if not any(word in name for name in names for word in ("definitions", "crds")):
            yield "operator"
    elif resource.resource_type == DEPLOYMENT and ours:
        yield "operator"
    elif resource.resource_type == DEFINITION and (ours or any("mpijobs" in name for name in names)):
        yield "definition"
