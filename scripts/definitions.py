"""Writes the custom resource definitions of a manifest as data of this repository, one JSON file each.

    python -m scripts.definitions MANIFEST.yaml... FOLDER

Descriptions are left out: nothing checks them, and they are four fifths of the text. What the API server enforces stays
as it is. An annotation tells Helm to leave a definition in the cluster when its release goes.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).resolve().parent.parent / "components" / "platform" / "data"
KIND = "CustomResourceDefinition"
KEEP = {"helm.sh/resource-policy": "keep"}


def definitions_in(manifest: str) -> Iterator[dict[str, Any]]:
    """The definitions among a manifest's documents, to be kept, without descriptions and without a status."""
    for document in yaml.load_all(manifest, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if document and document["kind"] == KIND:
            metadata = document["metadata"]
            metadata["annotations"] = metadata.get("annotations", {}) | KEEP
            yield _without_descriptions({key: value for key, value in document.items() if key != "status"})


def _without_descriptions(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_descriptions(item) for item in node]
    if not isinstance(node, dict):
        return node
    # A field of that name is a schema, never a text.
    return {
        key: _without_descriptions(value)
        for key, value in node.items()
        if not (key == "description" and isinstance(value, str))
    }


def text(definition: dict[str, Any]) -> str:
    """One definition as its file has it."""
    return json.dumps(definition, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str]) -> int:
    *manifests, folder = map(Path, arguments)
    if not manifests:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    for manifest in manifests:
        for definition in definitions_in(manifest.read_text(encoding="utf-8")):
            target = folder / f"{definition['metadata']['name']}.json"
            target.write_text(text(definition), encoding="utf-8")
            sys.stdout.write(f"{target}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
