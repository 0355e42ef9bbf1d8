"""No password, token or key stands in the open: not in a variable, a ConfigMap or the values of a release."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import RELEASES, workload_of
from policies.sec_plaintext import data_keys, release_keys, variables


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    is_release, is_map = args.resource_type in RELEASES, workload is not None and workload.kind == "ConfigMap"
    if workload is None or not (workload.templates or workload.spec or is_release or is_map):
        args.not_applicable("no Kubernetes object with variables, settings or values")
        return
    for name in dict.fromkeys(variables(workload.content)):
        report(
            f"{workload.title} has the variable {name} as plain text: whoever may read the object has it. Take it from "
            "a Secret (valueFrom.secretKeyRef), or mount the Secret as a file.",
            None,
        )
    for key in data_keys(workload.content) if is_map else ():
        report(
            f"{workload.title} holds a secret under the key {key}: a ConfigMap is neither encrypted nor guarded. Put "
            "it into a Secret, or let External Secrets bring it from AWS Secrets Manager.",
            None,
        )
    for path in release_keys(workload.content) if is_release else ():
        report(
            f"{workload.title} has a secret as plain text at {path}: it stands in the release's history and in the "
            "chart's objects. Name an existing Secret there, or let External Secrets bring one from AWS.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="sec-secrets-not-plaintext",
    display_name="No secret as plain text",
    description="Passwords, tokens and keys stand in Secrets, never in variables, ConfigMaps or values of releases.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["sec-secrets-not-in-plaintext"],
    remediation_steps="Reference a Secret by secretKeyRef, or mount it.",
    url="https://kubernetes.io/docs/concepts/security/secrets-good-practices/",
    validate=_validate,
)
