"""What a rule says when its decision hangs on a value that the preview does not know."""

from typing import NoReturn

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError


def undecided(path: str) -> NoReturn:
    """End the rule: the engine shows "can't run policy ... during preview" with the path. Report first what is known.

    Raises:
        UnknownValueError: always.
    """
    raise UnknownValueError(UNKNOWN_STRING_VALUE, path.split("."))
