"""The KMS key of Kubernetes Secrets."""

import pulumi
import pulumi_aws as aws

CREATE, NONE = "create", "none"
DELETION_WINDOW_DAYS = 30


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
    key = aws.kms.Key(
        f"{name}-secrets",
        description="Kubernetes Secrets of the EKS cluster",
        enable_key_rotation=True,
        # The longest: a key that was deleted by mistake can be called back for so long.
        deletion_window_in_days=DELETION_WINDOW_DAYS,
        opts=opts.merge(pulumi.ResourceOptions(protect=protect)),
    )
    aws.kms.Alias(f"{name}-secrets", target_key_id=key.key_id, opts=opts)
    return key.arn
