"""Rules of `storage.efs`: modes, access points, and the StorageClass."""

import re
from collections.abc import Collection, Iterator, Sequence

from stacks.efs import EfsClass, EfsSpec
from stacks.efs_parts import AccessPoint
from stacks.namespaces import check_known
from stacks.pools_together import check_unique
from stacks.problems import MISSING, Problem

MAX_PATH, MAX_DEPTH = 100, 4
"""Source: EFS API reference, RootDirectory (read 2026-11-29)."""
MAX_BASE = 50
"""The driver appends `/pvc-<uuid>`, 41 characters and one directory (aws-efs-csi-driver v3.4.1, CreateVolume)."""

_STEP = re.compile(r"[^$#<>;`|&?{}^*/\s.][^$#<>;`|&?{}^*/\n]*")
_OF_THE_OWNER = ("throughput_mode", "provisioned_mibps", "backups", "infrequent_access_after_days")


def check_efs(entries: Sequence[tuple[str, EfsSpec]], *, namespaces: Collection[str]) -> Iterator[Problem]:
    """Every rule on every file system.

    Args:
        entries: well-formed entries of `storage.efs`, each with its path.
        namespaces: names of the section `namespaces`.
    """
    for path, spec in entries:
        yield from check_existing(path, spec)
        yield from check_throughput(path, spec)
        for position, point in enumerate(spec.access_points):
            where = f"{path}.accessPoints[{position}]"
            yield from check_path(f"{where}.path", point.path, depth=MAX_DEPTH, length=MAX_PATH)
            yield from check_permissions(f"{where}.permissions", point.permissions)
            yield from check_known(f"{where}.namespaces", point.namespaces, namespaces)
        yield from check_points_apart(path, spec)
        if spec.storage_class is not None:
            yield from check_class(f"{path}.storageClass", spec.storage_class, spec.access_points)
    yield from check_unique("name", [(path, spec.name) for path, spec in entries])
    yield from check_claims(entries)


def check_existing(path: str, spec: EfsSpec) -> Iterator[Problem]:
    """What belongs to another team is not set here."""
    if spec.existing is None:
        return
    for name in _OF_THE_OWNER:
        if name in spec.model_fields_set:
            alias = EfsSpec.model_fields[name].alias or name
            yield Problem(
                path=f"{path}.{alias}",
                value=getattr(spec, name),
                reason="The file system belongs to another team (existing): nothing about it is changed here.",
                accepted="only name, accessPoints and storageClass beside existing",
                ways_out=("remove this line", "remove existing to have a file system made"),
            )


def check_throughput(path: str, spec: EfsSpec) -> Iterator[Problem]:
    """Provisioned throughput goes with its mode and with no other."""
    amount = spec.provisioned_mibps
    if spec.throughput_mode == "provisioned" and amount is None:
        yield Problem(
            path=f"{path}.provisionedMiBps",
            value=MISSING,
            reason="Mode provisioned needs an amount.",
            accepted="a whole number from 1 to 3414",
            ways_out=("set provisionedMiBps: 128", "set throughputMode: elastic, which needs none"),
        )
    elif spec.throughput_mode != "provisioned" and amount is not None:
        yield Problem(
            path=f"{path}.provisionedMiBps",
            value=amount,
            reason=f"With mode {spec.throughput_mode} AWS takes no amount.",
            accepted="an amount only with throughputMode: provisioned",
            ways_out=("remove the line", "set throughputMode: provisioned"),
        )


def check_path(path: str, value: str, *, depth: int, length: int) -> Iterator[Problem]:
    """An absolute path as EFS takes it, and not the root: that would show everyone everything.

    Args:
        path: of the field.
        value: what the file says there.
        depth: most directories.
        length: most characters.
    """
    first, *steps = value.split("/")
    sound = first == "" and bool(steps) and all(_STEP.fullmatch(step) for step in steps)
    if sound and len(steps) <= depth and len(value) <= length:
        return
    if value == "/":
        reason = "This is the root: whoever mounts it sees the directories of all others."
    elif not sound:
        reason = "EFS takes absolute paths without empty or dotted steps, blanks at their start and $#<>;`|&?{}^*."
    elif len(steps) > depth:
        reason = f"These are {len(steps)} directories, one in the other."
    else:
        reason = f"These are {len(value)} characters."
    yield Problem(
        path=path,
        value=value,
        reason=reason,
        accepted=f"/ and one to {depth} directories, at most {length} characters",
        ways_out=("use a plain path, such as /shared", "remove directories or shorten their names"),
    )


