"""Parts of `storage.efs`: access points, the StorageClass, and a file system that exists."""

from typing import Annotated, Literal

from pydantic import Field

from stacks.model import Int, Section, says
from stacks.names import DNS_LABEL
from stacks.namespaces import NamespaceName

MAX_NAME = 25
NAME = f"lower-case letters, digits and inner dashes, at most {MAX_NAME} characters"
MAX_ID = 4294967295
"""POSIX ids. Source: EFS API reference, PosixUser and CreationInfo (read 2026-11-29)."""
PERMISSIONS = r"^[0-7]{3,4}$"
"""Source: EFS API reference, CreationInfo (read 2026-11-29)."""

STOP_PODS = "pods that mount it must be stopped first"
A_POINT = ("aws:efs/accessPoint:AccessPoint", "StaticVolume")
A_CLASS = ("kubernetes:storage.k8s.io/v1:StorageClass",)
_POINT_CHANGE = f"the access point and its claims, not the files; {STOP_PODS}"
_CLASS_CHANGE = "the class; directories that it made stay as they are"


class AccessPoint(Section):
    """A directory of the file system under one POSIX identity: whoever mounts it acts as this user, whatever it says.

    A claim efs-<file system>-<name> mounts it. EFS has no quotas: a claim's size limits nothing.
    """

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_NAME),
        says(
            "What it is for; the claim is called efs-<file system>-<name>.",
            "REPLACES",
            change=_POINT_CHANGE,
            replaces=A_POINT,
            accepts=NAME,
            example="shared",
        ),
    ]
    path: Annotated[
        str,
        says(
            "Directory that it shows as its root. It is made at the first mount.",
            "REPLACES",
            change=f"{_POINT_CHANGE}: the files stay at the old path",
            replaces=A_POINT,
            accepts="an absolute path of one to four directories, at most 100 characters",
            example="/shared",
        ),
    ]
    uid: Annotated[
        Int,
        Field(ge=1, le=MAX_ID),
        says(
            "User id under which every access happens, and owner of a directory that is made. Use the runAsUser of "
            "the pods. Not 0: root has no rights here.",
            "REPLACES",
            change=f"{_POINT_CHANGE}: what is there keeps its owner",
            replaces=A_POINT,
            accepts=f"a whole number from 1 to {MAX_ID}",
            example=1000,
        ),
    ]
    gid: Annotated[
        Int,
        Field(ge=0, le=MAX_ID),
        says(
            "Group id, likewise.",
            "REPLACES",
            change=f"{_POINT_CHANGE}: what is there keeps its group",
            replaces=A_POINT,
            accepts=f"a whole number from 0 to {MAX_ID}",
            example=1000,
        ),
    ]
    permissions: Annotated[
        str,
        Field(pattern=PERMISSIONS),
        says(
            "Mode of the directory when it is made, octal, in quotes.",
            "REPLACES",
            change=f"{_POINT_CHANGE}: a directory that is there keeps its mode",
            replaces=A_POINT,
            accepts='three or four octal digits in quotes, such as "0750"',
            example="0750",
        ),
    ]
    namespaces: Annotated[
        tuple[NamespaceName, ...],
        says(
            "Where its claim is made.",
            "live",
            change="one that goes loses its claim, once no pod uses it",
            accepts="names of the section namespaces",
            example=["team-a"],
        ),
    ] = ()

    def claim(self, file_system: str) -> str:
        """Name of its claims."""
        return f"efs-{file_system}-{self.name}"


class GidRange(Section):
    """Ids for the directories of claims: each gets the next free one, as its user and its group."""

    start: Annotated[
        Int,
        Field(ge=1, le=MAX_ID),
        says(
            "First id.",
            "REPLACES",
            change=_CLASS_CHANGE,
            replaces=A_CLASS,
            accepts=f"a whole number from 1 to {MAX_ID}",
            example=50000,
        ),
    ]
    end: Annotated[
        Int,
        Field(ge=1, le=MAX_ID),
        says(
            "Last id; there can be no more claims than ids.",
            "REPLACES",
            change=_CLASS_CHANGE,
            replaces=A_CLASS,
            accepts=f"a whole number from 1 to {MAX_ID}, not below start",
            example=60000,
        ),
    ]


class EfsClass(Section):
    """A StorageClass efs-<name>: a directory with an access point of its own for each claim, at most 10000.

    The size that a claim asks for is no quota: any claim can fill, and be billed for, any amount.
    """

    uid: Annotated[
        Int | None,
        Field(ge=1, le=MAX_ID),
        says(
            "User id of all claims. With it gid, and no gidRange.",
            "REPLACES",
            change=_CLASS_CHANGE,
            replaces=A_CLASS,
            accepts=f"null or a whole number from 1 to {MAX_ID}",
            example=1000,
        ),
    ] = None
    gid: Annotated[
        Int | None,
        Field(ge=0, le=MAX_ID),
        says(
            "Group id of all claims. With it uid, and no gidRange.",
            "REPLACES",
            change=_CLASS_CHANGE,
            replaces=A_CLASS,
            accepts=f"null or a whole number from 0 to {MAX_ID}",
            example=1000,
        ),
    ] = None
    gid_range: Annotated[
        GidRange | None,
        says("Ids of which each claim gets its own, instead of uid and gid.", "per field"),
    ] = None
    base_path: Annotated[
        str,
        says(
            "Directory under which claims get theirs.",
            "REPLACES",
            change=_CLASS_CHANGE,
            replaces=A_CLASS,
            accepts="an absolute path of one to three directories, at most 50 characters",
        ),
    ] = "/claims"
    permissions: Annotated[
        str,
        Field(pattern=PERMISSIONS),
        says(
            "Mode of each claim's directory, octal, in quotes.",
            "REPLACES",
            change=_CLASS_CHANGE,
            replaces=A_CLASS,
            accepts='three or four octal digits in quotes, such as "0700"',
            example="0700",
        ),
    ]
    reclaim: Annotated[
        Literal["Delete", "Retain"],
        says(
            "What becomes of the access point of a claim that is deleted. Its files stay, and are paid for, either "
            "way: the driver deletes no directory.",
            "REPLACES",
            change=_CLASS_CHANGE,
            replaces=A_CLASS,
        ),
    ] = "Delete"


class ExistingEfs(Section):
    """A file system of another team, in this account and with mount targets in this VPC that are theirs."""

    id: Annotated[
        str,
        Field(pattern=r"^fs-[0-9a-f]{8,17}$"),
        says(
            "Its id. Its owner opens TCP 2049 to the cluster's security group; access points are ours.",
            "REPLACES",
            change="what is mounted; access points and claims are made anew there",
            replaces=(*A_POINT, *A_CLASS),
            accepts="fs- and 8 to 17 hexadecimal digits",
            example="fs-0123456789abcdef0",
        ),
    ]
