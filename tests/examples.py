"""The examples of constraints in `policies/examples/<id>/`, good and bad.

`good-*.yaml` and `bad-*.yaml` hold Kubernetes objects, as a person applies them: they are judged by the API server
and, as planned resources, by the policy pack. `good-*.resources.yaml` and `bad-*.resources.yaml` hold resources of a
stack, as the engine shows them to the pack. A bad one begins with what is said about it: `# refused: <part of the
message>` for the API server, `# reported: <part of the message>` for the pack; a line that is absent means that this
gate does not see it. `# only: <gate>, <reason>` in a good one means that the other gate would judge otherwise.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from components.platform.admission_pools import pool_table
from stacks.node_pools import NodePool
from stacks.volcano import QueueSpec
from tests.policy.planned import Planned
from tests.support import ROOT

EXAMPLES = ROOT / "policies" / "examples"
RESOURCES = ".resources.yaml"
NOT_KNOWN = "${unknown}"
"""In files of resources: what a preview does not know yet."""


def label(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.yaml')}"


def promised(path: Path, gate: str) -> str:
    """What an example says under a word (`refused`, `reported`, `only`); empty: nothing."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        if found := re.fullmatch(rf"# {gate}: (.+)", line):
            return found[1]
    return ""


def _examples(kind: str) -> list[Path]:
    return sorted(EXAMPLES.glob(f"*/{kind}-*.yaml"))


GOOD, BAD = _examples("good"), _examples("bad")
ADMISSION_GOOD = [
    path for path in GOOD if not path.name.endswith(RESOURCES) and not promised(path, "only").startswith("PREVIEW")
]
PREVIEW_GOOD = [path for path in GOOD if not promised(path, "only").startswith("ADMISSION")]
ADMISSION_BAD = [path for path in BAD if promised(path, "refused")]
PREVIEW_BAD = [path for path in BAD if promised(path, "reported")]


def planned(path: Path) -> list[Planned]:
    """The resources of an example, as the policy pack sees them in a preview."""
    documents = [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]
    if path.name.endswith(RESOURCES):
        return [_resource(each) for document in documents for each in document]
    return [_object(each) for each in documents]


def _object(thing: dict[str, Any]) -> Planned:
    version = thing["apiVersion"]
    version = version if "/" in version else f"core/{version}"
    name = thing["metadata"].get("name") or thing["metadata"].get("generateName", "x")
    return Planned(type=f"kubernetes:{version}:{thing['kind']}", name=name, props=thing)


def _resource(told: dict[str, Any]) -> Planned:
    return Planned(
        type=told["type"],
        name=told["name"],
        props=_with_unknowns(told.get("props", {})),
        sources=told.get("sources", {}),
        protect=told.get("protect", False),
        after=told.get("after", ()),
        parent=told.get("parent", ""),
    )


def _with_unknowns(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_unknowns(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_unknowns(inner) for inner in value]
    return UNKNOWN_STRING_VALUE if value == NOT_KNOWN else value


def example_pools() -> Iterator[NodePool]:
    """The pools that examples name: `p5`, `p4d`, `trn1` with EFA, `g5` and `timed` (bounded draining) without."""
    common = {"zone": "us-west-2b", "nodes": {"max": 4}}
    with_efa = {**common, "efa": "static", "placementGroup": "none"}
    yield NodePool.model_validate({**with_efa, "name": "p5", "instanceType": "p5.48xlarge"})
    yield NodePool.model_validate({**with_efa, "name": "p4d", "instanceType": "p4d.24xlarge"})
    yield NodePool.model_validate({**with_efa, "name": "trn1", "instanceType": "trn1.32xlarge"})
    yield NodePool.model_validate({**common, "name": "g5", "instanceType": "g5.xlarge", "zone": "us-west-2a"})
    drained = {"terminationGracePeriod": "30m", "checkpointTime": "20m"}
    yield NodePool.model_validate({**common, **drained, "name": "timed", "instanceType": "g5.xlarge"})


QUEUES = [QueueSpec.model_validate({"name": "small", "capability": {"p5": 2}})]
POOLS = pool_table(list(example_pools()), QUEUES)
