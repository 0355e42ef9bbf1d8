"""What network and cluster made, for the areas that come after them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pulumi

from components.cluster import TrainingCluster
from components.identity import NO_RULES, RoleRules
from components.network import EfaSecurityGroup


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """The same for storage, capacity and platform."""

    cluster_name: str
    cluster: TrainingCluster
    vpc_id: pulumi.Input[str]
    subnet_ids: Mapping[str, pulumi.Input[str]]
    """Zone -> private subnet."""
    efa: EfaSecurityGroup
    region: str
    partition: str
    tags: Mapping[str, str]
    on_aws: pulumi.ResourceOptions
    in_cluster: pulumi.ResourceOptions
    """With the cluster's provider, after its system nodes."""
    role_rules: RoleRules = NO_RULES

    def after(self, *those: pulumi.Resource) -> "Surroundings":
        """The same, with everything in the cluster made after `those` and removed before them."""
        return replace(self, in_cluster=self.in_cluster.merge(pulumi.ResourceOptions(depends_on=list(those))))
