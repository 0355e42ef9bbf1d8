"""Reading resource properties in rules.

Properties are proxies: they raise on a value that is unknown in a preview, are neither `dict` nor `list`, and compare
with nothing. These helpers take what is needed and no more, so that a rule still judges a resource whose ids are
unknown.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.instance_types import INSTANCE_TYPES

EC2_NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def mapping(props: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """The mapping at a path; empty where there is none."""
    found: Any = props
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def sequence(props: Mapping[str, Any], key: str) -> Sequence[Any]:
    """The list under a key; empty where there is none. Its length is known even if its items are not."""
    found = props.get(key)
    return found if isinstance(found, Sequence) and not isinstance(found, str) else ()


def mappings(props: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The mappings in the list under a key."""
    return (item for item in sequence(props, key) if isinstance(item, Mapping))


def has_static_efa(node_class: Mapping[str, Any]) -> bool:
    """Whether an EC2NodeClass puts EFA interfaces on its nodes."""
    interfaces = mappings(mapping(node_class, "spec"), "networkInterfaces")
    return any(interface.get("interfaceType") == "efa-only" for interface in interfaces)


def has_efa_type(instance_types: Sequence[Any] | None) -> bool:
    """Whether one of the instance types has EFA, as far as the catalog knows them."""
    return any(name in INSTANCE_TYPES and INSTANCE_TYPES[name].has_efa for name in instance_types or ())


def required_values(node_pool: Mapping[str, Any], key: str) -> Sequence[Any] | None:
    """Values that a NodePool requires of a node label by operator In; None where it requires none."""
    for requirement in mappings(mapping(node_pool, "spec", "template", "spec"), "requirements"):
        if requirement.get("key") == key and requirement.get("operator") == "In":
            return sequence(requirement, "values")
    return None
