"""Which inputs of a pulumi-eks component the sandbox models; the others are refused by name, all at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pulumi

Refusals = list[tuple[str, str]]  # property path and reason

# Values that leave a feature off in pulumi-eks: naming a feature in order to switch it off is no use of it.
_OFF: tuple[Any, ...] = (None, False, "", [], {})


def refuse_unmodelled(inputs: Mapping[str, Any], modelled: Collection[str]) -> Refusals:
    """The inputs in use that are not `modelled`, each with what to do instead."""
    reason = (
        "the sandbox does not model this input. Leave it unset in the sandbox (its own stack file may differ), or add "
        "it to scripts/sandboxing/eks."
    )
    return [
        (name, reason)
        for name, value in sorted(inputs.items())
        if name not in modelled and not any(value is off or (type(value) is type(off) and value == off) for off in _OFF)
    ]


def stop_if(kind: str, refusals: Refusals, modelled: Collection[str]) -> None:
    """Raises one error that lists all `refusals` and then what is modelled; nothing is created then."""
    if refusals:
        raise pulumi.InputPropertiesError(
            f"The sandbox cannot make this {kind}. Inputs it models: {', '.join(sorted(modelled))}.",
            [{"property_path": path, "reason": reason} for path, reason in refusals],
        )


def plain_options(
    name: str, inputs: Mapping[str, Any], allowed: Collection[str], refusals: Refusals
) -> Mapping[str, Any]:
    """The option object `name`, empty if unset; keys outside `allowed` are added to `refusals`."""
    options = inputs.get(name) or {}
    if not isinstance(options, Mapping):
        refusals.append(
            (name, "pulumi-eks takes this as a plain object, not as an output: write its values into the program.")
        )
        return {}
    for key in sorted(set(options) - set(allowed)):
        known = ", ".join(sorted(allowed))
        reason = f"pulumi-eks has no such option, or the sandbox does not model it. Modelled here: {known}."
        refusals.append((f"{name}.{key}", reason))
    return options
