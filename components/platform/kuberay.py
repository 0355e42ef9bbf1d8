"""The KubeRay operator."""

from dataclasses import dataclass

import pulumi

from components.catalog.pins import KUBERAY
from components.platform.crd_charts import crd_release
from components.platform.kuberay_values import METRICS_PORT, kuberay_values
from components.platform.system_namespace import only_metrics_in, system_namespace
from components.releases import ReleaseArgs, helm_release
from stacks.schedulers import KubeRaySpec


@dataclass(frozen=True, kw_only=True, slots=True)
class KubeRayArgs:
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""
    settings: KubeRaySpec
    """Section `platform.kuberay` of the environment."""


class KubeRay(pulumi.ComponentResource):
    """Definitions as a release of their own, then the operator's without them.

    Helm installs the definitions of the chart's folder `crds/` once and never upgrades them. So they are data of this
    repository, in a chart of ours; they stay in the cluster when the operator leaves. With gang scheduling, whoever
    makes this component lets it depend on Volcano.
    """

    namespace: str

    def __init__(self, name: str, args: KubeRayArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:KubeRay", name, {}, opts)
        definitions = crd_release(f"{name}-crds", "kuberay", parent=self)
        namespace = system_namespace(f"{name}-namespace", KUBERAY.namespace, "restricted", parent=self)
        policy = only_metrics_in(f"{name}-ingress", namespace, METRICS_PORT, parent=self)
        helm_release(
            f"{name}-release",
            ReleaseArgs(
                pin=KUBERAY, values=kuberay_values(args.settings, args.images), charts=args.charts, skip_crds=True
            ),
            parent=self,
            after=[definitions, policy],
        )
        self.namespace = KUBERAY.namespace
        self.register_outputs({"namespace": KUBERAY.namespace})
