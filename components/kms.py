"""KMS keys of ours: each made in one way, for the cluster's secrets and for what is stored."""

import pulumi
import pulumi_aws as aws

CREATE, NONE = "create", "none"
"""What an environment says instead of the ARN of a key: make one, or leave it to a key of AWS."""

DELETION_WINDOW_DAYS = 30


def rotated_key(name: str, *, description: str, protect: bool, opts: pulumi.ResourceOptions) -> aws.kms.Key:
    """A key that is rotated yearly, and its alias.

    Args:
        name: of both.
        description: what it encrypts.
        protect: refuse to delete the key: what it encrypted is lost with it.
        opts: of both, the parent among them.
    """
    key = aws.kms.Key(
        name,
        description=description,
        enable_key_rotation=True,
        # The longest: a key that was deleted by mistake can be called back for so long.
        deletion_window_in_days=DELETION_WINDOW_DAYS,
        opts=opts.merge(pulumi.ResourceOptions(protect=protect)),
    )
    aws.kms.Alias(name, target_key_id=key.id, opts=opts)
    return key
