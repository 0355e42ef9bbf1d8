"""Links between Lustre file systems and S3, judged by file system: what one of them allows depends on the others.

Source: FSx API, CreateDataRepositoryAssociation and DataRepositoryAssociation (2026-11-29).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from pulumi_policy import PolicyResource, StackValidationArgs

from components.catalog.lustre import MAX_REPOSITORIES, OFFERINGS, REPOSITORY_EVENTS, SCRATCH_1, SSD
from policies.efa_groups import comes_from
from policies.storage import ASSOCIATION, LUSTRE, of_type
from policies.values import UNKNOWN, is_true, items, known

Linked = tuple[PolicyResource | None, list[PolicyResource]]


def by_file_system(args: StackValidationArgs) -> list[Linked]:
    """(file system, its associations); a file system of another stack is None, one entry for each of its ids."""
    ours = of_type(args, LUSTRE)
    found: dict[str, Linked] = {}
    for association in of_type(args, ASSOCIATION):
        system = next((s for s in ours if comes_from(association, "fileSystemId", s)), None)
        key = system.urn if system else str(known(association.props, "fileSystemId"))
        found.setdefault(key, (system, []))[1].append(association)
    return list(found.values())


def refusals(system: PolicyResource | None, associations: Sequence[PolicyResource]) -> Iterator[str]:
    """What is wrong with a file system that has these associations."""
    who = f"Lustre file system '{system.name}'" if system else "A Lustre file system of another stack"
    props = system.props if system else {}
    deployment, storage = known(props, "deploymentType") or SCRATCH_1, known(props, "storageType") or SSD
    offering = OFFERINGS.get((deployment, storage))
    if system is not None and offering is not None and not offering.may_link_s3:
        yield (
            f"{who} is {deployment} {storage}, which takes no association. Remove its associations, or choose "
            "SCRATCH_2 or PERSISTENT_2 with SSD."
        )
    if len(associations) > MAX_REPOSITORIES:
        yield (
            f"{who} has {len(associations)} associations; AWS allows {MAX_REPOSITORIES}. Link a common parent prefix, "
            "or make a second file system."
        )


def unsaid(association: PolicyResource) -> Iterator[str]:
    """What is wrong with the events of an association."""
    events = [
        event
        for policy in ("autoImportPolicy", "autoExportPolicy")
        for event in items(association.props, "s3", policy, "events")
    ]
    who = f"Association '{association.name}'"
    strange = [str(event) for event in events if event is not UNKNOWN and event not in REPOSITORY_EVENTS]
    if strange:
        yield f"{who} names the event {', '.join(strange)}. Choose from {', '.join(REPOSITORY_EVENTS)}, or say none."
    imports = known(association.props, "batchImportMetaDataOnCreate")
    undecided = UNKNOWN in (imports, known(association.props, "s3"))
    if not events and not is_true(imports) and not undecided:
        yield (
            f"{who} imports and exports nothing: choosing FSx alone moves no file. Say events of s3.autoImportPolicy "
            "or s3.autoExportPolicy, or batchImportMetaDataOnCreate: true for one import."
        )


def overlaps(associations: Sequence[PolicyResource]) -> Iterator[tuple[PolicyResource, str]]:
    """Each association that shares a directory or a prefix with an earlier one, and the sentence about it."""
    for one, other in combinations(associations, 2):
        for field in ("fileSystemPath", "dataRepositoryPath"):
            paths = known(one.props, field), known(other.props, field)
            if all(isinstance(path, str) for path in paths) and _share(*map(str, paths)):
                message = (
                    f"Associations '{one.name}' ({field} {paths[0]}) and '{other.name}' ({paths[1]}) overlap, which "
                    "AWS refuses. Give each a directory and a prefix of its own, or keep one of them."
                )
                yield other, message


def _share(one: str, other: str) -> bool:
    first, second = (path.rstrip("/") + "/" for path in (one, other))
    return first.startswith(second) or second.startswith(first)
