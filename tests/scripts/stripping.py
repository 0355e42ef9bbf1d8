"""Makes a recorded preview small: what no report reads is left out, and nothing of the machine stays in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

PROJECT = "eks-training-platform"
KEPT = ("aws:region", f"{PROJECT}:environment")
READ_OF_NEW = {
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ("cidrIpv4", "cidrIpv6", "fromPort", "toPort"),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": ("cidrIpv4", "cidrIpv6", "fromPort", "toPort"),
    "aws:eks/cluster:Cluster": ("vpcConfig",),
    "kubernetes:core/v1:Service": ("spec",),
}
"""Inputs of a resource that is made which a report reads, by type."""


def stripped_digest(digest: Mapping[str, Any]) -> dict[str, Any]:
    """Of what `pulumi preview --json` prints."""
    steps = [stripped for step in digest["steps"] if (stripped := _step(step))]
    return {
        "config": stripped_config(digest.get("config") or {}),
        "steps": sorted(steps, key=lambda step: (str(step["urn"]), str(step["op"]))),
        "diagnostics": [_without_place(entry) for entry in digest.get("diagnostics") or []],
        "changeSummary": digest.get("changeSummary") or {},
    }


def stripped_events(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Of an event log: findings, and the names of the rules that judged."""
    found: dict[str, dict[str, Any]] = {}
    judged: set[str] = set()
    for line in lines:
        event = json.loads(line)
        for kind in ("policyAnalyzeSummaryEvent", "policyAnalyzeStackSummaryEvent"):
            summary = event.get(kind) or {}
            judged |= {*(summary.get("passed") or ()), *(summary.get("failed") or ())}
        if "policyEvent" in event:
            told = {"policyEvent": event["policyEvent"]}
            found[json.dumps(told, sort_keys=True)] = told
    return [*(found[key] for key in sorted(found)), {"policyAnalyzeStackSummaryEvent": {"passed": sorted(judged)}}]


def stripped_refresh(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Of the events of `pulumi refresh --preview-only`: what differs, the sums and the configuration."""
    found = []
    for line in lines:
        event = json.loads(line)
        step = (event.get("resOutputsEvent") or {}).get("metadata")
        if step and step["op"] != "same":
            old, new = step.get("old") or {}, step.get("new") or {}
            before, after = old.get("inputs") or {}, new.get("inputs") or {}
            keys = [key for key in {*before, *after} if before.get(key) != after.get(key)] if old and new else []
            kept = {key: step[key] for key in ("op", "urn", "type", "diffs", "detailedDiff") if step.get(key)}
            for name, state, values in (("old", old, before), ("new", new, after)):
                if state:
                    kept[name] = {"inputs": {key: values[key] for key in keys if key in values}}
            found.append({"resOutputsEvent": {"metadata": kept}})
        if "summaryEvent" in event:
            found.append({"summaryEvent": {"resourceChanges": event["summaryEvent"]["resourceChanges"]}})
        if "preludeEvent" in event:
            found.append({"preludeEvent": {"config": stripped_config(event["preludeEvent"]["config"])}})
    return sorted(found, key=lambda event: json.dumps(event, sort_keys=True))


def stripped_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Region and environment, without the folder of the machine."""
    kept = {key: config[key] for key in KEPT if key in config}
    if raw := kept.get(KEPT[1]):
        environment = json.loads(raw) if isinstance(raw, str) else dict(raw)
        environment["artifacts"] = {**environment.get("artifacts", {}), "charts": None}
        kept[KEPT[1]] = json.dumps(environment, sort_keys=True)
    return kept


def _without_place(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key in ("urn", "message", "severity", "prefix")}


def _step(step: Mapping[str, Any]) -> dict[str, Any] | None:
    old, new = step.get("oldState") or {}, step.get("newState") or {}
    kept = {key: step[key] for key in ("op", "urn", "replaceReasons", "diffReasons", "detailedDiff") if step.get(key)}
    if step["op"] == "same":
        return None
    before, after = old.get("inputs") or {}, new.get("inputs") or {}
    if not old or not new:
        wanted = READ_OF_NEW.get(str((old or new).get("type")), ()) if new else ()
    else:
        wanted = tuple(key for key in {*before, *after} if before.get(key) != after.get(key))
    for name, state, values in (("oldState", old, before), ("newState", new, after)):
        if state:
            kept[name] = {**_marks(state), "inputs": {key: values[key] for key in wanted if key in values}}
    return kept


def _marks(state: Mapping[str, Any]) -> dict[str, Any]:
    return {key: state[key] for key in ("protect", "retainOnDelete") if state.get(key)}
