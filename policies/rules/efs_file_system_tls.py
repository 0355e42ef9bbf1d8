"""EFS file systems of ours are mounted over TLS only."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.documents import document_of, statements
from policies.efa_groups import comes_from
from policies.reading import mapping
from policies.storage import EFS, EFS_POLICY, of_type


def _is_good(found: PolicyResource) -> bool:
    document = document_of(found.props, "policy")
    # One that names the file system is unknown in a preview: the update judges it.
    return document is None or any(
        str(mapping(statement, "Condition", "Bool").get("aws:SecureTransport")).lower() == "false"
        for statement in statements(document, "Deny")
        if statement.get("Principal") in ("*", {"AWS": "*"})
    )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    systems = of_type(args, EFS)
    if not systems:
        args.not_applicable("the stack makes no EFS file system")
    for system in systems:
        own = [policy for policy in of_type(args, EFS_POLICY) if comes_from(policy, "fileSystemId", system)]
        if not any(_is_good(policy) for policy in own):
            report(
                f"EFS file system '{system.name}' takes mounts without TLS: whoever is in the network reads along. "
                "Deny them in a FileSystemPolicy by aws:SecureTransport, or use the component EfsFileSystem.",
                system.urn,
            )


POLICY = StackValidationPolicy(
    name="efs-file-system-tls",
    display_name="EFS takes TLS only",
    description="Every EFS file system denies mounts without TLS.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efs-mount-target-and-network"],
    remediation_steps="Use the component EfsFileSystem, whose policy denies plain NFS.",
    url="https://docs.aws.amazon.com/efs/latest/ug/encryption-in-transit.html",
    validate=_validate,
)
