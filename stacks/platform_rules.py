"""The rules of the sections `platform` and `secrets`, run on whatever of them is well-formed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.catalog.secrets import needed_secrets
from stacks.accounting import check_database
from stacks.cert_manager import CertManagerSpec
from stacks.chart_overrides import check_values
from stacks.device_plugin_rules import check_device_plugins
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec, system_parts
from stacks.devices_together import check_counts
from stacks.drafts import Placed, part
from stacks.general_pools import GeneralPool
from stacks.jupyterhub import JupyterHubSpec
from stacks.jupyterhub_rules import check_jupyterhub
from stacks.kueue import KueueSpec
from stacks.kueue_rules import check_kueue
from stacks.model import Section
from stacks.monitoring import MonitoringSpec, check_monitoring
from stacks.node_pools import NodePool, as_far_as_known
from stacks.platform import WITH_VOLUMES
from stacks.problems import Problem
from stacks.schedulers import KubeRaySpec, MpiOperatorSpec, check_kuberay, check_mpi_operator
from stacks.secrets import SECRETS_MANAGER, SecretsSpec, check_secrets
from stacks.slurm import SlurmSpec
from stacks.slurm_rules import check_slurm
from stacks.teams import TeamSpec, with_team_namespaces
from stacks.volcano import VolcanoSpec
from stacks.volcano_rules import check_volcano


@dataclass(frozen=True, kw_only=True, slots=True)
class PlatformDraft:
    """The parts that are on and well-formed; None for the others."""

    on: Collection[str]
    """Names of the parts that the file turns on, well-formed or not, as YAML has them."""
    nvidia: NvidiaSpec | None
    neuron: NeuronSpec | None
    efa: EfaSpec | None
    cert_manager: CertManagerSpec | None
    slurm: SlurmSpec | None
    mpi_operator: MpiOperatorSpec | None
    volcano: VolcanoSpec | None
    kueue: KueueSpec | None
    kuberay: KubeRaySpec | None
    jupyterhub: JupyterHubSpec | None
    monitoring: MonitoringSpec | None
    secrets: SecretsSpec | None
    needed: Mapping[str, Any]
    """What `needed_secrets` reads."""

    @classmethod
    def of(cls, platform: Mapping[str, object], secrets: object) -> "PlatformDraft":
        """Read each part by itself. A line that is absent turns a device plugin on and every other part off."""
        return cls(
            on={name for name, settings in platform.items() if settings is not None},
            nvidia=part(NvidiaSpec, platform.get("nvidia", {})),
            neuron=part(NeuronSpec, platform.get("neuron", {})),
            efa=part(EfaSpec, platform.get("efa", {})),
            cert_manager=part(CertManagerSpec, platform.get("certManager")),
            slurm=part(SlurmSpec, platform.get("slurm")),
            mpi_operator=part(MpiOperatorSpec, platform.get("mpiOperator")),
            volcano=part(VolcanoSpec, platform.get("volcano")),
            kueue=part(KueueSpec, platform.get("kueue")),
            kuberay=part(KubeRaySpec, platform.get("kuberay")),
            jupyterhub=part(JupyterHubSpec, platform.get("jupyterhub")),
            monitoring=part(MonitoringSpec, platform.get("monitoring")),
            secrets=part(SecretsSpec, secrets),
            needed={"platform": platform},
        )

    @property
    def sections(self) -> Mapping[str, Section]:
        """Path -> section, of those that are on and well-formed."""
        found = {
            "platform.nvidia": self.nvidia,
            "platform.neuron": self.neuron,
            "platform.efa": self.efa,
            "platform.certManager": self.cert_manager,
            "platform.slurm": self.slurm,
            "platform.mpiOperator": self.mpi_operator,
            "platform.volcano": self.volcano,
            "platform.kueue": self.kueue,
            "platform.kuberay": self.kuberay,
            "platform.jupyterhub": self.jupyterhub,
            "platform.monitoring": self.monitoring,
            "secrets": self.secrets,
        }
        return {path: section for path, section in found.items() if section is not None}

    def system_parts(self, pools: Placed[NodePool]) -> set[str]:
        """What runs on system nodes, by the names in the catalog's table of requests."""
        of_pools = system_parts(self.nvidia, self.neuron, [pool for _, pool in pools])
        manager = self.secrets is not None and self.secrets.backend == SECRETS_MANAGER
        return {*self.on, *of_pools, *([SECRETS_MANAGER] if manager and needed_secrets(self.needed) else [])}

    @property
    def system_pods(self) -> Mapping[str, int]:
        """Rows of the catalog's table of requests -> pods, where the environment says how many there are."""
        pods: dict[str, int] = {}
        if self.volcano is not None:
            pods["volcano"] = 3 * self.volcano.replicas
        if self.mpi_operator is not None:
            pods["mpi-operator"] = self.mpi_operator.replicas
        if self.kueue is not None:
            pods["kueue"] = self.kueue.replicas
        if self.kuberay is not None:
            pods["kuberay-operator"] = self.kuberay.replicas
        if self.slurm is not None:
            pods["slurm-operator"] = 2 * self.slurm.operator_replicas
            login = self.slurm.login.replicas if self.slurm.login is not None else 0
            pods["slurmctld, slurmrestd, slurmdbd, login pods"] = 3 + (self.slurm.accounting is not None) + login
        return pods

    @property
    def namespaces(self) -> Collection[str]:
        """Namespaces of the parts that are on, which storage may name."""
        return [namespace for name, namespace in WITH_VOLUMES.items() if name in self.on]


