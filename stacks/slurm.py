"""Section `platform.slurm`: one Slurm cluster on the pools. Its rules are in `slurm_rules`."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from components.catalog.slurm import IMAGE_TAG, MAX_CLUSTER_NAME, MINIMUM_SLURM
from stacks.chart_overrides import ChartValues
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL
from stacks.slurm_accounting import AccountingSpec
from stacks.slurm_node_sets import ClaimMount, NodeSetSpec, PartitionSpec
from stacks.slurm_tokens import TokenSpec

BY_DIGEST = r"^[a-z0-9][a-z0-9.:_/-]*@sha256:[0-9a-f]{64}$"
DIGEST = r"^sha256:[0-9a-f]{64}$"
_ROLLS = "pods take it when they are next replaced (updates are OnDelete)"

ImageByDigest = Annotated[str, Field(pattern=BY_DIGEST)]
Digest = Annotated[str, Field(pattern=DIGEST)]
SecretName = Annotated[str, Field(pattern=DNS_LABEL, max_length=63)]


class NodeImages(Section):
    """Images of slurmd. Slinky's own has no CUDA, EFA, Neuron or PyTorch, so a job in it trains nothing."""

    gpu: Annotated[
        ImageByDigest | None,
        says(
            f"Image of Slurm nodes on GPU pools: slurmd {MINIMUM_SLURM} or later, CUDA, EFA, aws-ofi-nccl "
            "(images/slurmd builds one).",
            "live",
            change=_ROLLS,
            accepts="null or <repository>@sha256:<64 hexadecimal digits>",
            example="registry.example.com/slurmd-gpu@sha256:" + 64 * "0",
        ),
    ] = None
    neuron: Annotated[
        ImageByDigest | None,
        says(
            f"Image of Slurm nodes on Trainium and Inferentia pools: slurmd {MINIMUM_SLURM} or later, Neuron SDK, EFA.",
            "live",
            change=_ROLLS,
            accepts="null or <repository>@sha256:<64 hexadecimal digits>",
            example="registry.example.com/slurmd-neuron@sha256:" + 64 * "0",
        ),
    ] = None


class ImageDigests(Section):
    """Digests of Slinky's images. Null leaves the tag, which moves: a pod that restarts may run another build."""

    slurmctld: Annotated[
        Digest | None,
        says(f"Of slurmctld:{IMAGE_TAG}.", "live", change="slurmctld restarts", accepts="null or sha256:<64 digits>"),
    ] = None
    slurmrestd: Annotated[
        Digest | None,
        says(f"Of slurmrestd:{IMAGE_TAG}.", "live", change="slurmrestd restarts", accepts="null or sha256:<64 digits>"),
    ] = None
    slurmdbd: Annotated[
        Digest | None,
        says(f"Of slurmdbd:{IMAGE_TAG}.", "live", change="slurmdbd restarts", accepts="null or sha256:<64 digits>"),
    ] = None
    login: Annotated[
        Digest | None,
        says(f"Of login:{IMAGE_TAG}.", "live", change="login pods restart", accepts="null or sha256:<64 digits>"),
    ] = None


class ControllerSpec(Section):
    """slurmctld and the volume of its state: queue, jobs, node states. The volume outlives the cluster."""

    storage_gib: Annotated[
        Int,
        Field(ge=4, le=1024, alias="storageGiB"),
        says(
            "Size of the state volume (encrypted gp3, kept when its claim goes); it can grow, never shrink.",
            "live",
            unit="GiB",
            accepts="a whole number from 4 to 1024",
        ),
    ] = 10


class LoginService(Section):
    """How the login pods' SSH is reached. Without it: `kubectl exec` and `kubectl port-forward` only."""

    source_cidrs: Annotated[
        tuple[str, ...],
        Field(min_length=1),
        says(
            "Blocks that may connect to an INTERNAL load balancer in front of the login pods.",
            "live",
            accepts="a list of IPv4 blocks, none open to the world",
            example=["10.0.0.0/8"],
        ),
    ]


class LoginSpec(Section):
    """Pods to log in to: they submit jobs and compute nothing."""

    replicas: Annotated[
        Int, Field(ge=1, le=10), says("Pods.", "live", unit="pods", accepts="a whole number from 1 to 10")
    ] = 1
    service: Annotated[
        LoginService | None,
        says(
            "Null: a ClusterIP service, for kubectl port-forward. {sourceCidrs: […]}: an internal load balancer. "
            "There is no public one.",
            "per field",
            accepts="null or {sourceCidrs: […]}",
            example={"sourceCidrs": ["10.0.0.0/8"]},
        ),
    ] = None
    sssd_secret: Annotated[
        SecretName | None,
        says(
            "Secret in namespace slurm whose key sssd.conf says where users come from (LDAP, AD); null for none but "
            "those of the image.",
            "live",
            change="login pods restart",
            accepts="null or name of a Secret",
            example="slurm-sssd-ldap",
        ),
    ] = None
    claims: Annotated[
        tuple[ClaimMount, ...], says("Volumes to mount.", "per field", accepts="a list of {claim, path}")
    ] = ()


