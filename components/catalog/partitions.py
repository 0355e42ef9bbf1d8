"""AWS partitions: the `aws` in an ARN, by region. Source: AWS General Reference, "ARN format" (read 2026-11-29)."""

_BY_REGION_PREFIX = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}


def partition_of(region: str) -> str:
    """The ARN partition of a region: `aws` for the commercial regions."""
    return next((name for prefix, name in _BY_REGION_PREFIX.items() if region.startswith(prefix)), "aws")
