"""Where EKS keeps the images of its own charts and add-ons: one registry a region, often of another account.

Source: awsdocs/amazon-eks-user-guide latest/ug/workloads/add-ons-images.adoc @1cc6ebb4 (read 2026-11-29).
"""

from collections.abc import Mapping
from types import MappingProxyType

from components.catalog.partitions import partition_of

_MOST = "602401143452"

# ap-east-2 is left out: the page names a registry of ap-east-1 for it, which may be a slip.
_OTHERS: Mapping[str, str] = MappingProxyType(
    {
        "af-south-1": "877085696533",
        "ap-east-1": "800184023465",
        "ap-south-2": "900889452093",
        "ap-southeast-3": "296578399912",
        "ap-southeast-4": "491585149902",
        "ap-southeast-6": "333609536671",
        "ap-southeast-7": "121268973566",
        "ca-west-1": "761377655185",
        "cn-north-1": "918309763551",
        "cn-northwest-1": "961992271922",
        "eu-central-2": "900612956339",
        "eu-south-1": "590381155156",
        "eu-south-2": "455263428931",
        "il-central-1": "066635153087",
        "me-central-1": "759879836304",
        "me-south-1": "558608220178",
        "mx-central-1": "730335286997",
        "us-gov-east-1": "151742754352",
        "us-gov-west-1": "013241004608",
    }
)

_MAIN_REGIONS = frozenset(
    {
        *(f"ap-northeast-{number}" for number in (1, 2, 3)),
        *("ap-south-1", "ap-southeast-1", "ap-southeast-2", "ca-central-1"),
        *("eu-central-1", "eu-north-1", "eu-west-1", "eu-west-2", "eu-west-3", "sa-east-1"),
        *("us-east-1", "us-east-2", "us-west-1", "us-west-2"),
    }
)

_SUFFIX = {"aws-cn": "amazonaws.com.cn"}


def eks_registry(region: str) -> str | None:
    """Host of the region's registry of EKS images; None for a region that the page does not list.

    Nodes pull from their own region: across regions the pull leaves the VPC, which private endpoints do not allow, and
    between partitions there is no access at all.
    """
    account = _OTHERS.get(region) or (_MOST if region in _MAIN_REGIONS else None)
    if account is None:
        return None
    return f"{account}.dkr.ecr.{region}.{_SUFFIX.get(partition_of(region), 'amazonaws.com')}"
