"""What a Helm release's name and version say about whether someone chose them.

The Kubernetes provider completes a release before the rules see it, once its cluster exists: a missing name gets the
logical one and eight digits, a missing timeout the default, a version range the version that was found. The first
preview of a stack, whose provider is not configured yet, shows a release as it was written.
"""

import re

_EXACT = re.compile(r"v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?")


def is_exact(version: object) -> bool:
    """Whether a version names one chart: `1.15.2`, not `1.15`, `^1.15.2` or `latest`."""
    return isinstance(version, str) and _EXACT.fullmatch(version) is not None


def is_made_up(name: object, logical_name: str) -> bool:
    """Whether a release's name is missing, or was completed by Pulumi from the resource's logical name."""
    pattern = re.escape(logical_name) + r"-[0-9a-f]{7,8}"
    return not isinstance(name, str) or not name or re.fullmatch(pattern, name) is not None
