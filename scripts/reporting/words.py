"""Sentences that a report says alike in Markdown and in the terminal."""

from __future__ import annotations

from collections.abc import Callable

from scripts.reporting.costs import Costs
from scripts.reporting.dangers import WORDS
from scripts.reporting.report import Policies

LOOKED_FOR = f"None was recognised. Looked for: what {', '.join(WORDS.values())}."
NO_POLICIES = (
    "Not asked: these events hold nothing of a policy pack. Preview with `--policy-pack policies` and name its "
    "events with `--events`."
)
NO_DRIFT_ASKED = "Not asked: `./scripts/drift ENV` asks, and `--drift FILE` puts its events here."
UNDECIDED = "A rule met a value that is known only after the update. It decides then; until then nobody has."
PUT_BACK = (
    "`pulumi up --refresh` puts this back; without `--refresh`, Pulumi does not look. To keep it, write it into the "
    "environment."
)
UNTOLD = (
    "{count} more changes are counted, but not shown in what was read: the digest of a refresh holds no values. Read "
    "its events: `PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi refresh --preview-only --json`."
)


def policy_words(policies: Policies) -> str:
    """`61 rules judged: 1 mandatory finding, 0 advisory, 0 could not decide.`"""
    counts = {level: len(policies.of_level(level)) for level in ("mandatory", "advisory", "undecided")}
    return (
        f"{policies.rules} rules judged: {counts['mandatory']} mandatory, {counts['advisory']} advisory, "
        f"{counts['undecided']} could not decide."
    )


def cost_words(costs: Costs | None, quote: Callable[[str], str] = str) -> str:
    """What stands under the table, or in its place; `quote` treats what is not written here."""
    if costs is None or costs.problem:
        return f"cost: not worked out{f': {quote(costs.problem)}' if costs else ''}"
    unknown = f"Price not known, so in no sum: {', '.join(map(quote, costs.unknown))}. " if costs.unknown else ""
    difference = "The difference is that of the known prices. " if costs.unknown else ""
    return f"{unknown}{difference}Not counted: {'; '.join(costs.not_counted)}. `./scripts/cost ENV` shows every line."