def check_permissions(path: str, value: str) -> Iterator[Problem]:
    """The owner, as whom every access happens, can enter, list and write the directory.

    Source: EFS user guide, "Enforcing a root directory with an access point" (read 2026-11-29).
    """
    if int(value[-3]) != 7:
        yield Problem(
            path=path,
            value=value,
            reason="Every access happens as the owner, who could not use the directory: mounting needs x, listing r, "
            "writing w.",
            accepted='7 for the owner, such as "0750" or "0700"',
            ways_out=(f'set permissions: "{value[:-3]}7{value[-2:]}"', 'set permissions: "0700"'),
        )


def check_points_apart(path: str, spec: EfsSpec) -> Iterator[Problem]:
    """Access points of one file system have names and directories of their own."""
    where = [(f"{path}.accessPoints[{position}]", point) for position, point in enumerate(spec.access_points)]
    yield from check_unique("name", [(place, point.name) for place, point in where])
    yield from check_unique("path", [(place, point.path) for place, point in where])


def check_class(path: str, section: EfsClass, points: Sequence[AccessPoint]) -> Iterator[Problem]:
    """Ids one way or the other, a base path of its own, and permissions that let the owner in."""
    yield from check_permissions(f"{path}.permissions", section.permissions)
    yield from check_path(f"{path}.basePath", section.base_path, depth=MAX_DEPTH - 1, length=MAX_BASE)
    yield from _ids(path, section)
    # What is no path at all has its own message.
    for point in (each for each in points if each.path.startswith("/")):
        shared = f"{section.base_path}/".startswith(f"{point.path}/")
        if shared or f"{point.path}/".startswith(f"{section.base_path}/"):
            yield Problem(
                path=f"{path}.basePath",
                value=section.base_path,
                reason=f"The access point {point.name} shows {point.path}: one would lie inside the other.",
                accepted="a directory outside those of the access points",
                ways_out=("use another directory, such as /claims", f"move the access point {point.name}"),
            )


def _ids(path: str, section: EfsClass) -> Iterator[Problem]:
    fixed, span = (section.uid, section.gid), section.gid_range
    if (None in fixed and fixed != (None, None)) or (span is None) == (fixed == (None, None)):
        yield Problem(
            path=path,
            value={"uid": section.uid, "gid": section.gid, "gidRange": span and span.model_dump()},
            reason="Claims take their ids either from uid and gid, both, or from gidRange.",
            accepted="uid and gid, or gidRange",
            ways_out=("set uid and gid: all claims share them", "set gidRange: each claim gets an id of its own"),
        )
    if span is not None and span.end < span.start:
        yield Problem(
            path=f"{path}.gidRange.end",
            value=span.end,
            reason=f"The range would end before it starts, at {span.start}.",
            accepted=f"a number from {span.start} on",
            ways_out=("exchange start and end", f"set end: {span.start + 9999}"),
        )


def check_claims(entries: Sequence[tuple[str, EfsSpec]]) -> Iterator[Problem]:
    """Two claims of one name cannot stand in one namespace: a dash may belong to either part of the name."""
    first: dict[tuple[str, str], str] = {}
    for path, spec in entries:
        for position, point in enumerate(spec.access_points):
            where, claim = f"{path}.accessPoints[{position}]", point.claim(spec.name)
            for namespace in point.namespaces:
                other = first.setdefault((namespace, claim), where)
                if other != where and not other.startswith(f"{path}."):
                    yield Problem(
                        path=f"{where}.name",
                        value=point.name,
                        reason=f"Its claim in {namespace} would be called {claim}, like that of {other}.",
                        accepted="a name that leads to a claim of its own",
                        ways_out=("rename this access point", "rename the file system"),
                    )
