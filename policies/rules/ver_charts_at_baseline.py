"""Charts and operators of the pinned versions: what this platform is tested with is one set."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.pins import CHARTS, KUBERAY, MANIFESTS
from policies.image_tags import tag_of
from policies.manifests import Workload, words, workload_of
from policies.slurm_charts import chart_of
from policies.values import known

# KubeRay is advice, by rule ray-cluster-audited-version.
_CHARTS = {name: pin.version for name, pin in CHARTS.items() if pin is not KUBERAY}
_IMAGES = {pin.image.partition("/")[2]: pin.version for pin in MANIFESTS.values()}


def _operators(workload: Workload) -> Iterator[tuple[str, str, str]]:
    """Image, its tag and the pinned version of each container that runs one of the pinned operators."""
    for _, container in workload.containers:
        image = container.image
        for name, pinned in _IMAGES.items():
            if image.partition("@")[0].removesuffix(f":{tag_of(image)}").endswith(name) and tag_of(image):
                yield name, tag_of(image), pinned


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None:
        args.not_applicable("no Kubernetes object")
        return
    chart = chart_of(args.resource_type, args.props)
    told = [(f"chart {chart}", words(known(args.props, "version")), _CHARTS[chart])] if chart in _CHARTS else []
    for what, said, pinned in (*told, *_operators(workload)):
        if said and said.removeprefix("v") != pinned.removeprefix("v"):
            report(
                f"{workload.title} takes {what} at {said}; the baseline has {pinned}: values, definitions and rules "
                f"here are written for that one. Take {pinned}, or change the pin in components/catalog/pins.py and "
                "read docs/runbooks/upgrade.md.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="ver-charts-at-baseline",
    display_name="Charts are of the baseline",
    description="Helm releases and operators have the versions of the catalog.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ver-baseline-pins"],
    remediation_steps="Take the version from components/catalog/pins.py, the one table of versions.",
    url="https://helm.sh/docs/topics/charts/#charts-and-versioning",
    validate=_validate,
)
