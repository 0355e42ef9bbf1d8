"""AWS partitions: the `aws` in an ARN, by region. Source: AWS General Reference, "ARN format" (read 2026-11-29)."""

_BY_REGION_PREFIX = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
_DNS_SUFFIXES = {"aws-cn": "amazonaws.com.cn"}


def partition_of(region: str) -> str:
    """The ARN partition of a region: `aws` for the commercial regions."""
    return next((name for prefix, name in _BY_REGION_PREFIX.items() if region.startswith(prefix)), "aws")


def dns_suffix(region: str) -> str:
    """How names of services and of their resources end in a region."""
    return _DNS_SUFFIXES.get(partition_of(region), "amazonaws.com")
