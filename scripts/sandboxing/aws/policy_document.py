"""`aws:iam/getPolicyDocument`: the one data source that needs no account, done as the real provider does it.

Source: `internal/service/iam/policy_model.go` of hashicorp/terraform-provider-aws, read 2026-11-29: a list of one is
written as its only item, longer lists in descending order; a later document's statement replaces the one of the same
sid, its id wins, and so does the higher version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def policy_document(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to the invoke: `json` (indented), `minifiedJson`, `id` and the arguments."""
    version = arguments.get("version") or "2012-10-17"
    own = {
        "Version": version,
        "Id": arguments.get("policyId"),
        "Statement": [_statement(statement, version) for statement in arguments.get("statements") or ()],
    }
    sources = [json.loads(text) for text in arguments.get("sourcePolicyDocuments") or () if text]
    overrides = [json.loads(text) for text in arguments.get("overridePolicyDocuments") or () if text]
    merged: dict[str, Any] = {"Version": "", "Id": "", "Statement": []}
    for document in (*sources, own, *overrides):
        merged = {
            "Version": max(merged["Version"], document.get("Version") or ""),
            "Id": document.get("Id") or merged["Id"],
            "Statement": _replaced(merged["Statement"], _listed(document.get("Statement"))),
        }
    policy = {key: value for key, value in merged.items() if value}
    minified = json.dumps(policy, separators=(",", ":"))
    given = {key: value for key, value in arguments.items() if value is not None}
    made = {"version": version, "json": json.dumps(policy, indent=2), "minifiedJson": minified}
    return {**given, **made, "id": str(hash_of(minified))}


def hash_of(text: str) -> int:
    """The CRC-32 that the real provider uses as the document's id."""
    import zlib  # noqa: PLC0415  (one line of one invoke)

    return zlib.crc32(text.encode())


def _statement(given: Mapping[str, Any], version: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if given.get("sid"):
        made["Sid"] = given["sid"]
    made["Effect"] = given.get("effect") or "Allow"
    for source, target in (
        ("actions", "Action"),
        ("notActions", "NotAction"),
        ("resources", "Resource"),
        ("notResources", "NotResource"),
    ):
        if given.get(source):
            made[target] = _strings([_variables(text, version) for text in given[source]])
    for source, target in (("principals", "Principal"), ("notPrincipals", "NotPrincipal")):
        if given.get(source):
            made[target] = _principals(given[source], version)
    if given.get("conditions"):
        made["Condition"] = _conditions(given["conditions"], version)
    return made


def _principals(given: list[Mapping[str, Any]], version: str) -> Any:
    if len(given) == 1 and given[0]["type"] == "*" and list(given[0]["identifiers"]) == ["*"]:
        return "*"
    merged: dict[str, list[str]] = {}
    for item in given:
        identifiers = sorted((_variables(text, version) for text in item["identifiers"]), reverse=True)
        merged.setdefault(item["type"], []).extend(identifiers)
    return {kind: found[0] if len(found) == 1 else found for kind, found in sorted(merged.items())}


def _conditions(given: list[Mapping[str, Any]], version: str) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, list[str]]] = {}
    for item in given:
        tested = made.setdefault(item["test"], {}).setdefault(item["variable"], [])
        tested.extend(_variables(text, version) for text in item["values"])
    return {
        test: {key: found[0] if len(found) == 1 else found for key, found in sorted(tested.items())}
        for test, tested in sorted(made.items())
    }


def _variables(text: str, version: str) -> str:
    """`&{aws:username}` is how a policy variable is written where `${}` already means something else."""
    return text if version == "2008-10-17" else text.replace("&{", "${")


def _strings(items: list[str]) -> Any:
    return items[0] if len(items) == 1 else sorted(items, reverse=True)


def _listed(statement: Any) -> list[dict[str, Any]]:
    return statement if isinstance(statement, list) else [] if statement is None else [statement]


def _replaced(statements: list[dict[str, Any]], later: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sids = {statement["Sid"]: statement for statement in later if statement.get("Sid")}
    known = {statement.get("Sid") for statement in statements}
    kept = [sids.get(statement.get("Sid", ""), statement) for statement in statements]
    return kept + [statement for statement in later if not statement.get("Sid") or statement["Sid"] not in known]
