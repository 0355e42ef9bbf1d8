"""What runs in the cluster: rules of the API server, namespaces, operators and schedulers."""

from collections.abc import Sequence

import pulumi

from components.platform.admission import AdmissionPolicies, AdmissionPoliciesArgs
from components.platform.admission_pools import pool_table
from components.platform.cert_manager import CertManager, CertManagerArgs
from components.platform.device_plugins import DevicePlane, create_device_plugins
from components.platform.jupyterhub import JupyterHub, JupyterHubArgs
from components.platform.keys import Keys, create_secrets
from components.platform.kuberay import KubeRay, KubeRayArgs
from components.platform.kueue import Kueue, KueueArgs
from components.platform.monitoring import Monitoring, MonitoringArgs
from components.platform.mpi_operator import MpiOperator, MpiOperatorArgs
from components.platform.namespaces import Namespaces, NamespacesArgs
from components.platform.platform_namespaces import PlatformNamespaces, PlatformNamespacesArgs
from components.platform.secrets import PlatformSecrets
from components.platform.slurm_assembly import create_slurm
from components.platform.volcano import Volcano, VolcanoArgs
from components.surroundings import Surroundings
from stacks.environment import Environment
from stacks.teams import team_namespaces, with_team_namespaces, with_team_queues


def create_namespaces(environment: Environment, around: Surroundings) -> tuple[Namespaces, PlatformNamespaces]:
    """Namespaces of workloads and of the platform, and the rules that the API server holds workloads to."""
    volcano = environment.platform.volcano
    queues = with_team_queues(volcano, environment.teams).queues if volcano is not None else ()
    AdmissionPolicies(
        "admission",
        AdmissionPoliciesArgs(
            pools=pool_table(environment.node_pools, queues), elsewhere=environment.admission.elsewhere == "warn"
        ),
        opts=around.in_cluster,
    )
    protect = environment.lifecycle.protect_data
    return (
        Namespaces(
            "namespaces",
            NamespacesArgs(
                namespaces=(*environment.namespaces, *team_namespaces(environment.teams)),
                kubernetes_version=environment.cluster.kubernetes_version,
                protect=protect,
            ),
            opts=around.in_cluster,
        ),
        PlatformNamespaces(
            "platform",
            PlatformNamespacesArgs(platform=environment.platform, protect=protect),
            opts=around.in_cluster,
        ),
    )


def create_devices(environment: Environment, around: Surroundings) -> Sequence[pulumi.Resource]:
    """The device plugins that the pools need. Pools come after them: their first node finds its plugin."""
    platform = environment.platform
    plane = DevicePlane(
        nvidia=platform.nvidia,
        neuron=platform.neuron,
        efa=platform.efa,
        pools=environment.node_pools,
        kubernetes=environment.cluster.kubernetes_version,
        region=around.region,
        charts=environment.artifacts.charts,
        images=environment.artifacts.images,
    )
    return create_device_plugins(plane, around.in_cluster)


def create_platform(
    environment: Environment,
    around: Surroundings,
    *,
    namespaces: PlatformNamespaces,
    workloads: Namespaces,
    keys: Keys,
) -> None:
    """Everything of the section `platform` that is on.

    Args:
        environment: the environment.
        around: what stands; pods of Slurm and JupyterHub mount volumes, which are among what it comes after.
        namespaces: of the parts.
        workloads: namespaces of jobs, which queues of Kueue name.
        keys: `keys_of` the environment.
    """
    platform = environment.platform
    charts, images = environment.artifacts.charts, environment.artifacts.images
    secrets = create_secrets(environment, around, namespaces=namespaces, keys=keys)
    monitoring = _monitoring(environment, around, namespaces, secrets)
    volcano = None
    if platform.volcano is not None:
        volcano = Volcano(
            "volcano",
            VolcanoArgs(
                settings=with_team_queues(platform.volcano, environment.teams),
                pools=environment.node_pools,
                protect=platform.volcano.protected(environment.lifecycle.deletion_protection),
                charts=charts,
                images=images,
            ),
            opts=around.in_cluster,
        )
    # Both look for Volcano's definitions when they start, and Ray's release has a ServiceMonitor on request.
    mpi_operator = kuberay = None
    if platform.mpi_operator is not None:
        mpi_operator = MpiOperator(
            "mpi-operator",
            MpiOperatorArgs(settings=platform.mpi_operator, images=images),
            opts=around.after(*_made(volcano)).in_cluster,
        )
    if platform.kuberay is not None:
        kuberay = KubeRay(
            "kuberay",
            KubeRayArgs(settings=platform.kuberay, charts=charts, images=images),
            opts=around.after(*_made(volcano, monitoring)).in_cluster,
        )
    if platform.kueue is not None:
        Kueue(
            "kueue",
            KueueArgs(
                settings=with_team_namespaces(platform.kueue, environment.teams),
                pools=environment.node_pools,
                charts=charts,
                images=images,
            ),
            opts=around.after(workloads, *_made(mpi_operator, kuberay)).in_cluster,
        )
    if platform.jupyterhub is not None and namespaces.jupyterhub is not None:
        JupyterHub(
            "jupyterhub",
            JupyterHubArgs(
                spec=platform.jupyterhub,
                pools=environment.node_pools,
                general_pools=environment.general_pools,
                namespace=namespaces.jupyterhub,
                charts=charts,
                images=images,
            ),
            opts=around.in_cluster,
        )
    cert_manager = None
    if platform.cert_manager is not None:
        cert_manager = CertManager(
            "cert-manager",
            CertManagerArgs(charts=charts, images=images, values=platform.cert_manager.values),
            opts=around.in_cluster,
        )
    if platform.slurm is not None and namespaces.slurm is not None:
        create_slurm(
            environment,
            platform.slurm,
            around.after(*_made(cert_manager, monitoring)),
            namespace=namespaces.slurm,
            secrets=secrets,
        )


def _monitoring(
    environment: Environment,
    around: Surroundings,
    namespaces: PlatformNamespaces,
    secrets: PlatformSecrets | None,
) -> Monitoring | None:
    platform = environment.platform
    if platform.monitoring is None or namespaces.monitoring is None:
        return None
    # Grafana's pod asks for its Secret at once, and Helm waits for the pod.
    after = around.after(*_made(secrets)) if platform.monitoring.grafana is not None else around
    return Monitoring(
        "monitoring",
        MonitoringArgs(
            spec=platform.monitoring,
            pools=environment.node_pools,
            namespace=namespaces.monitoring,
            volcano=platform.volcano is not None,
            charts=environment.artifacts.charts,
            images=environment.artifacts.images,
        ),
        opts=after.in_cluster,
    )


def _made(*parts: pulumi.Resource | None) -> list[pulumi.Resource]:
    return [part for part in parts if part is not None]
