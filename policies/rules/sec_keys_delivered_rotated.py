"""Keys of Slurm and passwords of databases are delivered from outside and can be made anew."""

from collections.abc import Iterator
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import RELEASES, workload_of
from policies.sec_keys import chart_makes, never_renewed
from policies.values import is_said, is_true, known

DATABASES = ("aws:rds/instance:Instance", "aws:rds/cluster:Cluster")
NO_KEY = "no key or password, and nothing that makes one"


def _of_database(args: ResourceValidationArgs) -> Iterator[str]:
    managed: Any = known(args.props, "manageMasterUserPassword")
    if is_said(known(args.props, "password")) and not is_true(managed):
        yield (
            f"Database '{args.name}' has its master password from Pulumi: it stands in the state and stays. "
            "Set manageMasterUserPassword: true, or restore the database from a snapshot that has it."
        )


def _of_objects(args: ResourceValidationArgs) -> Iterator[str]:
    workload = workload_of(args)
    if workload is None or not (args.resource_type in RELEASES or workload.kind in ("Secret", "ExternalSecret")):
        args.not_applicable(NO_KEY)
        return
    if args.resource_type in RELEASES:
        for key in chart_makes(workload.content, known(args.props, "chart"), workload.name):
            yield (
                f"{workload.title} lets the chart make or hold {key}: a random, immutable Secret that nobody renews. "
                f"Set {key}.create: false with a secretRef to a Secret of ours, or bring it by External Secrets."
            )
    elif why := never_renewed(workload):
        yield (
            f"{workload.title} holds a key and {why}: no new value arrives, or nothing restarts with it. Write the "
            "annotation eks-training-platform/rotation (./scripts/secrets keeps the moment), or use PlatformSecrets."
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    for message in _of_database(args) if args.resource_type in DATABASES else _of_objects(args):
        report(message, None)


POLICY = ResourceValidationPolicy(
    name="sec-keys-delivered-rotated",
    display_name="Keys are delivered and can be rotated",
    description="Keys of Slurm and passwords of databases come from a Secret of ours and can be made anew.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["sec-keys-delivered-and-rotated"],
    remediation_steps="Make them by ./scripts/secrets init, deliver them by PlatformSecrets, and rotate them.",
    url="https://slurm.schedmd.com/authentication.html",
    validate=_validate,
)
