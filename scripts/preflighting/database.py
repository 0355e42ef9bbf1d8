"""What Slurm's accounting needs outside the cluster: a database class that RDS has in the zones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject

FIELD = "platform.slurm.accounting.database.instanceClass"
ENGINE, VERSION = "mariadb", "11.4"
"""As components/slurm's database is made."""


class Database(Concern):
    """RDS offers the class, with this engine, in two of the network's zones."""

    name = "database"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._database = self.environment.platform.slurm_database
        self._offered = Question(
            about="which zones offer the database's class",
            rights="rds:DescribeOrderableDBInstanceOptions",
            ask=self._ask,
        )

    def questions(self) -> Sequence[Question[Any]]:
        return [self._offered] if self._database is not None else []

    def _ask(self, aws: Aws) -> set[str]:
        wanted = self._database.instance_class if self._database is not None else ""
        found = aws.pages(
            "rds",
            "describe_orderable_db_instance_options",
            "OrderableDBInstanceOptions",
            Engine=ENGINE,
            DBInstanceClass=wanted,
            Vpc=True,
        )
        matching = [each for each in found if str(each.get("EngineVersion", VERSION)).startswith(VERSION)]
        return {zone["Name"] for each in matching for zone in each.get("AvailabilityZones", ())}

    def check(self, answers: Answers) -> Iterator[Finding]:
        if self._database is None:
            return
        there, zones = answers[self._offered], self.environment.network.zones
        inside = [zone for zone in zones if zone in there]
        if not inside or (self._database.multi_az and len(inside) < 2):
            yield self.error(
                FIELD,
                self._database.instance_class,
                f"RDS offers it with {ENGINE} {VERSION} in {', '.join(sorted(there)) or 'no zone of the region'}; the "
                f"network has {', '.join(zones)}{', and multiAz takes two' if self._database.multi_az else ''}.",
                "use another class, such as db.m7g.large or db.m6i.large",
                "slurm-database-prepared",
            )
