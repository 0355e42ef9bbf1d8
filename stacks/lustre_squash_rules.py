"""Rules of a Lustre file system's root squash: whom root becomes, and which clients are excepted."""

import re
from collections.abc import Iterator

from stacks.lustre_parts import RootSquash
from stacks.problems import Problem

_PART = re.compile(r"(\d{1,3})|\[(\d{1,3})-(\d{1,3})\]")
_LENGTHS = range(11, 44)
"""Characters of a NID that FSx takes: API reference, LustreRootSquashConfiguration (read 2026-11-29)."""


def is_nid(text: str) -> bool:
    """Whether this is an address, or a range of them in brackets, of Lustre's TCP network."""
    address, _, network = text.partition("@")
    parts = address.split(".")
    return network == "tcp" and len(text) in _LENGTHS and len(parts) == 4 and all(map(_is_part, parts))


def _is_part(text: str) -> bool:
    match = _PART.fullmatch(text)
    if match is None:
        return False
    single, first, last = match.groups()
    if single is not None:
        return int(single) <= 255
    return int(first) < int(last) <= 255


def check_root_squash(path: str, squash: RootSquash | None) -> Iterator[Problem]:
    """User and group are both root's or both not; excepted clients are addresses of Lustre's network, each once."""
    if squash is not None and (squash.uid == 0) != (squash.gid == 0):
        field, other = ("uid", "gid") if squash.uid == 0 else ("gid", "uid")
        yield Problem(
            path=f"{path}.rootSquash.{field}",
            value=0,
            reason="0 is root, and FSx squashes root to a user and a group that both are not, or not at all.",
            accepted="two numbers from 1 on, or 0 and 0",
            ways_out=(f"set {field}: {getattr(squash, other)}", f"set {other}: 0 to switch root squash off"),
        )
    seen: set[str] = set()
    for position, nid in enumerate(squash.except_nids if squash else ()):
        where = f"{path}.rootSquash.exceptNids[{position}]"
        if not is_nid(nid):
            yield Problem(
                path=where,
                value=nid,
                reason="This names no client: FSx takes IPv4 addresses and ranges of them, at @tcp, also with EFA.",
                accepted="such as 10.40.0.6@tcp or 10.40.[0-9].[1-254]@tcp",
                ways_out=("write address@tcp", "remove the entry"),
            )
        elif nid in seen:
            yield Problem(
                path=where,
                value=nid,
                reason="This client stands in the list already.",
                accepted="each client once",
                ways_out=("remove the entry", "name another client"),
            )
        seen.add(nid)
