"""What each part of the platform asks of the system nodes, and what such a node has to give."""

from dataclasses import dataclass

_CHART = "shared/charts, read 2026-11-29"
_UPSTREAM = "default of the upstream manifest, from memory; open until `aws eks describe-addon-configuration` is read"
_FSX = "values.yaml of chart aws-fsx-csi-driver 1.17.0, kubernetes-sigs/aws-fsx-csi-driver; read 2026-11-29"


@dataclass(frozen=True, kw_only=True)
class Requests:
    """Requests of one workload: per pod, in thousandths of a core and MiB."""

    name: str
    replicas: int | None
    """`None` for a DaemonSet: one pod on each node."""
    cpu_m: int
    memory_mib: int
    source: str
    part: str = ""
    """What brings it: a field of section `platform` (dotted where it is a field of a part), or `storage.<field>`; empty
    for what every cluster has."""

    @property
    def always(self) -> bool:
        return not self.part

    def cpu_m_on(self, nodes: int) -> int:
        """CPU of all its pods on that many nodes."""
        return self.cpu_m * (nodes if self.replicas is None else self.replicas)

    def memory_mib_on(self, nodes: int) -> int:
        """Memory of all its pods on that many nodes."""
        return self.memory_mib * (nodes if self.replicas is None else self.replicas)


