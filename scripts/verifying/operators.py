"""Operators: every release deployed at its pin, every workload of the platform's namespaces up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from components.catalog.labels import SYSTEM_NAMESPACE
from components.catalog.pins import CHARTS, KARPENTER_CRDS, KUEUE, MPI_OPERATOR, SLURM_OPERATOR_CRDS
from scripts.findings import Finding
from scripts.sandboxing.releases import own_charts
from scripts.verifying.cluster import Check, Object, called, condition, name, namespace, why
from stacks.charts import charts_of

NO_RELEASES = frozenset({KARPENTER_CRDS.name, KUEUE.name, SLURM_OPERATOR_CRDS.name})
"""Charts whose objects the stack holds one by one, so that Helm knows of no release."""
KUEUE_CONTROLLER = "kueue-controller-manager"
"""Its Deployment (kubernetes-sigs/kueue v0.19.2, charts/kueue/templates/manager/manager.yaml)."""


class Operators(Check):
    """Workloads of teams are nobody's business here."""

    name = "operators"
    kinds = (
        "deployments.apps",
        "statefulsets.apps",
        "daemonsets.apps",
        "customresourcedefinitions.apiextensions.k8s.io",
        "apiservices.apiregistration.k8s.io",
    )

    def check(self) -> Iterator[Finding]:
        pinned = [CHARTS[chart] for chart in charts_of(self.environment)]
        yield from self._releases()
        if self.environment.platform.mpi_operator is not None:
            yield from self._by_image(MPI_OPERATOR.namespace, MPI_OPERATOR.name, MPI_OPERATOR.version)
        if self.environment.platform.kueue is not None and KUEUE.name not in self.cluster.stand_ins():
            yield from self._by_image(KUEUE.namespace, KUEUE_CONTROLLER, f"v{KUEUE.version}")
        for chart, item in self.cluster.stand_ins().items():
            yield self.note(
                called(item),
                "a stand-in",
                f"What {chart} installs was not looked at.",
                "nothing: the chart is not here",
            )
        namespaces = {SYSTEM_NAMESPACE, *(pin.namespace for pin in pinned), MPI_OPERATOR.namespace}
        for item in self.cluster.objects:
            if namespace(item) in namespaces:
                yield from self._workload(item)
        for item in self.cluster.of("CustomResourceDefinition"):
            yield from self._condition(item, "Established", "The API server does not serve its kind")
        for item in self.cluster.of("APIService"):
            yield from self._condition(item, "Available", "Calls to this API fail, and a namespace's deletion hangs")

    def _releases(self) -> Iterator[Finding]:
        listed = {(each["namespace"], each["name"]): each for each in self.cluster.releases}
        pinned = [CHARTS[chart] for chart in charts_of(self.environment) if chart not in NO_RELEASES]
        # Charts of ours are in one place only, this repository; which of them are installed depends on the parts.
        ours = [(SYSTEM_NAMESPACE, chart) for chart in own_charts() if (SYSTEM_NAMESPACE, chart) in listed]
        for pin in pinned:
            there = listed.get((pin.namespace, pin.name))
            about = f"Release/{pin.namespace}/{pin.name}"
            if there is None:
                yield self.error(
                    about, "missing", "The environment has this part and the cluster has not.", "pulumi up"
                )
                continue
            version = there["chart"].removeprefix(f"{pin.name}-")
            if version.removeprefix("v") != pin.version.removeprefix("v"):
                yield self.error(
                    about,
                    version,
                    f"The pin is {pin.version} (components/catalog/pins.py).",
                    "pulumi up; with a mirror (artifacts.charts), the chart that lies there decides",
                )
            yield from self._deployed(about, there)
        for key in ours:
            yield from self._deployed("Release/" + "/".join(key), listed[key])

    def _deployed(self, about: str, there: Any) -> Iterator[Finding]:
        if there["status"] != "deployed":
            yield self.error(
                about,
                there["status"],
                "An update was interrupted or failed.",
                "./scripts/unstick shows what mends it, then pulumi up",
            )

    def _by_image(self, where: str, deployment: str, version: str) -> Iterator[Finding]:
        """What Helm knows nothing of tells its version by its image."""
        images = [
            container["image"]
            for each in self.cluster.of("Deployment")
            if (namespace(each), name(each)) == (where, deployment)
            for container in each["spec"]["template"]["spec"]["containers"]
        ]
        about = f"Deployment/{where}/{deployment}"
        if not images:
            yield self.error(about, "missing", "The environment has this part and the cluster has not.", "pulumi up")
        elif not any(image.partition("@")[0].endswith(f":{version}") for image in images):
            yield self.error(about, images, f"The pin is {version} (components/catalog/pins.py).", "pulumi up")

    def _workload(self, item: Object) -> Iterator[Finding]:
        status, spec = item.get("status") or {}, item.get("spec") or {}
        match item["kind"]:
            case "Deployment":
                wanted, there = spec.get("replicas", 1), status.get("availableReplicas", 0)
            case "StatefulSet":
                wanted, there = spec.get("replicas", 1), status.get("readyReplicas", 0)
            case "DaemonSet":
                wanted, there = status.get("desiredNumberScheduled", 0), status.get("numberReady", 0)
            case _:
                return
        if there < wanted:
            yield self.error(
                called(item),
                f"{there} of {wanted} pods ready",
                "A part of the platform is not up.",
                f"kubectl get pods -n {namespace(item)}; kubectl describe and logs of the one that is not Ready",
            )

    def _condition(self, item: Object, kind: str, otherwise: str) -> Iterator[Finding]:
        seen = condition(item, kind)
        if seen.get("status") != "True":
            yield self.error(
                called(item), f"not {kind}", f"{otherwise} ({why(seen)}).", f"kubectl describe {called(item)}"
            )