class MetricsSpec(Section):
    """Slurm's own metrics of jobs, nodes, partitions and the scheduler, at port 6817 of the controller."""

    service_monitor: Annotated[
        Bool,
        says("A ServiceMonitor for them; needs Prometheus' operator in the cluster.", "live"),
    ] = False


class KeySecrets(Section):
    """Names of the Secrets with Slurm's keys, in namespace slurm. They must exist; the chart makes none."""

    slurm: Annotated[
        SecretName,
        says(
            "Secret whose key slurm.key authenticates the daemons to each other. Rotate its data, never its name.",
            "REPLACES",
            change="the Secret; but the webhook refuses another name while the cluster stands, so remove it first",
            replaces=("PlatformSecrets",),
            accepts="name of a Secret",
        ),
    ] = "slurm-auth-slurm"
    jwt: Annotated[
        SecretName,
        says(
            "Secret whose key jwt.key signs tokens. Rotate its data, never its name.",
            "REPLACES",
            change="the Secret; but the webhook refuses another name while the cluster stands, so remove it first",
            replaces=("PlatformSecrets",),
            accepts="name of a Secret",
        ),
    ] = "slurm-auth-jwt"


class SlurmSpec(Section):
    """A Slurm cluster by Slinky: controller, REST API and node sets on the pools. Needs certManager."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_CLUSTER_NAME),
        says(
            "Slurm's ClusterName and the beginning of its objects' names.",
            "REPLACES",
            change="the node sets, whose jobs end, and the volume with the state, which lifecycle.protectData forbids",
            replaces=("SlurmState", "SlurmCluster", "SlurmTokens"),
            accepts=f"lower-case letters, digits and inner dashes, at most {MAX_CLUSTER_NAME} characters",
            example="slurm",
        ),
    ] = "slurm"
    node_image: Annotated[
        NodeImages,
        says("Images of the Slurm nodes, by digest.", "per field", accepts="{gpu: …, neuron: …}"),
    ] = NodeImages()
    node_sets: Annotated[
        tuple[NodeSetSpec, ...],
        says("Slurm nodes: one set a pool.", "per field", accepts="a list of {pool, replicas, …}"),
    ] = ()
    partitions: Annotated[
        tuple[PartitionSpec, ...],
        says(
            "Partitions over several sets, beside the one of each set. There must be one of either kind.",
            "per field",
            accepts="a list of {name, pools, …}",
        ),
    ] = ()
    controller: Annotated[ControllerSpec, says("slurmctld and its state.", "per field")] = ControllerSpec()
    config: Annotated[
        Mapping[Annotated[str, Field(pattern=r"^[A-Za-z]+$")], Annotated[str, Field(pattern=r"^[^\n]+$")] | Int],
        says(
            "More lines of slurm.conf. Those that the operator and this project write are refused.",
            "live",
            change="slurmctld reads it again in place",
            accepts="pairs of a key of slurm.conf and its value, on one line",
            example={"PriorityType": "priority/multifactor"},
        ),
    ] = Field(default_factory=dict)
    accounting: Annotated[
        AccountingSpec | None,
        says(
            "Records of jobs, accounts and limits in a database; null keeps none.",
            "per field",
            accepts="{existing: {…}}, {database: {…}} or null",
            example={"database": {}},
        ),
    ] = None
    login: Annotated[
        LoginSpec | None, says("Login pods; null for none.", "per field", accepts="{…} or null", example={})
    ] = None
    metrics: Annotated[
        MetricsSpec | None, says("Metrics of Slurm; null for none.", "per field", accepts="{…} or null", example={})
    ] = MetricsSpec()
    keys: Annotated[KeySecrets, says("Secrets with Slurm's keys.", "per field")] = KeySecrets()
    tokens: Annotated[
        tuple[TokenSpec, ...],
        says(
            "Tokens (JWT) for programs that use the REST API, in Secrets of namespace slurm.",
            "per field",
            accepts="a list of {user, lifetime}",
        ),
    ] = ()
    image_digests: Annotated[ImageDigests, says("Digests of Slinky's images of the control plane.", "per field")] = (
        ImageDigests()
    )
    operator_replicas: Annotated[
        Int,
        Field(ge=1, le=3),
        says(
            "Pods of the operator, and as many of its webhook. With one, node sets cannot change while it restarts.",
            "live",
            unit="pods",
            accepts="a whole number from 1 to 3",
        ),
    ] = 2
    values: ChartValues = Field(default_factory=dict)
