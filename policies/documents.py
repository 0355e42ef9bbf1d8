"""IAM policy documents, which resources carry as JSON text."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_policy.proxy import UnknownValueError


def document_of(props: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """The document under a key; None where a preview does not know it yet, or where it is no JSON object.

    A document that names another resource is unknown until that exists, so the update judges it.
    """
    try:
        text = props.get(key)
        found = json.loads(text) if isinstance(text, str) else None
    except (UnknownValueError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def statements(document: Mapping[str, Any], effect: str) -> Iterator[Mapping[str, Any]]:
    """Its statements of an effect; AWS takes one statement without a list around it."""
    found = document.get("Statement", [])
    yield from (s for s in ([found] if isinstance(found, dict) else found) if s.get("Effect") == effect)


def words(value: object) -> Sequence[str]:
    """A word or a list of words, as a list."""
    return [value] if isinstance(value, str) else [str(item) for item in value] if isinstance(value, list) else []


def reaches_all_buckets(resource: str) -> bool:
    """Whether a resource of an S3 statement names no bucket: `*`, or the ARN of all of them."""
    return resource == "*" or re.fullmatch(r"arn:[^:]*:s3:::\*(/.*)?", resource) is not None
