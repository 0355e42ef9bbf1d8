"""`spec.kubelet` holds fields that a kubelet has: the API takes any, and then no node starts."""

from difflib import get_close_matches

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.kubelet import EVICTION_MAPS, EVICTION_SIGNALS, FIELDS, GRACE, OWNED, SOFT
from policies.reading import EC2_NODE_CLASS, mapping


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    kubelet = mapping(args.props, "spec", "kubelet") if args.resource_type == EC2_NODE_CLASS else {}
    if not len(kubelet):
        args.not_applicable("no EC2NodeClass with kubelet settings")
    who = f"EC2NodeClass '{args.name}'"
    for key in kubelet:
        if key in OWNED:
            report(f"{who} sets kubelet.{key}: {OWNED[key]}. Remove it, or use the NodePool's taints.", None)
        elif key not in FIELDS:
            near = get_close_matches(key, FIELDS, n=1)
            report(
                f"{who} sets kubelet.{key}, which no kubelet has: Karpenter would launch no node of this class. "
                + (f"Rename it to {near[0]}, or remove it." if near else "Remove it, or look the field's name up."),
                None,
            )
    for name in (*EVICTION_MAPS, GRACE):
        for signal in mapping(kubelet, name):
            if signal not in EVICTION_SIGNALS:
                report(
                    f"{who} sets kubelet.{name}.{signal}, which is no eviction signal. Use one of "
                    f"{', '.join(EVICTION_SIGNALS)}, or remove it.",
                    None,
                )
    if set(mapping(kubelet, SOFT)) != set(mapping(kubelet, GRACE)):
        report(
            f"{who} has other keys in kubelet.{SOFT} than in kubelet.{GRACE}. Give each soft threshold its grace "
            "period, or remove both.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-nodeclass-kubelet-keys-known",
    display_name="Kubelet settings exist",
    description="Fields under kubelet of an EC2NodeClass are fields of a kubelet's configuration.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ver-baseline-pins"],
    remediation_steps="Set kubelet in the environment file, where names and values are checked.",
    url="https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/",
    validate=_validate,
)
