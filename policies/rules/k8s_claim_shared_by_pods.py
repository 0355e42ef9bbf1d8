"""What several pods of a job mount is storage that several nodes can mount."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.claims import claim_of, is_disk
from policies.manifests import KUBERNETES, Template, at, read, rows, words
from policies.storage import CLAIM, of_type
from policies.values import UNKNOWN, items, known

ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")


def _disks(args: StackValidationArgs) -> dict[tuple[str, str], str]:
    """(namespace, claim) -> its class, for claims on disks that one node can mount."""
    found = {}
    for claim in of_type(args, CLAIM):
        modes, source = items(claim.props, "spec", "accessModes"), claim_of(claim.props)
        name, namespace = (known(claim.props, "metadata", key) for key in ("name", "namespace"))
        if isinstance(name, str) and is_disk(source) and modes and all(mode in ONE_NODE for mode in modes):
            found[words(namespace), name] = source
    return found


def _claims(template: Template) -> list[str]:
    return [words(at(each, "persistentVolumeClaim", "claimName")) for each in rows(template.spec.get("volumes"))]


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    disks = _disks(args)
    if not disks:
        args.not_applicable("the stack has no claim on a disk")
    for resource in args.resources:
        workload = read(resource.resource_type, resource.name, resource.props)
        if workload is None or not resource.resource_type.startswith(KUBERNETES):
            continue
        namespace = at(workload.content, "metadata", "namespace")
        for template in workload.templates if namespace is not UNKNOWN else ():
            for claim in _claims(template):
                source = disks.get((words(namespace), claim))
                if source and (template.replicas or 1) > 1:
                    report(
                        f"{workload.title} mounts claim {claim} of {source} in {template.replicas} pods "
                        f"({template.where}): a disk is mounted by one node, and the others wait for ever. Put shared "
                        "data on a claim of Lustre or EFS, or run one pod.",
                        resource.urn,
                    )


POLICY = StackValidationPolicy(
    name="k8s-claim-shared-by-pods",
    display_name="Pods share what can be shared",
    description="Workloads of several pods mount no claim on a disk that one node can mount.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-shared-access-mode"],
    remediation_steps="Mount the claim of a Lustre or EFS file system of the environment.",
    url="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    validate=_validate,
)
