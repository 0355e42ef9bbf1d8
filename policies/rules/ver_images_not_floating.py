"""Images name one build: under a tag that moves, a pod that restarts runs another one than was tested."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.image_tags import moving, tag_of
from policies.manifests import workload_of

# What holds no images of pods; definitions are long.
_NO_PODS = ("ConfigMap", "Secret", "CustomResourceDefinition")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or workload.kind in _NO_PODS:
        args.not_applicable("no Kubernetes object with images")
        return
    for where, said in moving(workload.content, values=workload.kind == "Release"):
        what = "whose tag moves" if tag_of(said) or "/" not in said else "without a tag, which is latest"
        report(
            f"{workload.title} takes {said} ({where}), {what}: a pod that restarts may run another build than the "
            "tested one. Name an exact version, or pin the image by its digest.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="ver-images-not-floating",
    display_name="Images do not float",
    description="Container images and the tags in Helm values name one version.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ver-no-floating"],
    remediation_steps="Name an exact tag, better the digest; never latest or the name of a branch.",
    url="https://kubernetes.io/docs/concepts/containers/images/",
    validate=_validate,
)
