"""Judges the resources of a file as the engine has the pack judge them; for `bench.policies`, in a process of its own.

python -m bench.pack RESOURCES.json
"""

import json
import sys
import time
from pathlib import Path

from google.protobuf import json_format, struct_pb2
from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import _PolicyAnalyzerServicer

from policies.reading_once import read_once
from policies.rules import ALL

_SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Marks values that are more than JSON (pulumi, sdk/go/common/resource/properties.go)."""


def _plain(value: object) -> object:
    """References to resources as their URNs, which is what the engine hands to a pack."""
    if isinstance(value, dict):
        return value.get("urn", "") if _SIGNATURE in value else {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def main() -> int:
    """Prints the seconds of the judging alone."""
    resources = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    read_once()
    servicer = _PolicyAnalyzerServicer("pack", "0.1.0", ALL, EnforcementLevel.ADVISORY)
    started = time.monotonic()
    stack = proto.AnalyzeStackRequest()
    for resource in resources:
        struct = struct_pb2.Struct()
        json_format.ParseDict(_plain(resource.get("inputs") or {}), struct)
        told = {"type": resource["type"], "urn": resource["urn"], "name": resource["urn"].rsplit("::", 1)[-1]}
        servicer.Analyze(proto.AnalyzeRequest(**told, properties=struct), None)
        stack.resources.add(**told, properties=struct)
    servicer.AnalyzeStack(stack, None)
    print(time.monotonic() - started)
    return 0


if __name__ == "__main__":
    sys.exit(main())
