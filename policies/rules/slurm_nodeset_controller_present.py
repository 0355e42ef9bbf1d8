"""The Controller that a NodeSet names is in the stack, in the same namespace."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.manifests import read
from policies.slurm_controllers import controllers, homes_of_node_sets
from policies.storage import CLUSTER
from policies.values import UNKNOWN


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    resources = [(resource, read(resource.resource_type, resource.name, resource.props)) for resource in args.resources]
    node_sets = [(resource, home) for resource, found in resources for home in homes_of_node_sets(found)]
    there = [home for resource, found in resources for home in controllers(resource, found)]
    if not node_sets:
        args.not_applicable("no NodeSet that names a Controller")
    if not there and not any(resource.resource_type == CLUSTER for resource in args.resources):
        args.not_applicable("the stack makes neither a Controller nor a cluster: that is another's")
    if UNKNOWN in [part for home in there for part in (home.name, home.namespace)]:
        args.not_applicable("a Controller's name is not known yet")
    for resource, wanted in node_sets:
        names = [home for home in there if home.name == wanted.name]
        if any(home.namespace == wanted.namespace or not (home.namespace and wanted.namespace) for home in names):
            continue
        seen = f"in namespace {names[0].namespace}" if names else "not in the stack"
        report(
            f"{wanted.title} names Controller '{wanted.name}', which is {seen}: a reference reaches no other "
            "namespace, and its nodes join no cluster. Name one of its own namespace "
            f"({', '.join(sorted(str(home.name) for home in there)) or 'there is none yet'}), or add the Controller.",
            resource.urn,
        )


POLICY = StackValidationPolicy(
    name="slurm-nodeset-controller-present",
    display_name="A NodeSet's Controller is in the stack",
    description="The Controller that a NodeSet names stands in the stack, in the same namespace.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-nodeset-controller-ref"],
    remediation_steps="Name the Controller of the stack, which the release of the chart slurm calls after itself.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/concepts/nodeset-controller.md",
    validate=_validate,
)
