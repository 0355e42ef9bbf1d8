"""Writes what is derived from code: JSON Schemas, docs/{configuration,constraints,devices,network-interfaces,pins,
policies,storage-costs}.md, docs/pictures.

    python -m scripts.generate            write the files
    python -m scripts.generate --check    write nothing; exit 1 and name each file that is stale

The one script that reads `policies`: only for the text of the rules, never to judge.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pulumi_policy import EnforcementLevel, Policy, ResourceValidationPolicy
from pydantic.fields import FieldInfo

from components.catalog.checkpoints import manifest_schema
from components.catalog.service_prices import PRICES
from policies.rules import ALL
from scripts.constraints_page import constraints
from scripts.pages import NOTICE, OPEN, table
from scripts.picturing import pictures
from scripts.pins_page import pinned
from stacks.device_table import device_page
from stacks.environment import Environment, load
from stacks.model import Section, choices_in, is_list, sections_in
from stacks.names import ENVIRONMENT_KEY, PROJECT
from stacks.storage_costs import cost_lines

ROOT = Path(__file__).resolve().parent.parent


def schema() -> str:
    """JSON Schema of a whole stack file, so that an editor checks and completes the environment inside it."""
    environment = Environment.model_json_schema(by_alias=True, mode="validation")
    definitions = environment.pop("$defs")
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": NOTICE,
        "title": f"Stack file of {PROJECT}",
        "type": "object",
        "required": ["config"],
        "properties": {
            "config": {
                "type": "object",
                "required": ["aws:region", ENVIRONMENT_KEY],
                "properties": {
                    "aws:region": {"type": "string", "description": "AWS region of everything in the stack."},
                    ENVIRONMENT_KEY: {"$ref": "#/$defs/Environment"},
                },
            }
        },
        "$defs": {**definitions, "Environment": environment},
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def configuration() -> str:
    """docs/configuration.md: every field of every section."""
    lines = [
        "# Configuration",
        "",
        NOTICE,
        "",
        f"An environment is one object under `{ENVIRONMENT_KEY}` in `stacks/Pulumi.<stack>.yaml`.",
        "It is checked as a whole before anything starts; editors check it too, from `stacks/environment.schema.json`.",
        "",
        "What a change does:",
        "",
        "- **live**: nothing restarts;",
        "- **rolls nodes**: nodes are replaced, paced by the disruption budgets;",
        "- **REPLACES**: the resource is deleted and made anew.",
    ]
    for path, section in _sections("", Environment):
        lines += ["", f"## {path or 'environment'}", "", _first_paragraph(section)]
        fields = list(section.model_fields.items())
        if fields:
            lines += ["", "| field | accepts | default | a change | meaning |", "|---|---|---|---|---|"]
            lines += [_field_row(info.alias or name, info) for name, info in fields]
    return "\n".join(lines) + "\n"


def policies() -> str:
    """docs/policies.md: every rule of the pack with its metadata."""
    lines = [
        "# Policies",
        "",
        NOTICE,
        "",
        "Rules of the policy pack in `policies/`, run by `pulumi preview --policy-pack policies` and by the sandbox.",
        "They judge planned resources, never the configuration.",
        "",
        "| rule | level | severity | judges | claim | constraints |",
        "|---|---|---|---|---|---|",
        *(_policy_row(policy) for policy in ALL),
    ]
    for policy in ALL:
        lines += ["", f"## {policy.name}", "", policy.description]
        lines += ["", f"What to do: {policy.remediation_steps}", "", f"Source: <{policy.url}>"]
    return "\n".join(lines) + "\n"


def storage_costs() -> str:
    """docs/storage-costs.md: what the storage of each environment costs, and the prices that it is worked out from."""
    lines = [
        "# What storage costs",
        "",
        NOTICE,
        "",
        "Worked out from the sizes and the retention that an environment states: storage alone, without requests,",
        "retrievals, transfers between zones, backups and compression. Where a price is not known, that is said.",
        "Prices are not AWS's own answer: `aws pricing get-products` is.",
    ]
    for path in sorted((ROOT / "stacks").glob("Pulumi.*.yaml")):
        config = yaml.safe_load(path.read_text(encoding="utf-8"))["config"]
        region = str(config["aws:region"])
        environment = load(config[ENVIRONMENT_KEY], region=region)
        lines += ["", f"## {path.name.split('.')[1]}, {region}", ""]
        lines += [f"- {line}" for line in cost_lines(environment.storage, region)]
    prices = [
        (
            price.service,
            price.item,
            price.region or "not named",
            price.usd if price.usd is not None else OPEN,
            price.unit,
            price.source_date or "",
            price.source,
        )
        for price in PRICES
    ]
    heads = ("service", "item", "region", "USD", "unit", "source's date", "source")
    lines += table("Prices", heads, prices)
    return "\n".join(lines) + "\n"


GENERATED: Mapping[str, Callable[[], str]] = {
    "stacks/environment.schema.json": schema,
    "components/catalog/data/checkpoint-manifest.schema.json": manifest_schema,
    "docs/configuration.md": configuration,
    "docs/constraints.md": constraints,
    "docs/pins.md": pinned,
    "docs/policies.md": policies,
    "docs/devices.md": device_page,
    "docs/storage-costs.md": storage_costs,
    **pictures(),
}


def stale(root: Path = ROOT) -> list[str]:
    """The generated files whose text differs from what the code says now."""
    return [name for name, render in GENERATED.items() if _text(root / name) != render()]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the files that are derived from code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is stale")
    check = parser.parse_args(arguments).check
    outdated = stale()
    if check and outdated:
        print(f"stale: {', '.join(outdated)}. Run: python -m scripts.generate", file=sys.stderr)
        return 1
    for name in outdated:
        (ROOT / name).write_text(GENERATED[name](), encoding="utf-8")
        print(f"written: {name}")
    return 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _sections(path: str, section: type[Section]) -> Iterator[tuple[str, type[Section]]]:
    yield path, section
    for name, info in section.model_fields.items():
        for inner in sections_in(info.annotation):
            step = (info.alias or name) + ("[]" if is_list(info.annotation) else "")
            yield from _sections(f"{path}.{step}".removeprefix("."), inner)


def _field_row(name: str, info: FieldInfo) -> str:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, Mapping) else {}
    unit = f" ({extra['unit']})" if "unit" in extra else ""
    note = f": {extra['onChangeNote']}" if "onChangeNote" in extra else ""
    if isinstance(replaced := extra.get("replaces"), list):
        note += f" ({', '.join(f'`{what}`' for what in replaced)})"
    on_change = "see its fields" if extra["onChange"] == "per field" else f"**{extra['onChange']}**{note}"
    accepts = str(extra.get("accepts") or _accepts(info.annotation))
    cells = (f"`{name}`", accepts + unit, _default(info), on_change, str(info.description))
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


def _accepts(annotation: Any) -> str:
    if choices := choices_in(annotation):
        return ", ".join(f"`{choice}`" for choice in choices)
    if any(sections_in(annotation)):
        return "a section"
    return "`true` or `false`" if annotation is bool else ""


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    default = info.get_default(call_default_factory=True, validated_data={})
    if isinstance(default, Section):
        return "its fields' defaults"
    return "none" if default is None else f"`{json.dumps(default)}`"


def _first_paragraph(section: type[Section]) -> str:
    return " ".join((section.__doc__ or "").strip().split("\n\n")[0].split())


def _policy_row(policy: Policy) -> str:
    level = policy.enforcement_level or EnforcementLevel.ADVISORY
    judges = "one resource" if isinstance(policy, ResourceValidationPolicy) else "the whole stack"
    severity = policy.severity.value if policy.severity else "none"
    tags = ", ".join(f"`{tag}`" for tag in policy.tags or [])
    anchor = f"[`{policy.name}`](#{policy.name})"
    return f"| {anchor} | {level.value} | {severity} | {judges} | {policy.description} | {tags} |"


if __name__ == "__main__":
    raise SystemExit(main())