def check_platform(
    draft: PlatformDraft,
    *,
    pools: Placed[NodePool],
    general: Placed[GeneralPool],
    namespaces: Collection[str],
    teams: Sequence[TeamSpec],
    zones: Collection[str],
    kubernetes: str | None,
    region: str | None,
) -> Iterator[Problem]:
    """Every rule, in the order of the file.

    Args:
        draft: the sections.
        pools: the well-formed entries of `nodePools`.
        general: those of `generalPools`.
        namespaces: names of those of `namespaces`.
        teams: the well-formed entries of `teams`, whose namespaces use queues of Kueue.
        zones: `network.zones`; empty where that section is not well-formed.
        kubernetes: `cluster.kubernetesVersion`; None where it is not well-formed.
        region: of the stack; None leaves out what compares with it.
    """
    training = [pool for _, pool in pools]
    yield from check_device_plugins(
        "platform", nvidia=draft.nvidia, neuron=draft.neuron, efa=draft.efa, pools=pools, kubernetes=kubernetes
    )
    if draft.cert_manager is not None:
        yield from check_values("platform.certManager.values", "cert-manager", draft.cert_manager.values)
    if draft.slurm is not None:
        yield from as_far_as_known(_slurm(draft.slurm, training, draft, zones))
    if draft.mpi_operator is not None:
        yield from check_mpi_operator("platform.mpiOperator", draft.mpi_operator, volcano="volcano" in draft.on)
    if draft.volcano is not None:
        yield from check_volcano("platform.volcano", draft.volcano, pools=training)
    if draft.kueue is not None:
        yield from as_far_as_known(
            check_kueue(
                "platform.kueue",
                with_team_namespaces(draft.kueue, teams),
                pools=training,
                namespaces=[*namespaces, *(team.name for team in teams)],
                volcano=draft.volcano,
                mpi_operator=draft.mpi_operator,
                kuberay=draft.kuberay,
            )
        )
    if draft.kuberay is not None:
        yield from check_kuberay(
            "platform.kuberay", draft.kuberay, volcano="volcano" in draft.on, monitoring="monitoring" in draft.on
        )
    if draft.jupyterhub is not None:
        yield from as_far_as_known(
            check_jupyterhub(
                "platform.jupyterhub",
                draft.jupyterhub,
                pools=training,
                general_pools=[pool for _, pool in general],
                zones=list(zones),
            )
        )
    if draft.monitoring is not None:
        yield from check_monitoring("platform.monitoring", draft.monitoring, pools=training, nvidia=draft.nvidia)
    yield from as_far_as_known(check_counts(draft.sections, pools=pools, general=general))
    if draft.secrets is not None:
        yield from check_secrets("secrets", draft.secrets, needed=needed_secrets(draft.needed), region=region)


def _slurm(slurm: SlurmSpec, pools: list[NodePool], draft: PlatformDraft, zones: Collection[str]) -> Iterator[Problem]:
    yield from check_slurm("platform.slurm", slurm, pools=pools, cert_manager="certManager" in draft.on)
    ours = slurm.accounting.database if slurm.accounting is not None else None
    if ours is not None and zones:
        yield from check_database("platform.slurm.accounting.database", ours, zones=list(zones))
