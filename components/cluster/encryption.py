"""The KMS key of Kubernetes Secrets."""

import pulumi

from components.kms import CREATE, NONE, rotated_key


def secrets_key(name: str, kms_key: str, *, protect: bool, opts: pulumi.ResourceOptions) -> pulumi.Input[str] | None:
    """ARN of the key for a cluster, or None where AWS's own key is to be used.

    Args:
        name: prefix of the resources.
        kms_key: `create`, `none` or the ARN of a key that exists. See `stacks.cluster.Encryption`: it is one-way.
        protect: refuse to delete the key; without it the cluster's secrets, and the cluster, are lost.
        opts: of the children.
    """
    if kms_key == NONE:
        return None
    if kms_key != CREATE:
        return kms_key
    key = rotated_key(
        f"{name}-secrets", description="Kubernetes Secrets of the EKS cluster", protect=protect, opts=opts
    )
    return key.arn
