"""Secrets that stand in the open: in variables of containers, in ConfigMaps, in values of Helm releases.

A Pulumi secret looks to a rule like any text, since the engine unwraps it, or is not known yet. Where it is used as a
literal it stands in the object for all who may read that, so it is judged as one.
"""

import re
from collections.abc import Iterator
from typing import Any

from policies.manifests import rows, table, words
from policies.values import UNKNOWN

VARIABLE = re.compile(
    r"(?i)(^|[_.-])((\w*(mysql|pg|db|database|admin|root|user))?_?pwd|\w*passwo?r?d|passphrase|\w*token|\w*secret"
    r"|jwt|(api|secret|access|private|signing|encryption)_?key|credentials?)$"
)
KEY = re.compile(
    r"(?i)(^|[_.-])(\w*passwo?r?d|passphrase|(auth|access|api|bearer|refresh|hf|github)[_-]?token"
    r"|(api|secret|access|private)[_-]?key)$|(^|/)(slurm|jwt|jwt_hs256)\.key$|^id_(rsa|dsa|ecdsa|ed25519)$"
)
_HELM_KEY = re.compile(r"(?i)^\w*(passwo?r?d|passphrase|privateKey|apiKey|accessKey|accessToken|apiToken)$")
NO_SECRET = re.compile(
    r"(?i)^(bos|eos|pad|unk|cls|sep|mask|image|special|stop|start|end|max(_\w+)?|min|next|num|per|new)_token$"
    r"|^(pwd|oldpwd)$|^(allow|disable|enable|use|no|require|is)_"
)
_CONTENT = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|(?:^|\n)\s*(?:[Ss]torage[Pp]ass|ldap_default_authtok)\s*=\s*\S"
)
_HARMLESS = re.compile(
    r"(?i)|true|false|yes|no|[01]|none|null|\$\(\w+\)|\$\{\w+\}|(/[\w.-]+){2,}|<[\w|/ ]+>|\[[\w ]+\]"
)


def _is_literal(value: Any) -> bool:
    """A value that may be a secret itself: no reference, no path of a file, no switch. What is unknown is a value."""
    return value is UNKNOWN or (isinstance(value, str | int | float) and not _HARMLESS.fullmatch(str(value).strip()))


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name holds a secret, as its name has it."""
    return VARIABLE.search(name) is not None and NO_SECRET.search(name) is None


def variables(value: Any) -> Iterator[str]:
    """Names of variables with a secret as plain text, wherever in an object containers have them."""
    for inner in rows(value) or table(value).values():
        yield from variables(inner)
    name = words(table(value).get("name"))
    if "value" in table(value) and is_secret_name(name) and _is_literal(table(value)["value"]):
        yield name
    for key in ("env", "extraEnv", "environment"):
        for name, given in table(table(value).get(key)).items():
            if is_secret_name(name) and _is_literal(given):
                yield name


def data_keys(config_map: Any) -> Iterator[str]:
    """Keys of a ConfigMap that hold a secret, by their names or by what is below them."""
    for part in ("data", "binaryData"):
        for key, value in table(table(config_map).get(part)).items():
            named = KEY.search(key) and not NO_SECRET.search(key) and _is_literal(value)
            if named or _CONTENT.search(words(value)):
                yield key


def release_keys(values: Any, where: str = "") -> Iterator[str]:
    """Paths in values of a Helm release whose names say that a secret stands there, and one does."""
    for index, inner in enumerate(rows(values)):
        yield from release_keys(inner, f"{where}[{index}]")
    for key, inner in table(values).items():
        path = f"{where}.{key}" if where else key
        if (_HELM_KEY.search(key) and _is_literal(inner)) or _CONTENT.search(words(inner)):
            yield path
        else:
            yield from release_keys(inner, path)
