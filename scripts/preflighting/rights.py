"""Whether whoever runs this may do what `up` does, by IAM's own simulation of the policies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.rights import BATCH, CORE, LINKED_ROLES, PARTS
from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.subject import Subject

_ASSUMED = re.compile(r"^arn:(?P<partition>[\w-]+):sts::(?P<account>\d+):assumed-role/(?P<role>[^/]+)/")
Decisions = Mapping[str, str]
"""Action -> what IAM decides."""


class Rights(Concern):
    """Every action that the environment's parts need is allowed.

    The simulation asks about every resource (`*`): a policy that allows an action on some resources only counts as not
    allowed, and so do conditions on tags. Hence a plain "not allowed" is a warning, and an explicit denial an error.
    """

    name = "rights"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.actions = dict(self._actions())
        names = list(self.actions)
        self._asked = [self._question(names[start : start + BATCH]) for start in range(0, len(names), BATCH)]

    def _actions(self) -> Iterator[tuple[str, str]]:
        """Every action once, with the field that needs it."""
        environment = self.environment
        network, storage = environment.network, environment.storage
        ours = any(bucket.existing is None for bucket in storage.buckets)
        database = environment.platform.slurm_database is not None
        keys = "create" in (environment.cluster.encryption.kms_key, storage.encryption.kms_key)
        parts = {
            "network.cidr": network.existing is None,
            "network.natGateways": network.existing is None and network.nat_gateways != "none",
            "network.flowLogs": network.existing is None and network.flow_logs is not None,
            "nodePools.placementGroup": any(pool.creates_placement_group for pool in environment.node_pools),
            "storage.encryption.kmsKey": keys,
            "storage.lustre": any(system.existing is None for system in storage.lustre),
            "storage.lustre.dataRepositories": any(system.data_repositories for system in storage.lustre),
            "storage.efs": any(system.existing is None for system in storage.efs),
            "storage.buckets": ours,
            "platform.slurm.accounting.database": database,
        }
        seen: set[str] = set()
        needed = [("cluster", CORE), *((field, PARTS[field]) for field, wanted in parts.items() if wanted)]
        for field, actions in needed:
            for action in actions:
                if action not in seen:
                    seen.add(action)
                    yield action, field

    def questions(self) -> Sequence[Question[Any]]:
        return self._asked

    @staticmethod
    def _question(actions: Sequence[str]) -> Question[Decisions]:
        def ask(aws: Aws) -> Decisions:
            principal = _principal(aws)
            if principal is None:
                return dict.fromkeys(actions, "root")
            found = aws.pages(
                "iam",
                "simulate_principal_policy",
                "EvaluationResults",
                PolicySourceArn=principal,
                ActionNames=list(actions),
            )
            return {each["EvalActionName"]: _decision(each) for each in found}

        return Question(
            about="whether these credentials may do what up does",
            rights="iam:SimulatePrincipalPolicy, iam:GetRole",
            ask=ask,
        )

    def check(self, answers: Answers) -> Iterator[Finding]:
        decided = {action: said for question in self._asked for action, said in answers[question].items()}
        if "root" in decided.values():
            yield self.warning(
                "cluster.access",
                "the root user",
                "IAM simulates nothing for root, and EKS would make root the cluster's administrator.",
                "use a role",
            )
            return
        refused: dict[tuple[str, str], list[str]] = {}
        for action, field in self.actions.items():
            if (said := decided.get(action, "implicitDeny")) != "allowed":
                refused.setdefault((said, field), []).append(action)
        for (said, field), actions in refused.items():
            yield self._refused(said, field, actions)

    def _refused(self, said: str, field: str, actions: list[str]) -> Finding:
        listed = ", ".join(actions)
        if said == "organization":
            return self.error(
                field, listed, "A policy of the organization forbids this.", "ask those who keep the account's SCPs"
            )
        if said == "explicitDeny":
            return self.error(
                field, listed, "A policy or permissions boundary forbids this.", "take the denial out, or the part"
            )
        hint = "; AWS makes roles with it" if LINKED_ROLES in actions else ""
        return self.warning(
            field,
            listed,
            f"No policy allows this on every resource{hint}. One that names resources or tags may still do.",
            "add the actions to the role that runs Pulumi",
        )


def _principal(aws: Aws) -> str | None:
    """Whose policies to simulate: a role by its own ARN, which has a path; None for root."""
    arn = str(aws.sts.get_caller_identity()["Arn"])
    if arn.endswith(":root"):
        return None
    session = _ASSUMED.match(arn)
    return str(aws.iam.get_role(RoleName=session["role"])["Role"]["Arn"]) if session else arn


def _decision(result: Mapping[str, Any]) -> str:
    said = str(result["EvalDecision"])
    if said != "allowed" and result.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations") is False:
        return "organization"
    # A denial under a condition that the simulation was told nothing about decides nothing.
    return "implicitDeny" if said == "explicitDeny" and result.get("MissingContextValues") else said
