"""What a training starts from: where its data and code come from, and whether that names one state of them."""

import re
from collections.abc import Iterator

from policies.manifests import FROM, Container

_DATA = frozenset({"data", "dataset", "datasets", "corpus", "tokens", "trainset"})
_REVISION = frozenset({"revision", "rev", "version", "commit", "manifest"})
_FLOATING = frozenset({"", "latest", "main", "master", "head", "current", "newest", "dev"})
_URI = r"(?:s3|gs|hf)://[^\s\"',;]+"
# The value is looked at and not taken: in `train.py --data s3://...` what looks like a value is the next name.
_OPTION = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)[=\s]+(?=[\"']?([^\s\"',;]+))")
_GIT = re.compile(r"git\+(?:https|ssh|git)://[^/\s]+/([^\s\"']+)")
_STATE = re.compile(
    r"(?:^|[-_.=])v?\d+(?:\.\d+)+|(?:^|[-_.=])(?:v|r|rev|version|revision|snapshot)[-_=.]?\d+"
    r"|20\d\d[-_.]?\d\d(?:[-_.]?\d\d)?|(?:^|[-_.=@])(?=[a-f]*\d)[0-9a-f]{7,64}(?:$|[-_.])|manifest",
    re.IGNORECASE,
)


def is_one_state(address: str) -> bool:
    """Whether an address says which version it means: a date, a number, a hash, a revision behind `@` or `?`."""
    path = address.partition("://")[2].strip("/")
    before, _, revision = path.partition("@")
    if revision:
        return revision.strip("/").lower() not in _FLOATING
    if re.search(r"[?&](versionid|version|revision)=[^&]+", path, re.IGNORECASE):
        return True
    parts = before.split("/")
    return not _FLOATING & {part.lower() for part in parts} and any(_STATE.search(part) for part in parts)


def floating_inputs(container: Container) -> Iterator[str]:
    """Addresses of data and code without a version, with the variable or option that has them."""
    said = {name: value for name, value in container.env.items() if isinstance(value, str)}
    options = dict(_OPTION.findall(container.line))
    beside = _has_revision(said) or _has_revision(options)
    for name, value in (*said.items(), *options.items()):
        if _DATA & _words(name) and re.fullmatch(_URI, value) and not (beside or is_one_state(value)):
            yield f"{name} {value}"
    for found in _GIT.finditer(" ".join((container.line, *said.values()))):
        if found[1].partition("@")[2].partition("#")[0].lower() in _FLOATING:
            yield found[0]


def _has_revision(given: dict[str, str]) -> bool:
    """Whether a variable or an option beside the address says the revision."""
    return any(
        _DATA & _words(name) and _REVISION & _words(name) and (value == FROM or value.lower() not in _FLOATING)
        for name, value in given.items()
    )


def _words(name: str) -> set[str]:
    return set(re.split(r"[-_.]", name.lower()))
