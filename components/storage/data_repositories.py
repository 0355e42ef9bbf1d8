"""The links between folders of a Lustre file system and buckets: resources of their own, never part of the system."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import pulumi
import pulumi_aws as aws

from stacks.lustre import DataRepositorySpec, LustreSpec

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="30m", delete="60m")
"""AWS' provider waits 10 minutes; FSx works on one link of a file system after the other (FSx for Lustre user guide,
create-dra, read 2026-11-29), and there may be eight."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DataRepositoriesArgs:
    """All links of one file system. A changed folder, bucket or prefix REPLACES the link, never the files."""

    spec: LustreSpec
    file_system_id: pulumi.Input[str]
    buckets: Mapping[str, pulumi.Input[str]]
    """Name in the environment -> full name of the bucket, which lies in the file system's region."""
    tags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class DataRepositories(pulumi.ComponentResource):
    """One association for each data repository, with its import and export policies."""

    association_ids: Mapping[str, pulumi.Output[str]]
    """Folder -> id of its association; `aws fsx describe-data-repository-associations` says when it is AVAILABLE."""

    def __init__(self, name: str, args: DataRepositoriesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:DataRepositories", name, {}, opts)
        child = pulumi.ResourceOptions(
            parent=self,
            custom_timeouts=TIMEOUTS,
            # FSx links a folder and a prefix once: the old link must go before the new one comes.
            delete_before_replace=True,
        )
        self.association_ids = {
            repository.path: aws.fsx.DataRepositoryAssociation(
                # Named by its folder: another order of the list changes nothing.
                f"{name}{repository.path}",
                file_system_id=args.file_system_id,
                file_system_path=repository.path,
                data_repository_path=_s3_path(args.buckets[repository.bucket], repository.prefix),
                batch_import_meta_data_on_create=repository.import_metadata,
                # A link that goes must not take files along: some may not have reached the bucket yet.
                delete_data_in_filesystem=False,
                s3=_policies(repository),
                tags={**args.tags, "Name": f"{name}{repository.path}"},
                opts=child,
            ).association_id
            for repository in args.spec.data_repositories
        }
        self.register_outputs({"associationIds": dict(self.association_ids)})


def _s3_path(bucket: pulumi.Input[str], prefix: str) -> pulumi.Output[str]:
    return pulumi.Output.concat("s3://", bucket, f"/{prefix}" if prefix else "")


def _policies(repository: DataRepositorySpec) -> aws.fsx.DataRepositoryAssociationS3Args:
    # Both are always said: the provider keeps the events it knows when a policy is left out.
    return aws.fsx.DataRepositoryAssociationS3Args(
        auto_import_policy=aws.fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(events=list(repository.auto_import)),
        auto_export_policy=aws.fsx.DataRepositoryAssociationS3AutoExportPolicyArgs(events=list(repository.auto_export)),
    )
