"""Pods ask for the EFA devices that the nodes of their pool have: all of them, and of no pool without."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from components.catalog.counts import EFA_RESOURCE
from policies.efa_devices import asks_hugepages, efa
from policies.efa_pools import Pool, chooses, is_one_of_many, pools_of, reached, with_devices
from policies.manifests import Template, Workload


def _problems(workload: Workload, template: Template, beside: list[Template], pools: list[Pool]) -> Iterator[str]:
    count, names = efa(template), ", ".join(pool.name for pool in pools)
    with_efa = [pool for pool in pools if pool.efa]
    if count == 0 and len(with_efa) == len(pools) and is_one_of_many(workload, template, beside):
        yield (
            f"has workers on pool {names} that ask for no {EFA_RESOURCE}: they talk over TCP, slowly and without an "
            "error. Ask for all of a node in the limits, or choose a pool without EFA."
        )
    elif count and not with_efa:
        yield (
            f"asks for {count} {EFA_RESOURCE} on pool {names}, which has none: its pods wait for ever. Choose a pool "
            "with EFA, or ask for none."
        )
    elif count and all(pool.counts for pool in with_efa) and not any(pool.fits(template, count) for pool in with_efa):
        has = "; of ".join(f"{pool.name} has {' or '.join(map(str, sorted(pool.counts)))}" for pool in with_efa)
        yield (
            f"asks for {count} {EFA_RESOURCE}; a node of {has}. Ask for as many as the type has, or choose the pool "
            "that has this many."
        )
    if asks_hugepages(template) and (dynamic := [pool.name for pool in pools if not pool.fixed]):
        yield (
            f"asks for hugepages on pool {dynamic[0]}: Karpenter does not count them and starts no node. Take them "
            "out, or use a pool of fixed nodes."
        )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    pools, users = pools_of(args), list(with_devices(args))
    if not pools or not users:
        args.not_applicable("the stack has no pools, or no pods with devices")
    for urn, workload, templates in users:
        for template in templates:
            landing = reached(template, pools) if chooses(template) else []
            for problem in _problems(workload, template, templates, landing) if landing else ():
                report(f"{workload.title} {problem} ({template.where})", urn)


POLICY = StackValidationPolicy(
    name="efa-pods-fit-their-pool",
    display_name="Pods ask for the EFA of their nodes",
    description="Pods ask for the EFA devices that the nodes of their pool have.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efa-pod-requests-device", "efa-count-per-instance", "efa-stack-complete"],
    remediation_steps="Ask for as many vpc.amazonaws.com/efa as the instance type of the pool has.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    validate=_validate,
)
