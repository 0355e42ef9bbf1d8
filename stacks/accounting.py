"""Rules of the accounting database of ours; its fields are in `slurm_accounting.DatabaseSpec`."""

from collections.abc import Iterator, Sequence

from stacks.problems import Problem
from stacks.slurm_accounting import DatabaseSpec

TOO_SMALL = ("micro", "small")
"""1 and 2 GiB: MariaDB's buffer pool is three quarters of the memory, and Slurm asks for 4 GiB of it."""


def check_database(path: str, database: DatabaseSpec, *, zones: Sequence[str]) -> Iterator[Problem]:
    """What RDS or slurmdbd would refuse once everything else stands.

    Args:
        path: where the section stands, `platform.slurm.accounting.database`.
        database: the section.
        zones: the network's zones.
    """
    size = database.instance_class.rsplit(".", 1)[-1]
    if size in TOO_SMALL:
        yield Problem(
            path=f"{path}.instanceClass",
            value=database.instance_class,
            reason="Its buffer pool would be 1.5 GiB at most; Slurm asks for 4 GiB, and slurmdbd times out on a year "
            "of jobs.",
            accepted="a class of medium or larger; large and larger hold the 4 GiB",
            ways_out=("write db.m7g.large", "write db.t4g.medium for a cluster that is tried out"),
        )
    if len(zones) < 2:
        yield Problem(
            path=path,
            value=database.instance_class,
            reason="RDS takes only groups of subnets in two zones or more, even for one instance.",
            accepted="network.zones of two zones or more",
            ways_out=("add a zone to network.zones", "name a database of yours: accounting: {existing: {…}}"),
        )
