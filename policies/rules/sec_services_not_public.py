"""No login and no other Service of the platform faces the internet, unless someone decided so in writing."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.sec_exposure import EXCEPTION, SCHEME, public_services
from policies.values import is_true, known

BALANCERS = (
    "aws:lb/loadBalancer:LoadBalancer",
    "aws:alb/loadBalancer:LoadBalancer",
    "aws:elb/loadBalancer:LoadBalancer",
)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type in BALANCERS:
        internal = known(args.props, "internal")
        if internal is None or (isinstance(internal, bool | str) and not is_true(internal)):
            report(
                f"Load balancer '{args.name}' faces the internet: internal is not true. Set internal: true, or reach "
                "the place through SSM (./scripts/tunnel).",
                None,
            )
        return
    workload = workload_of(args)
    if workload is None or not workload.content:
        args.not_applicable("no load balancer and no Kubernetes object")
        return
    for path in public_services(workload):
        place = f"{workload.title} ({path})" if path else workload.title
        report(
            f"{place} gets a load balancer that faces the internet: everyone finds and tries what listens there. Use "
            f"type ClusterIP with kubectl port-forward, or write {SCHEME}: internal; what has to be public says who "
            f"decided so in the annotation {EXCEPTION}.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="sec-services-not-public",
    display_name="No public SSH and no public Services",
    description="Login sets and Services get no load balancer that faces the internet without a written exception.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["sec-no-public-ssh-by-default"],
    remediation_steps="Use ClusterIP, or an internal load balancer with source ranges.",
    url="https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/annotations/",
    validate=_validate,
)
