"""Section `platform.slurm.accounting`: whose database keeps the records of jobs. It never holds the cluster's state."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL
from stacks.problems import MISSING, Problem

MIN_STORAGE, MAX_STORAGE = 20, 16384


class ExistingDatabase(Section):
    """A MySQL or MariaDB database that someone else prepared: the database itself, the user and its grants."""

    host: Annotated[
        str,
        Field(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"),
        says(
            "Where it listens.",
            "live",
            change="slurmdbd restarts; records do not move along",
            accepts="a host name",
            example="slurm.cluster-abc.us-west-2.rds.amazonaws.com",
        ),
    ]
    port: Annotated[
        Int,
        Field(ge=1, le=65535),
        says("Its port.", "live", change="slurmdbd restarts", accepts="a whole number from 1 to 65535"),
    ] = 3306
    database: Annotated[
        str,
        Field(pattern=r"^[A-Za-z0-9_]+$", max_length=64),
        says("Name of the database.", "live", change="slurmdbd restarts", accepts="letters, digits and underscores"),
    ] = "slurm_acct_db"
    username: Annotated[
        str,
        Field(min_length=1, max_length=32),
        says("User with all rights on the database.", "live", change="slurmdbd restarts", accepts="a user name"),
    ] = "slurm"
    password_secret: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "Secret in namespace slurm whose key `password` holds the user's password.",
            "live",
            change="slurmdbd restarts",
            accepts="name of a Secret",
            example="slurm-accounting",
        ),
    ]


class DatabaseSpec(Section):
    """A MariaDB of ours on RDS, in the private subnets."""

    instance_class: Annotated[
        str,
        Field(pattern=r"^db\.[a-z0-9]+\.[a-z0-9]+$"),
        says(
            "Size of the instance; the buffer pool wants 4 GiB.",
            "live",
            change="the database is away for minutes",
            accepts="a class of RDS",
            example="db.m7g.large",
        ),
    ] = "db.m7g.large"
    storage_gib: Annotated[
        Int,
        Field(ge=MIN_STORAGE, le=MAX_STORAGE, alias="storageGiB"),
        says(
            "Size of the disk; it can grow, never shrink.",
            "live",
            unit="GiB",
            accepts=f"a whole number from {MIN_STORAGE} to {MAX_STORAGE}",
        ),
    ] = 100
    multi_az: Annotated[Bool, says("A standby in another zone.", "live")] = True
    backup_retention_days: Annotated[
        Int,
        Field(ge=1, le=35),
        says("How long RDS keeps its daily backups.", "live", unit="days", accepts="a whole number from 1 to 35"),
    ] = 14


class AccountingSpec(Section):
    """slurmdbd and its database: one of ours or one that exists."""

    existing: Annotated[
        ExistingDatabase | None,
        says("A database that someone else prepared.", "per field", accepts="{host, passwordSecret, …} or null"),
    ] = None
    database: Annotated[
        DatabaseSpec | None,
        says("A database of ours.", "per field", accepts="{…} or null", example={}),
    ] = None


def check_accounting(path: str, accounting: AccountingSpec) -> Iterator[Problem]:
    """Exactly one database: slurmdbd without one is never healthy, and slurmctld waits for it."""
    if (accounting.existing is None) == (accounting.database is None):
        both = accounting.existing is not None
        yield Problem(
            path=path,
            value={"existing": "…", "database": "…"} if both else MISSING,
            reason="slurmdbd writes to one database; "
            + ("two are named." if both else "without one it never starts, and the controller waits for it."),
            accepted="{existing: {host, passwordSecret}} or {database: {}}",
            ways_out=("write accounting: {database: {}} to have one made", "set accounting: null to keep no records"),
        )
