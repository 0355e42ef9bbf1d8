"""What labels say about accelerators, and what the instance types have."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.labels import ACCELERATOR_LABEL
from policies.manifests import table, words

ACCELERATORS = frozenset(facts.accelerator for facts in INSTANCE_TYPES.values() if facts.accelerator)


def named_in(value: str) -> set[str]:
    """Accelerators that a label's value names: `NVIDIA-H100-80GB-HBM3` names h100."""
    plain = f"-{re.sub('[^a-z0-9]+', '-', value.lower())}-"
    return {name for name in ACCELERATORS if f"-{name}-" in plain}


def contradictions(labels: Any, types: Sequence[Any]) -> Iterator[tuple[str, str, str, str]]:
    """(key, value, instance type, what it has) for each label that names an accelerator which a type does not have.

    Under the platform's own key the value has to be the accelerator's name; elsewhere a label that names none is free.
    """
    for key, value in table(labels).items():
        text = words(value)
        named = named_in(text)
        for instance_type in types:
            facts = INSTANCE_TYPES.get(words(instance_type))
            if facts is None or facts.accelerator is None or not text:
                continue
            wrong = text != facts.accelerator if key == ACCELERATOR_LABEL else facts.accelerator not in named
            if wrong and (named or key == ACCELERATOR_LABEL):
                yield key, text, facts.name, facts.accelerator


def said_of(labels: Any, key: str) -> Sequence[str]:
    """The one instance type that labels name under a key."""
    found: Mapping[str, Any] = table(labels)
    return [words(found.get(key))] if words(found.get(key)) else []
