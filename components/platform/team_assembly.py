"""The teams of an environment."""

from collections.abc import Mapping

import pulumi

from components.platform.team import Team, TeamArgs
from components.surroundings import Surroundings
from stacks.environment import Environment


def create_teams(
    environment: Environment,
    around: Surroundings,
    *,
    bucket_arns: Mapping[str, pulumi.Input[str]],
    kms_key_arn: pulumi.Input[str] | None,
    namespaces: pulumi.Resource,
) -> Mapping[str, Team]:
    """Name -> team, each as a component.

    Args:
        environment: the environment.
        around: providers, the cluster and rules for roles.
        bucket_arns: name in `storage.buckets` -> ARN.
        kms_key_arn: the key of our buckets, if any.
        namespaces: what made the teams' namespaces.
    """
    return {
        spec.name: Team(
            f"team-{spec.name}",
            TeamArgs(
                spec=spec,
                pools=environment.node_pools,
                parts=environment.platform.model_dump(exclude_none=True, by_alias=True).keys(),
                # Its own output, and not the text: a new cluster takes what is in it along.
                cluster_name=around.cluster.name,
                bucket_arns=bucket_arns,
                kms_key_arn=kms_key_arn,
                role_rules=around.role_rules,
            ),
            opts=around.after(namespaces).in_cluster,
        )
        for spec in environment.teams
    }
