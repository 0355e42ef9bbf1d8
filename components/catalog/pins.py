"""Pinned versions, each with its source and the date it was read. Nothing here is chosen at run time.

A version that has no source is absent: EKS add-on versions are open (see `addons`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

AS_OF = date(2026, 11, 29)
"""The day these facts were last read; support dates are compared with it, so that no check changes overnight."""


@dataclass(frozen=True, kw_only=True)
class ChartPin:
    """One Helm chart at one version."""

    name: str
    version: str
    repository: str
    """`oci://...` (the chart's name is appended to it) or the address of a chart repository."""
    namespace: str
    source: str
    read: date


@dataclass(frozen=True, kw_only=True)
class ManifestPin:
    """One operator that comes as plain manifests, held as data in this repository, and its image."""

    name: str
    version: str
    image: str
    """Registry and repository; the version is its tag."""
    namespace: str
    source: str
    read: date


# renovate: datasource=docker depName=public.ecr.aws/karpenter/karpenter-crd
KARPENTER_CRDS = ChartPin(
    name="karpenter-crd",
    version="1.15.2",
    repository="oci://public.ecr.aws/karpenter",
    namespace="kube-system",
    source="aws/karpenter-provider-aws tag v1.15.2 (2026-11-12), charts/karpenter-crd",
    read=AS_OF,
)

# renovate: datasource=docker depName=public.ecr.aws/karpenter/karpenter
KARPENTER = ChartPin(
    name="karpenter",
    version="1.15.2",
    repository="oci://public.ecr.aws/karpenter",
    namespace="kube-system",
    source="aws/karpenter-provider-aws tag v1.15.2 (2026-11-12), charts/karpenter",
    read=AS_OF,
)

# renovate: datasource=helm depName=volcano registryUrl=https://volcano-sh.github.io/helm-charts
VOLCANO = ChartPin(
    name="volcano",
    version="1.15.2",
    repository="https://volcano-sh.github.io/helm-charts",
    namespace="volcano-system",
    source="volcano-sh/volcano release-1.15, installer/helm/chart/volcano (read at 1.15.1)",
    read=AS_OF,
)

# renovate: datasource=docker depName=quay.io/jetstack/charts/cert-manager
CERT_MANAGER = ChartPin(
    name="cert-manager",
    version="v1.21.1",
    repository="oci://quay.io/jetstack/charts",
    namespace="cert-manager",
    source="cert-manager/cert-manager tag v1.21.1 (2026-07-29), deploy/charts/cert-manager",
    read=AS_OF,
)

# renovate: datasource=docker depName=ghcr.io/slinkyproject/charts/slurm-operator-crds
SLURM_OPERATOR_CRDS = ChartPin(
    name="slurm-operator-crds",
    version="1.2.3",
    repository="oci://ghcr.io/slinkyproject/charts",
    namespace="slinky",
    source="SlinkyProject/slurm-operator release-1.2, helm/slurm-operator-crds (read at 1.2.1)",
    read=AS_OF,
)

# renovate: datasource=docker depName=ghcr.io/slinkyproject/charts/slurm-operator
SLURM_OPERATOR = ChartPin(
    name="slurm-operator",
    version="1.2.3",
    repository="oci://ghcr.io/slinkyproject/charts",
    namespace="slinky",
    source="SlinkyProject/slurm-operator release-1.2, helm/slurm-operator (read at 1.2.1)",
    read=AS_OF,
)

# renovate: datasource=docker depName=ghcr.io/slinkyproject/charts/slurm
SLURM = ChartPin(
    name="slurm",
    version="1.2.3",
    repository="oci://ghcr.io/slinkyproject/charts",
    namespace="slurm",
    source="SlinkyProject/slurm-operator release-1.2, helm/slurm (read at 1.2.1)",
    read=AS_OF,
)

# renovate: datasource=helm depName=nvidia-device-plugin registryUrl=https://nvidia.github.io/k8s-device-plugin
NVIDIA_DEVICE_PLUGIN = ChartPin(
    name="nvidia-device-plugin",
    version="0.20.0",
    repository="https://nvidia.github.io/k8s-device-plugin",
    namespace="kube-system",
    source="NVIDIA/k8s-device-plugin tag v0.20.0 (2026-08-19), deployments/helm/nvidia-device-plugin",
    read=AS_OF,
)

# renovate: datasource=helm depName=gpu-operator registryUrl=https://helm.ngc.nvidia.com/nvidia
GPU_OPERATOR = ChartPin(
    name="gpu-operator",
    version="v26.7.0",
    repository="https://helm.ngc.nvidia.com/nvidia",
    namespace="gpu-operator",
    source="NVIDIA/gpu-operator tag v26.7.0, deployments/gpu-operator",
    read=AS_OF,
)

# renovate: datasource=docker depName=public.ecr.aws/neuron/neuron-helm-chart
NEURON = ChartPin(
    name="neuron-helm-chart",
    version="1.10.0",
    repository="oci://public.ecr.aws/neuron",
    namespace="kube-system",
    source="aws-neuron/neuron-helm-charts (read at 1.9.0, @b77a6f90; values of 1.10.0 from a public transcript)",
    read=AS_OF,
)

# renovate: datasource=helm depName=aws-efa-k8s-device-plugin registryUrl=https://aws.github.io/eks-charts
EFA_DEVICE_PLUGIN = ChartPin(
    name="aws-efa-k8s-device-plugin",
    version="v0.5.30",
    repository="https://aws.github.io/eks-charts",
    namespace="kube-system",
    source="aws/eks-charts @52396092 (2026-08-03), stable/aws-efa-k8s-device-plugin",
    read=AS_OF,
)

# renovate: datasource=helm depName=kuberay-operator registryUrl=https://ray-project.github.io/kuberay-helm/
KUBERAY = ChartPin(
    name="kuberay-operator",
    version="1.7.0",
    repository="https://ray-project.github.io/kuberay-helm/",
    namespace="kuberay-operator",
    source="ray-project/kuberay tag v1.7.0 (2026-08-20), helm-chart/kuberay-operator",
    read=AS_OF,
)

# renovate: datasource=helm depName=external-secrets registryUrl=https://charts.external-secrets.io
EXTERNAL_SECRETS = ChartPin(
    name="external-secrets",
    # The newest whose chart was read; the project supports its newest minor only (2.14 on 2026-10-23).
    version="2.9.0",
    repository="https://charts.external-secrets.io",
    namespace="external-secrets",
    source="external-secrets/external-secrets tag helm-chart-2.9.0 (2026-08-08), deploy/charts/external-secrets",
    read=AS_OF,
)

# renovate: datasource=helm depName=jupyterhub registryUrl=https://hub.jupyter.org/helm-chart/
JUPYTERHUB = ChartPin(
    name="jupyterhub",
    version="4.4.0",
    repository="https://hub.jupyter.org/helm-chart/",
    namespace="jupyterhub",
    source="jupyterhub/zero-to-jupyterhub-k8s tag 4.4.0 (2026-06-10), jupyterhub/; JupyterHub 5.5.0",
    read=AS_OF,
)

# renovate: datasource=helm depName=kube-prometheus-stack registryUrl=https://prometheus-community.github.io/helm-charts
KUBE_PROMETHEUS_STACK = ChartPin(
    name="kube-prometheus-stack",
    # 93.9.0 exists; this is the newest whose values and definitions could be read.
    version="88.5.3",
    repository="https://prometheus-community.github.io/helm-charts",
    namespace="monitoring",
    source="prometheus-community/helm-charts tag kube-prometheus-stack-88.5.3 (2026-08-21); operator 0.93.1",
    read=AS_OF,
)

# renovate: datasource=helm depName=dcgm-exporter registryUrl=https://nvidia.github.io/dcgm-exporter/helm-charts
DCGM_EXPORTER = ChartPin(
    name="dcgm-exporter",
    # 4.9.0 renames metrics and changes their units: dashboards and alerts here are written for 4.8.
    version="4.8.4",
    repository="https://nvidia.github.io/dcgm-exporter/helm-charts",
    namespace="monitoring",
    source="NVIDIA/dcgm-exporter main at d5e5f510 (2026-05-12), deployment/ (read at 4.8.2); 4.8.4 by newreleases.io",
    read=AS_OF,
)

# renovate: datasource=docker depName=registry.k8s.io/kueue/charts/kueue
KUEUE = ChartPin(
    name="kueue",
    # 0.19.4 exists (kubernetes/k8s.io#9917, 2026-09-10); this is the newest whose chart and definitions could be read.
    version="0.19.2",
    repository="oci://registry.k8s.io/kueue/charts",
    namespace="kueue-system",
    source="kubernetes-sigs/kueue tag v0.19.2 (2026-08-20), charts/kueue; asks for Kubernetes 1.29 or newer",
    read=AS_OF,
)

CHARTS: Mapping[str, ChartPin] = MappingProxyType(
    {
        pin.name: pin
        for pin in (
            KARPENTER_CRDS,
            KARPENTER,
            VOLCANO,
            CERT_MANAGER,
            SLURM_OPERATOR_CRDS,
            SLURM_OPERATOR,
            SLURM,
            NVIDIA_DEVICE_PLUGIN,
            GPU_OPERATOR,
            NEURON,
            EFA_DEVICE_PLUGIN,
            KUBERAY,
            JUPYTERHUB,
            KUBE_PROMETHEUS_STACK,
            DCGM_EXPORTER,
            EXTERNAL_SECRETS,
            KUEUE,
        )
    }
)

# renovate: datasource=docker depName=mpioperator/mpi-operator
MPI_OPERATOR = ManifestPin(
    name="mpi-operator",
    version="0.8.2",
    # The manifest itself names the tag 0.8, which moves.
    image="docker.io/mpioperator/mpi-operator",
    namespace="mpi-operator",
    source="kubeflow/mpi-operator @ b10758da (branch release-0.8, 2026-07-02), deploy/v2beta1/mpi-operator.yaml",
    read=AS_OF,
)

# renovate: datasource=docker depName=public.ecr.aws/neuron/neuron-monitor
NEURON_MONITOR = ManifestPin(
    name="neuron-monitor",
    version="1.3.0",
    image="public.ecr.aws/neuron/neuron-monitor",
    namespace="monitoring",
    source="aws-neuron/aws-neuron-sdk @215b421a, src/k8/k8s-neuron-monitor-daemonset.yml (tag 1.0.0 there; 1.3.0 is "
    "the one of public manifests of the Neuron operator)",
    read=AS_OF,
)

MANIFESTS: Mapping[str, ManifestPin] = MappingProxyType({pin.name: pin for pin in (MPI_OPERATOR, NEURON_MONITOR)})

# renovate: datasource=github-releases depName=awslabs/amazon-eks-ami
AMI_RELEASE = "v20261023"
"""Release of the EKS-optimized AL2023 images, as Karpenter's alias spells it (awslabs/amazon-eks-ami, 2026-11-29)."""
