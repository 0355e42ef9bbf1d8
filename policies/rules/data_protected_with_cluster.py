"""Where the cluster is protected from deletion, so is what cannot be made again."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

CLUSTER = "aws:eks/cluster:Cluster"
DATA = {
    "aws:efs/fileSystem:FileSystem": "EFS file system",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "Lustre file system",
    "aws:kms/key:Key": "Key",
    "aws:rds/instance:Instance": "Database",
    "aws:s3/bucket:Bucket": "Bucket",
}


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    clusters = [resource for resource in args.resources if resource.resource_type == CLUSTER]
    if not any(cluster.props.get("deletionProtection") is True for cluster in clusters):
        args.not_applicable("no cluster of the stack is protected from deletion")
    for resource in args.resources:
        if resource.resource_type in DATA and not resource.opts.protect:
            report(
                f"{DATA[resource.resource_type]} '{resource.name}' may be deleted or replaced by any update, although "
                "the cluster may not. Set lifecycle.protectData: true, or lifecycle.deletionProtection: false where "
                "nothing is worth keeping.",
                resource.urn,
            )


POLICY = StackValidationPolicy(
    name="data-protected-with-cluster",
    display_name="Data is protected with its cluster",
    description="File systems, keys, databases and buckets are protected where their cluster is.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.HIGH,
    tags=["s3-lifecycle-after-verified-copy"],
    remediation_steps="Set lifecycle.protectData in the environment file.",
    url="https://www.pulumi.com/docs/iac/concepts/resources/options/protect/",
    validate=_validate,
)
