"""Service-linked roles: there, or made by the call that needs them, or to be made by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from components.catalog.linked_roles import (
    AUTO_SCALING,
    CLUSTER,
    DATABASE,
    EFS,
    LUSTRE,
    NODE_GROUPS,
    PATH,
    SPOT,
    LinkedRole,
)
from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Question
from scripts.preflighting.concern import Concern

ROLES: Question[frozenset[str]] = Question(
    about="which service-linked roles there are",
    rights="iam:ListRoles",
    ask=lambda aws: frozenset(each["RoleName"] for each in aws.pages("iam", "list_roles", "Roles", PathPrefix=PATH)),
)


class ServiceRoles(Concern):
    """Each service that the environment uses has its role."""

    name = "service_roles"

    def questions(self) -> Sequence[Question[Any]]:
        return [ROLES]

    def check(self, answers: Answers) -> Iterator[Finding]:
        there = answers[ROLES]
        for field, role in self._needed():
            if role.name in there:
                continue
            command = f"aws iam create-service-linked-role --aws-service-name {role.service}"
            if role.made_by_caller:
                yield self.note(
                    field,
                    role.name,
                    "The account has no such role yet; AWS makes it with the first use, for those who have "
                    "iam:CreateServiceLinkedRole.",
                    f"nothing to do with that right; else let someone run: {command}",
                )
            else:
                yield self.error(
                    field,
                    role.name,
                    "The account has no such role, and Karpenter has no right to make it: no spot node would start.",
                    command,
                )

    def _needed(self) -> Iterator[tuple[str, LinkedRole]]:
        yield "cluster", CLUSTER
        yield "systemNodes", NODE_GROUPS
        yield "systemNodes", AUTO_SCALING
        spot = [f"{path}.capacity" for path, pool in self.subject.pools() if pool.capacity.kind == "spot"]
        spot += [f"{path}.capacity" for path, pool in self.subject.general_pools() if pool.capacity != "onDemand"]
        if spot:
            yield spot[0], SPOT
        storage = self.environment.storage
        if storage.lustre or storage.lustre_classes:
            yield "storage.lustre", LUSTRE
        if storage.efs:
            yield "storage.efs", EFS
        if self.environment.platform.slurm_database is not None:
            yield "platform.slurm.accounting.database", DATABASE
