"""A volume of Lustre names no link to S3: the driver drops an attribute it does not know without a word."""

from collections.abc import Mapping

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.csi import LUSTRE_DRIVER
from policies.claims import name_of
from policies.storage import VOLUME, driver_of
from policies.values import is_said, known

FIELDS = ("dataRepositoryAssociations", "dataRepositories")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != VOLUME or driver_of(args.resource_type, args.props) != LUSTRE_DRIVER:
        args.not_applicable("no PersistentVolume of Lustre")
    attributes = known(args.props, "spec", "csi", "volumeAttributes")
    said = [field for field in FIELDS if isinstance(attributes, Mapping) and is_said(known(attributes, field))]
    if said:
        report(
            f"PersistentVolume '{name_of(args.props, args.name)}' has {', '.join(said)}, which no file system has: "
            "the driver ignores it and nothing is imported. Make a DataRepositoryAssociation "
            "(storage.lustre[].dataRepositories), or remove the field.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="fsx-volume-no-inline-repository",
    display_name="Volumes of Lustre carry no links",
    description="Volumes of Lustre carry no link to S3 in their attributes.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["fsx-no-inline-dra-field"],
    remediation_steps="Say the link under dataRepositories of the file system in the environment file.",
    url="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    validate=_validate,
)
