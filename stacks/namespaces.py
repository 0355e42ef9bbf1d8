"""Section `namespaces`: where workloads live."""

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from stacks.model import Bool, Section, says
from stacks.names import DNS_LABEL
from stacks.pools_together import check_unique
from stacks.problems import Problem, one_of

PodSecurity = Literal["privileged", "baseline", "restricted"]

NamespaceName = Annotated[str, Field(pattern=DNS_LABEL, max_length=63)]

_RESERVED = "default"
_RESERVED_PREFIX = "kube-"


class NamespaceSpec(Section):
    """One namespace of the cluster: made by us, or someone else's that storage and access only refer to."""

    name: Annotated[
        NamespaceName,
        says(
            "Name of the namespace.",
            "REPLACES",
            change="the namespace and all that is in it, its claims too, which lifecycle.protectData forbids",
            replaces=("Namespaces",),
            accepts="at most 63 lower-case letters, digits and inner dashes; not default and not kube-…",
            example="team-a",
        ),
    ]
    pod_security: Annotated[
        PodSecurity,
        says(
            "Pod Security level: what a pod may ask of its node. Restricted is the strictest; baseline keeps pods off "
            "the node's network, paths and devices; privileged allows all.",
            "live",
            change="for pods that are made afterwards",
        ),
    ] = "baseline"
    existing: Annotated[
        Bool,
        says(
            "Whether somebody else makes it: nothing about it is made or changed then, podSecurity means nothing, and "
            "admission rules for training hold there only if its owner sets the label "
            'eks-training-platform/workloads: "true".',
            "REPLACES",
            change="true deletes the namespace of ours and all that is in it, which lifecycle.protectData forbids",
            replaces=("Namespaces",),
        ),
    ] = False


def check_namespaces(entries: Sequence[tuple[str, NamespaceSpec]]) -> Iterator[Problem]:
    """Each once, and none of Kubernetes' own is made here.

    Args:
        entries: well-formed entries of the section, each with its path.
    """
    for path, namespace in entries:
        own = namespace.name == _RESERVED or namespace.name.startswith(_RESERVED_PREFIX)
        if own and not namespace.existing:
            yield Problem(
                path=f"{path}.name",
                value=namespace.name,
                reason="Kubernetes makes this namespace itself; it is no place for workloads.",
                accepted=f"a name other than {_RESERVED} that does not begin with {_RESERVED_PREFIX}",
                ways_out=("name the team or the project, such as team-a", "set existing: true to only refer to it"),
            )
    yield from check_unique("name", [(path, namespace.name) for path, namespace in entries])


def check_known(path: str, used: Sequence[str], known: Collection[str]) -> Iterator[Problem]:
    """Each namespace that a part of the file refers to is in the section, once.

    Args:
        path: of the list, such as `storage.efs[0].accessPoints[0].namespaces`.
        used: what the list says.
        known: names of the section's well-formed entries.
    """
    for position, name in enumerate(used):
        if name not in known:
            yield Problem(
                path=f"{path}[{position}]",
                value=name,
                reason="No namespace of this name is in the section namespaces.",
                accepted=one_of(known) or "a name of the section namespaces, which is empty",
                ways_out=(
                    f"add it: namespaces: [{{name: {name}}}]",
                    f"someone else makes it: namespaces: [{{name: {name}, existing: true}}]",
                ),
            )
        elif name in used[:position]:
            yield Problem(
                path=f"{path}[{position}]",
                value=name,
                reason="The namespace is in this list already.",
                accepted="each namespace once",
                ways_out=("remove this line", "name another namespace"),
            )