SYSTEM_REQUESTS: tuple[Requests, ...] = (
    Requests(
        name="karpenter",
        replicas=2,
        cpu_m=1000,
        memory_mib=1024,
        source=f"karpenter values.yaml, controller.resources (the commented example); {_CHART}",
    ),
    Requests(name="coredns", replicas=2, cpu_m=100, memory_mib=70, source=_UPSTREAM),
    Requests(name="metrics-server", replicas=2, cpu_m=100, memory_mib=200, source=_UPSTREAM),
    # Six containers of 10m and 40Mi in the controller, three on each node.
    Requests(name="aws-ebs-csi-driver controller", replicas=2, cpu_m=60, memory_mib=240, source=_UPSTREAM),
    Requests(name="aws-ebs-csi-driver node", replicas=None, cpu_m=30, memory_mib=120, source=_UPSTREAM),
    Requests(name="vpc-cni", replicas=None, cpu_m=50, memory_mib=0, source=_UPSTREAM),
    Requests(name="kube-proxy", replicas=None, cpu_m=100, memory_mib=0, source=_UPSTREAM),
    Requests(name="eks-node-monitoring-agent", replicas=None, cpu_m=10, memory_mib=30, source=_UPSTREAM),
    Requests(
        name="gpu-operator",
        replicas=1,
        cpu_m=310,
        memory_mib=356,
        source="NVIDIA/gpu-operator v26.7.0 values.yaml: operator, NFD master and gc, one pod of each; read 2026-11-29",
        part="nvidia.gpuOperator",
    ),
    Requests(
        name="neuron scheduler",
        replicas=1,
        cpu_m=150,
        memory_mib=192,
        source="components/platform/neuron_plugin_values.py, which sets them: extension and second scheduler",
        part="neuron.schedulerExtension",
    ),
    Requests(
        name="volcano",
        replicas=3,
        cpu_m=250,
        memory_mib=512,
        source="components/platform/volcano_values.py, which sets them: scheduler, controller, admission",
        part="volcano",
    ),
    # Four containers in the controller, three on each node; the first asks for 40Mi, the others for 32Mi.
    Requests(
        name="aws-fsx-csi-driver controller",
        replicas=2,
        cpu_m=40,
        memory_mib=136,
        source=_FSX,
        part="storage.lustre",
    ),
    Requests(
        name="aws-fsx-csi-driver node", replicas=None, cpu_m=30, memory_mib=104, source=_FSX, part="storage.lustre"
    ),
    # Its controller, its sidecars, the Mountpoint pods beside those that mount a bucket, and all of the EFS driver ask
    # for nothing.
    Requests(
        name="aws-mountpoint-s3-csi-driver node",
        replicas=None,
        cpu_m=10,
        memory_mib=40,
        source="values.yaml of awslabs/mountpoint-s3-csi-driver, chart 2.7.0; read 2026-11-29",
        part="storage.bucketMounts",
    ),
    Requests(
        name="cert-manager",
        replicas=4,
        cpu_m=50,
        memory_mib=128,
        source="components/platform/cert_manager_values.py, which sets them: controller, cainjector, two webhooks",
        part="certManager",
    ),
    Requests(
        name="slurm-operator",
        replicas=4,
        cpu_m=100,
        memory_mib=256,
        source="components/platform/slinky_values.py, which sets them: two operators, two webhooks",
        part="slurm",
    ),
    Requests(
        name="slurmctld, slurmrestd, slurmdbd, login pods",
        replicas=5,
        cpu_m=500,
        memory_mib=1024,
        source="components/platform/slurm_values.py, which sets them",
        part="slurm",
    ),
    Requests(
        name="mpi-operator",
        replicas=1,
        cpu_m=100,
        memory_mib=256,
        source="components/platform/mpi_operator.py, which sets them",
        part="mpiOperator",
    ),
    Requests(
        name="kuberay-operator",
        replicas=1,
        cpu_m=250,
        memory_mib=1024,
        source="components/platform/kuberay_values.py, which sets them",
        part="kuberay",
    ),
    Requests(
        name="kueue",
        replicas=1,
        cpu_m=500,
        memory_mib=512,
        source="components/platform/kueue_values.py, which sets them; the chart's own",
        part="kueue",
    ),
    Requests(
        name="external-secrets",
        replicas=4,
        cpu_m=50,
        memory_mib=128,
        source="components/platform/external_secrets_values.py, which sets them: operator, two webhooks, certificates",
        part="secretsManager",
    ),
    Requests(
        name="jupyterhub",
        replicas=2,
        cpu_m=250,
        memory_mib=512,
        source="components/platform/jupyterhub_values.py, which sets them: hub and proxy",
        part="jupyterhub",
    ),
    Requests(
        name="prometheus",
        replicas=1,
        cpu_m=1000,
        memory_mib=4096,
        source="components/platform/monitoring_values.py, which sets them",
        part="monitoring",
    ),
    Requests(
        name="prometheus operator, kube-state-metrics, Grafana, Alertmanager",
        replicas=4,
        cpu_m=100,
        memory_mib=256,
        source="components/platform/monitoring_values.py, which sets them",
        part="monitoring",
    ),
    Requests(
        name="sidecars of Grafana, Prometheus and Alertmanager",
        replicas=4,
        cpu_m=10,
        memory_mib=64,
        source="components/platform/monitoring_values.py, which sets them",
        part="monitoring",
    ),
    Requests(
        name="node-exporter",
        replicas=None,
        cpu_m=50,
        memory_mib=64,
        source="components/platform/monitoring_values.py, which sets them",
        part="monitoring",
    ),
)
"""Everything that we place on system nodes. A new part of the platform adds its row here."""


@dataclass(frozen=True, kw_only=True)
class Room:
    """What pods can ask for on one node."""

    cpu_m: int
    memory_mib: int


def allocatable(*, vcpu: int, memory_gib: float, max_pods: int) -> Room:
    """Allocatable of an AL2023 node, rounded down.

    The image reserves 255 MiB and 11 MiB a pod, keeps 100 MiB free of eviction, and 6 % of the first core, 1 % of the
    second, 0.5 % of the next two and 0.25 % of the rest. 7.5 % of the nominal memory is no memory at all for the guest
    (Karpenter's vmMemoryOverheadPercent). Source: awslabs/amazon-eks-ami, kubelet defaults of nodeadm, as public
    re-implementations quote them; Karpenter values.yaml 1.15.2 (read 2026-11-29). Not measured on a node.
    """
    shares = (60, 10, 5, 5)
    reserved_cpu = sum(shares[:vcpu]) + max(vcpu - len(shares), 0) * 2.5
    memory = memory_gib * 1024 * (1 - 0.075) - (255 + 11 * max_pods) - 100
    return Room(cpu_m=int(vcpu * 1000 - reserved_cpu), memory_mib=int(memory))
