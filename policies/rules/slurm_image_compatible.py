"""Images of Slurm are of a release that Slinky's operator speaks to, and of one release in a cluster."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.slurm import MINIMUM_SLURM
from policies.manifests import workload_of
from policies.slurm_charts import CLUSTER, chart_of, kind_of
from policies.slurm_images import images, release_of, written

_YEAR, _MONTH = MINIMUM_SLURM.split(".")
OLDEST = (int(_YEAR), int(_MONTH))


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    chart = chart_of(args.resource_type, args.props)
    workload = workload_of(args)
    if workload is None or (chart != CLUSTER and not kind_of(args.resource_type)):
        args.not_applicable("nothing that runs daemons of Slurm")
        return
    found = [(path, image, release) for _, path, image in images(workload, chart) if (release := release_of(image))]
    for path, image, release in found:
        if release < OLDEST:
            report(
                f"{workload.title} runs Slurm {written(release)} ({path}: {image}), and the operator speaks data "
                f"parser 0.0.44, which Slurm has since {MINIMUM_SLURM}: it can neither see nor drain nodes. Take an "
                f"image of Slurm {MINIMUM_SLURM} or later, or an operator of that older release.",
                None,
            )
    releases = sorted({release for _, _, release in found})
    if len(releases) > 1:
        listed = ", ".join(f"{path} {written(release)}" for path, _, release in found)
        report(
            f"{workload.title} mixes releases of Slurm ({listed}): daemons of a newer release than slurmctld do not "
            f"register. Take images of Slurm {written(releases[-1])} for all, or of one older release for all.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="slurm-image-compatible",
    display_name="Images of Slurm fit the operator",
    description="Images of Slurm are of a release that the operator speaks to and of one release in a cluster.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-image-compatible", "slurm-minimum-versions"],
    remediation_steps="Take images of one Slurm release, the minimum of components/catalog/slurm.py or later.",
    url="https://github.com/SlinkyProject/slurm-operator",
    validate=_validate,
)
