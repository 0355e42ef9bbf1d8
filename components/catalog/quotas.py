"""Service quotas that an environment can run into, by code. Facts only; what is needed is worked out by preflight.

Sources, read 2026-12-01: names and codes in two public listings of ListServiceQuotas and ListAWSDefaultServiceQuotas
(all services of one account; FSx, EC2 and VPC rows), which agree; which families share a vCPU quota: EC2 user guide,
"On-Demand Instance quotas" and "Spot Instance quotas"; that unused reservations count as on demand: EC2 user guide,
"Capacity Reservations, Quotas". That a Capacity Block's instances use no on-demand quota is taken from their having
quotas of their own (what is bought, by account), and is open: no page of AWS says it in so many words. No account was
asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

EC2, VPC, FSX = "ec2", "vpc", "fsx"
SERVICES = (EC2, VPC, FSX)
"""Services as Service Quotas names them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quota:
    """One quota of one region."""

    service: str
    code: str
    name: str
    unit: str = ""


def _ec2(code: str, name: str) -> Quota:
    return Quota(service=EC2, code=code, name=name, unit="vCPU")


_STANDARD = _ec2("L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances")
_STANDARD_SPOT = _ec2("L-34B43A08", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests")
_P = _ec2("L-417A185B", "Running On-Demand P instances")
_P5_SPOT = _ec2("L-C4BD4855", "All P5 Spot Instance Requests")
_P4_SPOT = _ec2("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests")
_G = _ec2("L-DB2E81BA", "Running On-Demand G and VT instances")
_G_SPOT = _ec2("L-3819A6DF", "All G and VT Spot Instance Requests")
_TRN = _ec2("L-2C3B7624", "Running On-Demand Trn instances")
_TRN_SPOT = _ec2("L-6B0D517C", "All Trn Spot Instance Requests")
_INF = _ec2("L-1945791B", "Running On-Demand Inf instances")
_INF_SPOT = _ec2("L-B5D1601B", "All Inf Spot Instance Requests")
_HPC = _ec2("L-F7808C92", "Running On-Demand HPC instances")

# The first prefix that fits counts, so longer ones come first.
_ON_DEMAND: tuple[tuple[str, Quota], ...] = (
    ("hpc", _HPC),
    ("trn", _TRN),
    ("inf", _INF),
    ("vt", _G),
    ("p", _P),
    ("g", _G),
)
_SPOT: tuple[tuple[str, Quota | None], ...] = (
    # The listings name no quota for these.
    ("hpc", None),
    ("p6", None),
    ("p5", _P5_SPOT),
    ("p", _P4_SPOT),
    ("trn", _TRN_SPOT),
    ("inf", _INF_SPOT),
    ("vt", _G_SPOT),
    ("g", _G_SPOT),
)
_STANDARD_LETTERS = "acdhimrtz"


def vcpu_quota(instance_type: str, *, spot: bool) -> Quota | None:
    """The quota that vCPUs of a type count towards; None where no source names one."""
    family = instance_type.partition(".")[0]
    for prefix, quota in _SPOT if spot else _ON_DEMAND:
        if family.startswith(prefix):
            return quota
    if family[:1] in _STANDARD_LETTERS:
        return _STANDARD_SPOT if spot else _STANDARD
    return None


ADDRESSES = Quota(service=EC2, code="L-0263D0A3", name="EC2-VPC Elastic IPs", unit="addresses")
VPCS = Quota(service=VPC, code="L-F678F1CE", name="VPCs per Region", unit="VPCs")
NAT_GATEWAYS = Quota(
    service=VPC, code="L-FE5A380F", name="NAT gateways per Availability Zone", unit="gateways in one zone"
)


def _lustre(code: str, name: str, unit: str) -> Quota:
    return Quota(service=FSX, code=code, name=name, unit=unit)


LUSTRE_COUNT: Mapping[str, Quota] = MappingProxyType(
    {
        "SCRATCH_1": _lustre("L-C48231E5", "Lustre Scratch file systems", "file systems"),
        "SCRATCH_2": _lustre("L-C48231E5", "Lustre Scratch file systems", "file systems"),
        "PERSISTENT_1": _lustre("L-9AFA1F09", "Lustre Persistent_1 file systems", "file systems"),
        "PERSISTENT_2": _lustre("L-FD6F2F22", "Lustre Persistent_2 file systems", "file systems"),
    }
)
LUSTRE_CAPACITY: Mapping[str, Quota] = MappingProxyType(
    {
        "SCRATCH_1": _lustre("L-AD2FC696", "Lustre Scratch storage capacity", "GiB"),
        "SCRATCH_2": _lustre("L-AD2FC696", "Lustre Scratch storage capacity", "GiB"),
        "PERSISTENT_1": _lustre("L-C8640C82", "Lustre Persistent_1 storage capacity", "GiB"),
        "PERSISTENT_2": _lustre("L-8F1B9C74", "Lustre Persistent_2 storage capacity", "GiB"),
    }
)
"""Both by deployment type; the two scratch types share a quota."""

COUNTING_STATES = ("assessing", "scheduled", "pending", "active", "delayed")
"""States of a reservation in which what is unused of it counts as on demand."""
