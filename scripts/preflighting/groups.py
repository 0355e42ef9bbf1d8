"""Placement groups of other teams: each is there, of strategy cluster, and can be used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.placeholders import is_placeholder

GROUPS: Question[list[dict[str, Any]]] = Question(
    about="which placement groups there are",
    rights="ec2:DescribePlacementGroups",
    ask=lambda aws: list(aws.ec2.describe_placement_groups()["PlacementGroups"]),
)


class Groups(Concern):
    """What each pool names, against what AWS has. Whether a reservation lies in it is said with the reservation."""

    name = "groups"
    constraints = ("pg-cluster-strategy-for-performance",)

    def questions(self) -> Sequence[Question[Any]]:
        return [GROUPS]

    def check(self, answers: Answers) -> Iterator[Finding]:
        there = {each["GroupId"]: each for each in answers[GROUPS]}
        for path, pool in self.subject.pools():
            wanted = pool.existing_placement_group
            if wanted is None or is_placeholder(wanted):
                continue
            field, group = f"{path}.placementGroup.id", there.get(wanted)
            if group is None:
                clusters = sorted(name for name, each in there.items() if each["Strategy"] == "cluster")
                yield self.error(
                    field,
                    wanted,
                    f"This account has no such group in {self.subject.region}.",
                    f"of strategy cluster there are: {', '.join(clusters)}"
                    if clusters
                    else "set placementGroup: create",
                    *self.constraints,
                )
            elif group["Strategy"] != "cluster":
                yield self.error(
                    field,
                    wanted,
                    f"Its strategy is {group['Strategy']}, which spreads nodes apart.",
                    "name a group of strategy cluster, or set placementGroup: create",
                    *self.constraints,
                )
            elif group["State"] != "available":
                yield self.error(
                    field, wanted, f"Its state is {group['State']}.", "wait, or name another group", *self.constraints
                )
