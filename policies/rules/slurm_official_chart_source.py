"""Slinky's charts come from SlinkyProject's OCI registry, or from an exact mirror of it."""

from collections.abc import Mapping
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.pins import SLURM
from policies.manifests import RELEASES, words
from policies.slurm_charts import SLINKY_CHARTS, chart_of
from policies.values import known

OFFICIAL = f"{SLURM.repository}/"
PUBLIC = ("ghcr.io", "docker.io", "registry-1.docker.io", "quay.io", "public.ecr.aws", "registry.gitlab.com")
"""Registries of everybody: another owner's chart there is no mirror of a company."""


def _address(props: Mapping[str, Any]) -> str:
    chart, repository = words(known(props, "chart")), words(known(props, "repositoryOpts", "repo"))
    return f"{repository.rstrip('/')}/{chart}" if repository else chart


def _fault(name: str, address: str) -> str:
    if address.startswith(OFFICIAL):
        return ""
    if name not in SLINKY_CHARTS:
        return "which is none of Slinky's three charts" if "slinky" in address.lower() else ""
    scheme, found, rest = address.partition("://")
    if found and scheme != "oci":
        return "and Slinky publishes its charts by OCI only"
    if found and rest.split("/")[0] in PUBLIC:
        return "a public registry under another owner than slinkyproject"
    return ""


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type not in RELEASES or len(args.props) == 0:
        args.not_applicable("no Helm release, or a v4 chart, whose arguments the engine does not show")
    address = _address(args.props)
    fault = _fault(chart_of(args.resource_type, args.props), address)
    if fault:
        report(
            f"Release '{args.name}' installs {address}, {fault}: it may be another program than the one whose objects "
            f"and values are checked here. Take {OFFICIAL}<{' | '.join(SLINKY_CHARTS)}>, or name a mirror of your own "
            "that holds exactly these (artifacts.charts).",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="slurm-official-chart-source",
    display_name="Slinky's charts are Slinky's",
    description="Slinky's charts come from the OCI registry of SlinkyProject or from an exact mirror.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-official-chart-source"],
    remediation_steps="Take chart and version from components/catalog/pins.py; set artifacts.charts for a mirror.",
    url="https://github.com/SlinkyProject/slurm-operator",
    validate=_validate,
)
