"""Rules of the data repositories of one Lustre file system."""

from collections.abc import Iterator, Sequence

from components.catalog.lustre import MAX_REPOSITORIES, Offering
from stacks.lustre import LustreSpec
from stacks.lustre_parts import DataRepositorySpec
from stacks.problems import Problem

Placed = Sequence[tuple[str, DataRepositorySpec]]
MAX_PATH, MAX_S3_PATH = 4096, 900
"""Characters: FSx API reference, CreateDataRepositoryAssociation; the second is aws' provider's (read 2026-11-29)."""
_S3_SCHEME = len("s3://") + 63 + 1
"""Before a prefix: scheme, the longest name of a bucket, a slash."""


def check_repositories(path: str, spec: LustreSpec, offering: Offering) -> Iterator[Problem]:
    """Whether there may be any, how many, and what each says."""
    where = f"{path}.dataRepositories"
    count = len(spec.data_repositories)
    if count and not offering.may_link_s3:
        elastic = offering.is_elastic
        kind = offering.storage_type if elastic else offering.deployment_type
        yield Problem(
            path=where,
            value=[repository.path for repository in spec.data_repositories],
            reason=f"FSx links nothing in S3 to {kind}.",
            accepted=f"an empty list, with {kind}",
            ways_out=(
                "remove dataRepositories",
                "set storageType: SSD" if elastic else "set deploymentType: SCRATCH_2",
            ),
        )
    if count > MAX_REPOSITORIES:
        yield Problem(
            path=where,
            value=f"{count} entries",
            reason=f"A file system has {MAX_REPOSITORIES} data repositories at most.",
            accepted=f"up to {MAX_REPOSITORIES} entries",
            ways_out=("link a common prefix once instead of its parts", "make a second file system"),
        )
    placed = [(f"{where}[{position}]", entry) for position, entry in enumerate(spec.data_repositories)]
    for place, repository in placed:
        yield from _check_one(place, repository)
    yield from _check_paths(placed)
    yield from _check_prefixes(placed)


def _check_one(where: str, repository: DataRepositorySpec) -> Iterator[Problem]:
    folder = repository.path
    if not _is_folder(folder):
        tidy = "/" + "/".join(part for part in folder.split("/") if part not in ("", ".", ".."))
        yield Problem(
            path=f"{where}.path",
            value=folder,
            reason="This is no folder's path from the root of the file system.",
            accepted="an absolute path without empty parts, dots, or a slash at its end",
            ways_out=(f"write {tidy}", "write / to link all of the file system"),
        )
    if not _is_prefix(repository.prefix):
        tidy = "/".join(part for part in repository.prefix.split("/") if part) + "/"
        yield Problem(
            path=f"{where}.prefix",
            value=repository.prefix,
            reason="Keys of objects begin without a slash, and only what ends with one is a folder of its own.",
            accepted="empty, or parts that each end with one slash, such as imagenet/train/",
            ways_out=(f"write {tidy}", "remove prefix to link all of the bucket"),
        )
    if not repository.auto_import and not repository.auto_export:
        yield Problem(
            path=f"{where}.autoImport",
            value=[],
            reason="Without import and export nothing passes this link by itself, and files silently differ from the "
            "bucket.",
            accepted="at least one event in autoImport or autoExport",
            ways_out=("set autoImport: [NEW, CHANGED, DELETED]", "set autoExport: [NEW, CHANGED]"),
        )
    for field, events in (("autoImport", repository.auto_import), ("autoExport", repository.auto_export)):
        if len(set(events)) < len(events):
            once = ", ".join(dict.fromkeys(events))
            yield Problem(
                path=f"{where}.{field}",
                value=list(events),
                reason="An event is named twice.",
                accepted="each of NEW, CHANGED, DELETED once",
                ways_out=(f"set {field}: [{once}]", f"remove {field}"),
            )


def _is_folder(path: str) -> bool:
    if path == "/":
        return True
    parts = path.split("/")
    return (
        parts[0] == ""
        and len(parts) > 1
        and not {"", ".", ".."} & set(parts[1:])
        and path.isprintable()
        and len(path) <= MAX_PATH
    )


def _is_prefix(prefix: str) -> bool:
    parts = prefix.split("/")
    return prefix == "" or (
        parts[-1] == ""
        and len(parts) > 1
        and "" not in parts[:-1]
        and prefix.isprintable()
        and len(prefix) + _S3_SCHEME <= MAX_S3_PATH
    )


def _check_paths(placed: Placed) -> Iterator[Problem]:
    """No folder lies in another one, or is it."""
    for position, (where, repository) in enumerate(placed):
        for other_where, other in placed[:position]:
            mine, theirs = f"{repository.path.rstrip('/')}/", f"{other.path.rstrip('/')}/"
            if mine.startswith(theirs) or theirs.startswith(mine):
                yield Problem(
                    path=f"{where}.path",
                    value=repository.path,
                    reason=f"{_relation(mine, theirs)} the folder of {other_where}, {other.path}; FSx links each "
                    "folder once.",
                    accepted="folders of which none lies in another",
                    ways_out=("choose another folder", f"remove one of the two, this or {other_where}"),
                )
                break


def _check_prefixes(placed: Placed) -> Iterator[Problem]:
    """No prefix of a bucket lies in another one, or is it."""
    for position, (where, repository) in enumerate(placed):
        for other_where, other in placed[:position]:
            mine, theirs = repository.prefix, other.prefix
            if repository.bucket == other.bucket and (mine.startswith(theirs) or theirs.startswith(mine)):
                shown = other.prefix or "all of it"
                yield Problem(
                    path=f"{where}.prefix",
                    value=repository.prefix,
                    reason=f"In bucket {other.bucket} {other_where} links {shown} already, and the two overlap.",
                    accepted="prefixes of one bucket of which none lies in another",
                    ways_out=("choose prefixes apart from each other", f"remove one of the two, this or {other_where}"),
                )
                break


def _relation(mine: str, theirs: str) -> str:
    if mine == theirs:
        return "It is"
    return "It lies in" if mine.startswith(theirs) else "It holds"
