"""What the environment file itself says of a destroy: protections that stop it, and data that goes with it."""

from __future__ import annotations

from scripts.draining.findings import Finding, Level
from stacks.environment import Environment


def findings(environment: Environment, *, sandbox: bool) -> list[Finding]:
    """Findings that need no cluster."""
    found = []
    lifecycle, storage = environment.lifecycle, environment.storage
    if lifecycle.deletion_protection:
        found.append(
            Finding(
                level=Level.NOTE if sandbox else Level.BLOCKS,
                name="lifecycle.deletionProtection",
                what="true: EKS refuses to delete the cluster",
                way_out="set lifecycle.deletionProtection: false and run `pulumi up` once, before the destroy",
            )
        )
    data = [
        *(f"bucket {bucket.name}" for bucket in storage.buckets if not bucket.existing),
        *(f"Lustre {system.name}" for system in storage.lustre if not system.existing),
        *(f"EFS {system.name}" for system in storage.efs if not system.existing),
    ]
    if lifecycle.protect_data and data:
        found.append(
            Finding(
                level=Level.NOTE,
                name="lifecycle.protectData",
                what=f"true: these stay, with what they hang on, and cost money: {', '.join(data)}",
                way_out="pulumi destroy --exclude-protected; docs/runbooks/destroy.md says how to remove them later",
            )
        )
    elif data:
        found.append(
            Finding(
                level=Level.NOTE,
                name="lifecycle.protectData",
                what=f"false: a destroy deletes these with all that is in them: {', '.join(data)}",
                way_out="copy what is worth keeping first, or set lifecycle.protectData: true and run `pulumi up`",
            )
        )
    return found
