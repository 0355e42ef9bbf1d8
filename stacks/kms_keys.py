"""The rule of every field that names a KMS key: `none`, `create` or the ARN of a key of the stack's region."""

import re
from collections.abc import Iterator

from stacks.problems import Problem

_KEY = re.compile(r"arn:aws[a-z-]*:kms:(?P<region>[a-z0-9-]+):\d{12}:key/[\w-]+")


def check_kms_key(path: str, value: str, region: str | None, *, what: str) -> Iterator[Problem]:
    """The key is one of the two words, or a key of the stack's region: no alias, and no key from elsewhere.

    Args:
        path: of the field.
        value: what the file says there.
        region: of the stack, None where it is not known.
        what: what the key encrypts, such as `the cluster`.
    """
    if value in ("create", "none"):
        return
    match = _KEY.fullmatch(value)
    accepted = "create, none or arn:aws:kms:<region>:<12 digits>:key/<id>"
    if match is None:
        yield Problem(
            path=path,
            value=value,
            reason="This is neither of the words nor the ARN of a KMS key (an alias is not taken).",
            accepted=accepted,
            ways_out=("copy the key's ARN from: aws kms describe-key --key-id alias/NAME", "set kmsKey: create"),
        )
    elif region and match["region"] != region:
        yield Problem(
            path=path,
            value=value,
            reason=f"The key lies in {match['region']}, {what} in {region}; KMS works within one region.",
            accepted=accepted,
            ways_out=(f"name a key in {region}", "set kmsKey: create"),
        )
