"""Ray and KubeRay of the pair whose calls the training examples were read with."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.ray import KUBERAY_MINOR, RAY_MINOR
from policies.manifests import workload_of
from policies.ray_versions import ray_versions
from policies.slurm_charts import chart_of
from policies.values import known

CHARTS = ("kuberay-operator", "ray-cluster")


def _is_of(version: str, minor: str) -> bool:
    return version.removeprefix("v") == minor or version.removeprefix("v").startswith(minor + ".")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    chart = chart_of(args.resource_type, args.props)
    if workload is None or (chart not in CHARTS and workload.group != "ray.io"):
        args.not_applicable("neither an object of Ray nor one of its charts")
        return
    version = known(args.props, "version")
    if chart in CHARTS and isinstance(version, str) and not _is_of(version, KUBERAY_MINOR):
        report(
            f"{workload.title} installs {chart} {version}: the examples were read with KubeRay {KUBERAY_MINOR}. "
            f"Install {KUBERAY_MINOR}.x, or read the release notes in between and run the Ray examples again.",
            None,
        )
    for where, found in ray_versions(workload):
        if not _is_of(found, RAY_MINOR):
            report(
                f"{workload.title} runs Ray {found} ({where}): Ray Train's calls were read at {RAY_MINOR}, and others "
                f"report and restore differently. Take {RAY_MINOR}.x, or test report and restore with {found}.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="ray-cluster-audited-version",
    display_name="Ray and KubeRay of the audited pair",
    description="Ray and KubeRay are of the versions that the examples were read with.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.LOW,
    tags=["ray-versions"],
    remediation_steps=f"Take Ray {RAY_MINOR} and KubeRay {KUBERAY_MINOR}, or test the pair that you take.",
    url="https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/upgrade-guide.html",
    validate=_validate,
)
