"""Findings as SARIF 2.1.0, which code scanning of GitHub and others shows beside the file of the environment.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0 (2020-03-27); GitHub Docs, "SARIF support for code
scanning" (read 2026-11-30): a result without a physical location is not shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from pulumi_policy import Policy

from scripts.reporting.findings import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"mandatory": "error", "advisory": "warning", "undecided": "note"}
SECURITY_SEVERITY = {"low": "3.0", "medium": "5.5", "high": "8.0", "critical": "9.5"}
"""GitHub's bands: low below 4, medium below 7, high below 9."""


def sarif(found: Sequence[Finding], rules: Sequence[Policy], file: str) -> dict[str, Any]:
    """One run.

    Args:
        found: the findings.
        rules: the pack's, all of them, so that a viewer shows what was checked.
        file: of the environment, relative to the repository.
    """
    indices = {rule.name: index for index, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "eks-training-platform policies",
                        "informationUri": "https://www.pulumi.com/docs/insights/policy/",
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "results": [_result(finding, indices, file) for finding in found],
            }
        ],
    }


def _rule(rule: Policy) -> dict[str, Any]:
    severity = rule.severity.value if rule.severity else "medium"
    return {
        "id": rule.name,
        "name": rule.display_name or rule.name,
        "shortDescription": {"text": rule.description},
        "help": {"text": rule.remediation_steps or rule.description},
        "helpUri": rule.url,
        "properties": {
            "tags": ["security", *(rule.tags or [])],
            "security-severity": SECURITY_SEVERITY.get(severity, "5.5"),
        },
    }


def _result(finding: Finding, indices: dict[str, int], file: str) -> dict[str, Any]:
    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": finding.urn or finding.resource, "kind": "resource"}],
    }
    identity = hashlib.sha256(f"{finding.rule}|{finding.urn}|{finding.message}".encode()).hexdigest()
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": LEVELS.get(finding.level, "warning"),
        "message": {"text": f"{finding.resource}: {finding.message}"},
        "locations": [place],
        # So that a finding that stays is the same alert in the next run.
        "partialFingerprints": {"finding/v1": identity},
    }
    if finding.rule in indices:
        result["ruleIndex"] = indices[finding.rule]
    return result
