"""An EC2NodeClass names one release of its image; a floating one replaces nodes unannounced."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import EC2_NODE_CLASS, mapping, mappings


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != EC2_NODE_CLASS:
        args.not_applicable("no EC2NodeClass")
    terms = list(mappings(mapping(args.props, "spec"), "amiSelectorTerms"))
    if not terms:
        report(
            f"EC2NodeClass '{args.name}' selects no image. Add amiSelectorTerms with one pinned alias, such as "
            "al2023@v20261023, or with the id of an image.",
            None,
        )
    for term in terms:
        alias = term.get("alias")
        if alias is not None and str(alias).endswith("@latest"):
            seen = f"the alias {alias}"
        elif alias is None and "id" not in list(term):
            seen = f"{' and '.join(sorted(term)) or 'nothing'}, which a new image may match"
        else:
            continue
        report(
            f"EC2NodeClass '{args.name}' selects its image by {seen}: each release drifts every node. Name one "
            "release, such as al2023@v20261023 (amiRelease in the environment), or the id of an image.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-nodeclass-ami-pinned",
    display_name="Node images are pinned",
    description="EC2NodeClasses select one release of an image.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ver-no-floating"],
    remediation_steps="Set amiRelease in the environment to a release that exists.",
    url="https://karpenter.sh/docs/tasks/managing-amis/",
    validate=_validate,
)
