"""Address blocks as rules see them."""

from ipaddress import ip_network

WIDEST_PREFIX = 8


def is_wide_open(block: object) -> bool:
    """Whether a block lets a large part of the internet in: shorter than /8, of either family.

    What is no block is none of this helper's concern; the provider refuses it.
    """
    try:
        return ip_network(str(block), strict=False).prefixlen < WIDEST_PREFIX
    except ValueError:
        return False
