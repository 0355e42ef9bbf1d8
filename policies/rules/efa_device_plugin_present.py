"""EFA devices reach pods through the EFA device plugin, which has to run on the nodes of every pool with EFA."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from components.catalog.pins import EFA_DEVICE_PLUGIN
from policies.efa_plugin import plugin_tolerations, untolerated
from policies.manifests import plain, table
from policies.pools import uses_efa
from policies.reading import NODE_POOL
from policies.storage import CLUSTER, of_type


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    # Pools have no properties in the first preview of a stack, whose cluster does not exist yet.
    pools = [(pool, told) for pool in of_type(args, NODE_POOL) if uses_efa(told := table(plain(pool.props)))]
    if not pools or not of_type(args, CLUSTER):
        args.not_applicable("the stack has no cluster with pools with EFA")
    plugins = [found for each in args.resources if (found := plugin_tolerations(each)) is not None]
    for pool, told in pools:
        if not plugins:
            report(
                f"NodePool '{pool.name}' uses EFA, and the stack has no release of {EFA_DEVICE_PLUGIN.name}: no node "
                "registers vpc.amazonaws.com/efa, and pods that ask for it wait for ever. Install the chart by the "
                "component EfaDevicePlugin, or switch EFA off for the pool (efa: off).",
                pool.urn,
            )
        elif keys := untolerated(told, plugins):
            report(
                f"NodePool '{pool.name}' uses EFA and has the taint {', '.join(keys)}, which {EFA_DEVICE_PLUGIN.name} "
                "does not tolerate: it has no pod there, and says nothing. Add the toleration to the values of its "
                "chart, or take the taint off the pool.",
                pool.urn,
            )


POLICY = StackValidationPolicy(
    name="efa-device-plugin-present",
    display_name="The EFA device plugin is there",
    description="Pools with EFA have the device plugin in their stack, and it tolerates their taints.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efa-device-plugin-present", "efa-stack-complete"],
    remediation_steps="Use the component EfaDevicePlugin, which follows the taints of the pools.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html",
    validate=_validate,
)
