"""Where Slurm's keys come from, and whether a new value arrives."""

import re
from collections.abc import Iterator
from typing import Any

from components.catalog.pins import SLURM
from components.catalog.secrets import ROTATION, SLURM_DATABASE_PASSWORD, SLURM_JWT_KEY, SLURM_KEY
from policies.manifests import Workload, at, rows, table, words
from policies.values import UNKNOWN, is_true

KEYS = (SLURM_KEY.data_key, SLURM_JWT_KEY.data_key, "jwt_hs256.key")
_CHART = re.compile(r"(^|/)slurm(-\d[^/]*)?/?$")
_NEVER = ("0", "0s", "0m", "0h")


def chart_makes(values: Any, chart: Any, name: str) -> Iterator[str]:
    """Keys that Slinky's chart would make by itself (slurm 1.2.3: `create` is true where nothing is said)."""
    is_slurm = _CHART.search(words(chart)) is not None or name == SLURM.name
    if not is_slurm or is_true(at(values, "controller", "external")):
        return
    for key in ("slurmKey", "jwtKey"):
        said, made = table(values).get(key), at(values, key, "create")
        known = said is not UNKNOWN and made is not UNKNOWN
        if known and (isinstance(said, str) or made is None or is_true(made)):
            yield key


def never_renewed(workload: Workload) -> str:
    """Why a Secret or ExternalSecret with one of the keys stays as it is; empty where it can be made anew."""
    content = workload.content
    if workload.kind == "Secret":
        held = {key for part in ("data", "stringData") for key in table(content.get(part))}
    else:
        held = {words(table(row).get("secretKey")) for row in rows(at(content, "spec", "data"))}
    in_slurm = at(content, "metadata", "namespace") == SLURM.namespace
    wanted = {*KEYS, *((SLURM_DATABASE_PASSWORD.data_key,) if in_slurm else ())}
    if not held & wanted:
        return ""
    if is_true(content.get("immutable")):
        return "is immutable"
    annotations = at(content, "metadata", "annotations")
    if annotations is UNKNOWN or table(annotations).get(ROTATION):
        return ""
    if workload.kind == "ExternalSecret":
        policy, interval = at(content, "spec", "refreshPolicy"), at(content, "spec", "refreshInterval")
        by_clock = policy in (None, "", "Periodic", UNKNOWN) and str(interval) not in _NEVER
        return "" if by_clock else "is read once"
    return "says no moment of making"
