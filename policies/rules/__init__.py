"""Every rule of the pack. A rule that is not in `ALL` does not run; a test compares this list with the folder."""

from pulumi_policy import Policy

from policies.rules import (
    ec2_securitygroup_efa_self_referencing,
    helm_release_pinned_and_atomic,
    karpenter_efa_pool_single_az,
)

ALL: list[Policy] = [
    ec2_securitygroup_efa_self_referencing.POLICY,
    helm_release_pinned_and_atomic.POLICY,
    karpenter_efa_pool_single_az.POLICY,
]
