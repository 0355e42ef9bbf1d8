"""One reading of a resource for all rules.

pulumi_policy turns the inputs of a resource into Python anew for every rule (1.20, `policy.py`: the conversion stands
inside the loop over the policies), and 55 rules over a definition of 300 kB cost seconds. Ours only read: they can
share what was read.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from types import SimpleNamespace
from typing import Any

from pulumi_policy import policy as library

_READ: ContextVar[dict[Any, tuple[Any, Any]]] = ContextVar("what one call of the engine has read")


def _shared(convert: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(convert)
    def converted(given: Any, *more: Any) -> Any:
        read = _READ.get(None)
        if read is None:
            return convert(given, *more)
        key = (convert, id(given), *more)
        if key not in read:
            # Held with its result: nothing else can take its identity meanwhile.
            read[key] = (given, convert(given, *more))
        return read[key][1]

    return converted


def _one_call(judge: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(judge)
    def judged(*arguments: Any) -> Any:
        token = _READ.set({})
        try:
            return judge(*arguments)
        finally:
            _READ.reset(token)

    return judged


def read_once() -> None:
    """Make pulumi_policy's server convert each resource once for each call of the engine; before it starts."""
    # The library has no setting for it, and its stubs know none of these: a test holds that they are there.
    inside: Any = library
    inside.json_format = SimpleNamespace(MessageToDict=_shared(inside.json_format.MessageToDict))
    inside.deserialize_properties = _shared(inside.deserialize_properties)
    inside.unknown_checking_proxy = _shared(inside.unknown_checking_proxy)
    server = inside._PolicyAnalyzerServicer
    server.Analyze = _one_call(server.Analyze)
    server.AnalyzeStack = _one_call(server.AnalyzeStack)
