"""How AWS' price list names what our tables of prices name: for each price, a question to the Pricing API.

Usage types begin with a region's short name except in us-east-1, so they are compared by their end. Sources, read
2026-11-30: infracost/infracost at 95ba4f49, internal/resources/aws (EC2, EBS, EKS, NAT gateway, VPC endpoint, RDS, KMS,
EFS, S3); extended support as a surcharge on the price of the control plane: price list of 2026-09-18, as public scripts
quote it; EPAM's cloud-pipeline, LustreFSPriceLoader.java (attributes of FSx for Lustre). None was tried against AWS.
An answer that fits more than one price, or none, is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from components.catalog.s3_classes import STANDARD
from components.catalog.service_prices import (
    ADDRESS_HOUR,
    EBS,
    EFS,
    EKS,
    ENDPOINT_HOUR,
    EXTENDED_SUPPORT,
    KMS,
    LUSTRE,
    NAT_HOUR,
    RDS,
    S3,
    STANDARD_SUPPORT,
    VPC,
)

API_REGION = "us-east-1"
"""Where the Pricing API is asked, whatever the region of the prices."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceQuestion:
    """What is asked, and by what the one right product is known among the answers."""

    service_code: str
    filters: Mapping[str, str]
    """Attributes that AWS compares, word for word."""
    usage: str
    """Regular expression of the usage type without the region's short name; empty: any."""
    attributes: Mapping[str, str]
    """Regular expressions of attributes that are compared here."""
    unit: str
    """Regular expression of the unit, in any case of letters."""
    surcharge_on: str | None = None
    """The item of the same service that is paid for besides, so that the price is the sum of both."""


def _ask(
    service_code: str,
    usage: str,
    unit: str,
    filters: Mapping[str, str] | None = None,
    *,
    attributes: Mapping[str, str] | None = None,
    surcharge_on: str | None = None,
) -> PriceQuestion:
    return PriceQuestion(
        service_code=service_code,
        filters=filters or {},
        usage=usage,
        attributes=attributes or {},
        unit=unit,
        surcharge_on=surcharge_on,
    )


def instance_question(instance_type: str) -> PriceQuestion:
    """Linux, on demand, shared tenancy, nothing preinstalled."""
    return _ask(
        "AmazonEC2",
        f"BoxUsage:{re.escape(instance_type)}",
        "Hrs",
        {"instanceType": instance_type, "operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA"},
        attributes={"capacitystatus": "Used"},
    )


_S3_USAGE = {
    STANDARD: "TimedStorage-ByteHrs",
    "STANDARD_IA": "TimedStorage-SIA-ByteHrs",
    "ONEZONE_IA": "TimedStorage-ZIA-ByteHrs",
    "INTELLIGENT_TIERING": "TimedStorage-INT-FA-ByteHrs",
    "DEEP_ARCHIVE": "TimedStorage-GDA-ByteHrs",
}

_PLAIN: Mapping[tuple[str, str], PriceQuestion] = {
    (EKS, STANDARD_SUPPORT): _ask("AmazonEKS", "AmazonEKS-Hours:perCluster", "Hours|Hrs"),
    (EKS, EXTENDED_SUPPORT): _ask(
        "AmazonEKS", "AmazonEKS-Hours:extendedSupport", "Hours|Hrs", surcharge_on=STANDARD_SUPPORT
    ),
    (VPC, NAT_HOUR): _ask("AmazonEC2", "NatGateway-Hours", "Hrs", {"productFamily": "NAT Gateway"}),
    (VPC, ENDPOINT_HOUR): _ask("AmazonVPC", "VpcEndpoint-Hours", "Hrs", {"productFamily": "VpcEndpoint"}),
    (VPC, ADDRESS_HOUR): _ask("AmazonVPC", "PublicIPv4:InUseAddress", "Hrs"),
    (EBS, "gp3"): _ask("AmazonEC2", r"EBS:VolumeUsage\.gp3", "GB-Mo", {"volumeApiName": "gp3"}),
    (EFS, STANDARD): _ask("AmazonEFS", "TimedStorage-ByteHrs", "GB-Mo"),
    (KMS, "customer key"): _ask("awskms", "KMS-Keys", "Keys"),
    (RDS, "storage gp3"): _ask(
        "AmazonRDS", "RDS:GP3-Storage", "GB-Mo", {"volumeType": "General Purpose-GP3", "deploymentOption": "Single-AZ"}
    ),
    **{(S3, item): _ask("AmazonS3", re.escape(usage), "GB-Mo") for item, usage in _S3_USAGE.items()},
}


def service_question(service: str, item: str) -> PriceQuestion | None:
    """The question for a price of `service_prices`; None where no source says how the price list names it."""
    if (service, item) in _PLAIN:
        return _PLAIN[service, item]
    if service == RDS and item.endswith(" MariaDB"):
        name = item.removesuffix(" MariaDB")
        filters = {"instanceType": name, "databaseEngine": "MariaDB", "deploymentOption": "Single-AZ"}
        return _ask("AmazonRDS", f"InstanceUsage:{re.escape(name)}", "Hrs", filters)
    if service == LUSTRE:
        return _lustre(item)
    return None


def _lustre(item: str) -> PriceQuestion | None:
    kind, storage, *throughput = item.split(" ")
    # The sources name the attributes of persistent SSD file systems alone.
    if storage != "SSD" or not kind.startswith("PERSISTENT_") or not throughput:
        return None
    filters = {"productFamily": "Storage", "fileSystemType": "Lustre", "storageType": "SSD"}
    return _ask("AmazonFSx", "", "GB-Mo", {**filters, "throughputCapacity": throughput[0]})
