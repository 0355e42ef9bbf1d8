"""Sections `platform` (what runs in the cluster) and `artifacts` (where charts and images come from)."""

import re
from collections.abc import Iterator
from typing import Annotated

from components.catalog.pins import JUPYTERHUB, SLURM
from stacks.cert_manager import CertManagerSpec
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec
from stacks.jupyterhub import JupyterHubSpec
from stacks.kueue import KueueSpec
from stacks.model import Section, says
from stacks.monitoring import MonitoringSpec
from stacks.problems import Problem
from stacks.schedulers import KubeRaySpec, MpiOperatorSpec
from stacks.slurm import SlurmSpec
from stacks.slurm_accounting import DatabaseSpec
from stacks.volcano import VolcanoSpec

_PLUGIN_GOES = "without it no new pod gets the devices; pods that run keep theirs"
WITH_VOLUMES = {"slurm": SLURM.namespace, "jupyterhub": JUPYTERHUB.namespace}
"""Parts whose pods mount volumes -> their namespaces, which storage may name beside those of section `namespaces`."""
_REGISTRY = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?(/[a-z0-9._-]+)*")


class Platform(Section):
    """Operators and schedulers. A part is off when its line is absent, on with `{}`; the device plugins are on."""

    nvidia: Annotated[
        NvidiaSpec | None,
        says(
            "The NVIDIA device plugin, installed while a pool has GPUs.",
            "live",
            change=_PLUGIN_GOES,
            accepts="{…} or null (somebody else installs one)",
        ),
    ] = NvidiaSpec()
    neuron: Annotated[
        NeuronSpec | None,
        says(
            "The Neuron device plugin, installed while a pool has Trainium or Inferentia.",
            "live",
            change=_PLUGIN_GOES,
            accepts="{…} or null (somebody else installs one)",
        ),
    ] = NeuronSpec()
    efa: Annotated[
        EfaSpec | None,
        says(
            "The EFA device plugin, installed while a pool has EFA.",
            "live",
            change=_PLUGIN_GOES,
            accepts="{…} or null (somebody else installs one)",
        ),
    ] = EfaSpec()
    cert_manager: Annotated[
        CertManagerSpec | None,
        says(
            "cert-manager: certificates for webhooks. Slurm needs it.",
            "live",
            change="its definitions and certificates stay when it goes, and nobody renews them",
            accepts="{…} (on) or null (off)",
            example={},
        ),
    ] = None
    slurm: Annotated[
        SlurmSpec | None,
        says(
            "A Slurm cluster by Slinky.",
            "live",
            change="removing it ends its jobs; namespace and state volume go too, which lifecycle.protectData forbids",
            accepts="{…} (on) or null (off)",
            example={"nodeSets": []},
        ),
    ] = None
    mpi_operator: Annotated[
        MpiOperatorSpec | None,
        says(
            "The MPI Operator, for MPIJobs.",
            "live",
            change="MPIJobs and their definition stay when it goes, and nothing ends their pods",
            accepts="{…} (on) or null (off)",
            example={},
        ),
    ] = None
    volcano: Annotated[
        VolcanoSpec | None,
        says(
            "Volcano, a gang scheduler for training jobs.",
            "live",
            change="removing it deletes its custom resource definitions, and with them every Volcano job and queue",
            accepts="{…} (on) or null (off)",
            example={},
        ),
    ] = None
    kueue: Annotated[
        KueueSpec | None,
        says(
            "Kueue, which holds jobs back until their quota is free; for jobs that Volcano does not schedule.",
            "live",
            change="queues go once their jobs end; definitions and Workloads stay, and suspended jobs wait for ever",
            accepts="{queues: […]} (on) or null (off)",
        ),
    ] = None
    kuberay: Annotated[
        KubeRaySpec | None,
        says(
            "The KubeRay operator, for Ray clusters, jobs and services.",
            "live",
            change="Ray's objects and their definitions stay when it goes, and nothing ends their pods",
            accepts="{…} (on) or null (off)",
            example={},
        ),
    ] = None
    jupyterhub: Annotated[
        JupyterHubSpec | None,
        says(
            "JupyterHub: notebooks on the pools' nodes.",
            "live",
            change="removing it deletes its namespace and every home folder in it, which lifecycle.protectData forbids",
            accepts="{profiles: […]} (on) or null (off)",
        ),
    ] = None
    monitoring: Annotated[
        MonitoringSpec | None,
        says(
            "Prometheus with the exporters that the pools need, alerts and dashboards.",
            "live",
            change="its namespace goes, and with it the volume of the metrics",
            accepts="{…} (on) or null (off)",
            example={},
        ),
    ] = None

    @property
    def slurm_database(self) -> DatabaseSpec | None:
        """The accounting database of ours; None without Slurm, without accounting, or with somebody else's database."""
        accounting = self.slurm.accounting if self.slurm is not None else None
        return accounting.database if accounting is not None else None


class Artifacts(Section):
    """Private mirrors, for clusters that may not reach the public registries."""

    charts: Annotated[
        str | None,
        says(
            "Where Helm charts come from; null means the public registries.",
            "live",
            accepts="null, oci://<registry>/<path>, or the absolute path of a folder with unpacked charts",
            example="oci://registry.example.com/charts",
        ),
    ] = None
    images: Annotated[
        str | None,
        says(
            "Registry that mirrors container images; null means the public registries.",
            "live",
            change="the pods that use it restart",
            accepts="null or <registry>[/<path>], without a scheme",
            example="registry.example.com/mirror",
        ),
    ] = None


def check_artifacts(artifacts: Artifacts) -> Iterator[Problem]:
    """The chart mirror is a folder or an OCI registry, the image mirror a registry without a scheme."""
    charts, images = artifacts.charts, artifacts.images
    if charts is not None and not charts.startswith(("oci://", "/")):
        yield Problem(
            path="artifacts.charts",
            value=charts,
            reason="A chart mirror is an OCI registry or a folder; a relative path would depend on where Pulumi "
            "is started.",
            accepted="null, oci://<registry>/<path>, or the absolute path of a folder",
            ways_out=(
                "write oci:// in front of the registry, or an absolute path",
                "set charts: null for the public registries",
            ),
        )
    if images is not None and not _REGISTRY.fullmatch(images):
        yield Problem(
            path="artifacts.images",
            value=images,
            reason="An image mirror is the beginning of an image name: a host and, if needed, a path.",
            accepted="null or <registry>[/<path>] in lower case, without a scheme and without a trailing slash",
            ways_out=("write registry.example.com/mirror", "set images: null for the public registries"),
        )
