"""Which of the pinned charts an environment installs."""

from components.catalog import pins
from components.catalog.pins import ChartPin
from components.catalog.secrets import needed_secrets
from stacks.device_plugins import with_efa, with_gpus, with_neuron
from stacks.environment import Environment
from stacks.secrets import SECRETS_MANAGER


def charts_of(environment: Environment) -> tuple[str, ...]:
    """Names of charts, as in the catalog's pins; a mirror has to hold these and no others."""
    platform, pools = environment.platform, environment.node_pools
    gpus = platform.nvidia if with_gpus(pools) else None
    operator = gpus.gpu_operator if gpus is not None else None
    store = environment.secrets.backend == SECRETS_MANAGER
    asked: tuple[tuple[ChartPin, object], ...] = (
        (pins.KARPENTER_CRDS, True),
        (pins.KARPENTER, True),
        (pins.NVIDIA_DEVICE_PLUGIN, gpus is not None and operator is None),
        (pins.GPU_OPERATOR, operator),
        (pins.NEURON, platform.neuron if with_neuron(pools) else None),
        (pins.EFA_DEVICE_PLUGIN, platform.efa if with_efa(pools) else None),
        (pins.CERT_MANAGER, platform.cert_manager),
        (pins.SLURM_OPERATOR_CRDS, platform.slurm),
        (pins.SLURM_OPERATOR, platform.slurm),
        (pins.SLURM, platform.slurm),
        (pins.VOLCANO, platform.volcano),
        (pins.KUEUE, platform.kueue),
        (pins.KUBERAY, platform.kuberay),
        (pins.JUPYTERHUB, platform.jupyterhub),
        (pins.KUBE_PROMETHEUS_STACK, platform.monitoring),
        (pins.DCGM_EXPORTER, platform.monitoring if with_gpus(pools) else None),
        (pins.EXTERNAL_SECRETS, store and needed_secrets(environment.model_dump(by_alias=True))),
    )
    return tuple(pin.name for pin, wanted in asked if wanted not in (None, False, ()))
