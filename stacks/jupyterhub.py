"""Section `platform.jupyterhub`: notebooks, in sizes made from the pools. Its rules are in `jupyterhub_rules`."""

from typing import Annotated, Literal

from pydantic import Field

from stacks.chart_overrides import ChartValues
from stacks.durations import ACCEPTS, Duration
from stacks.model import Int, Section, says
from stacks.names import DNS_LABEL, MAX_POOL_NAME

EVERYONE = "*"
"""As a group of a profile: everyone who can log in."""
IMAGE = r"^[a-z0-9][a-z0-9._:/-]*@sha256:[0-9a-f]{64}$"
OWN_CLASSES = ("gp3", "gp3-retain")
"""StorageClasses of this project whose volumes belong to one zone."""

Authenticator = Literal["github", "generic-oauth", "google", "azuread", "auth0", "gitlab", "globus", "native"]
PoolName = Annotated[str, Field(pattern=DNS_LABEL, max_length=MAX_POOL_NAME)]


class ProfileSpec(Section):
    """One choice on the page where a user starts a server."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=40),
        says(
            "What the profile is called; users see it with the hardware behind it.",
            "live",
            accepts="lower-case letters, digits and inner dashes, at most 40 characters",
            example="one-h100",
        ),
    ]
    pool: Annotated[
        PoolName | None,
        says("Pool of nodePools on which it runs; this or generalPool.", "live", accepts="name of a pool"),
    ] = None
    general_pool: Annotated[
        PoolName | None,
        says("Pool of generalPools on which it runs; this or pool.", "live", accepts="name of a pool"),
    ] = None
    accelerators: Annotated[
        Int,
        Field(ge=0, le=64),
        says(
            "Whole GPUs or Neuron devices; several servers share a node when its devices suffice.",
            "live",
            unit="devices",
            accepts="a whole number, at most what the pool's type has; 0 on a general pool",
        ),
    ] = 0
    cpu: Annotated[
        Int,
        Field(ge=1, le=192),
        says("CPUs that the server has for itself.", "live", unit="vCPU", accepts="a whole number from 1 to 192"),
    ] = 2
    memory_gib: Annotated[
        Int,
        Field(ge=1, le=4096, alias="memoryGiB"),
        says(
            "Memory, request and limit alike; /dev/shm counts as a part of it.",
            "live",
            unit="GiB",
            accepts="a whole number from 1 to 4096",
        ),
    ] = 8
    image: Annotated[
        str,
        Field(pattern=IMAGE),
        says(
            "The notebook's image, by digest; it must have jupyterhub-singleuser of JupyterHub 5.",
            "live",
            change="servers that run keep theirs",
            accepts="<repository>@sha256:<64 hexadecimal digits>",
            example=f"registry.example.com/notebook@sha256:{'0' * 64}",
        ),
    ]
    groups: Annotated[
        tuple[str, ...],
        says(
            'Groups of JupyterHub whose members see it; "*" for everyone who can log in. Required with accelerators.',
            "live",
            accepts='a list of groups, or ["*"]',
            example=["research"],
        ),
    ] = ()


class HomeSpec(Section):
    """Where users' home folders are: a volume each, or folders of one claim that many nodes can mount."""

    size_gib: Annotated[
        Int,
        Field(ge=1, le=16_000, alias="sizeGiB"),
        says(
            "Size of each user's volume; ignored with claim.",
            "live",
            change="only volumes made after it",
            unit="GiB",
            accepts="a whole number from 1 to 16000",
        ),
    ] = 20
    storage_class: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "StorageClass of each user's volume. Those of EBS (gp3) tie a user to one zone.",
            "live",
            change="only volumes made after it",
            accepts="name of a StorageClass",
            example="gp3",
        ),
    ] = "gp3"
    claim: Annotated[
        str | None,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "A ReadWriteMany claim (EFS, FSx) in namespace jupyterhub; each user gets a folder of it.",
            "live",
            change="servers started after it; nothing is copied",
            accepts="null or the name of a claim",
            example="home",
        ),
    ] = None


class QuotaSpec(Section):
    """The most that all users have together."""

    servers: Annotated[
        Int,
        Field(ge=1, le=5000),
        says("Servers that run at once.", "live", unit="servers", accepts="a whole number from 1 to 5000"),
    ] = 50
    accelerators: Annotated[
        Int,
        Field(ge=0, le=10_000),
        says(
            "Devices of each kind (GPUs, Neuron devices).",
            "live",
            unit="devices",
            accepts="a whole number from 0 to 10000, at least what the largest profile takes",
        ),
    ] = 0
    storage_gib: Annotated[
        Int,
        Field(ge=10, le=10_000_000, alias="storageGiB"),
        says("All volumes of the namespace.", "live", unit="GiB", accepts="a whole number from 10 to 10000000"),
    ] = 2000


class CullingSpec(Section):
    """When servers are stopped; what is on a user's volume stays."""

    timeout: Annotated[
        Duration,
        says("Stop a server that nobody used for so long.", "live", change="the hub restarts", accepts=ACCEPTS),
    ] = "1h"
    max_age: Annotated[
        Duration,
        says(
            "Stop a server of this age, used or not: an open browser tab alone counts as use.",
            "live",
            change="the hub restarts",
            accepts=f"{ACCEPTS}, not below timeout",
        ),
    ] = "24h"


class AuthSpec(Section):
    """How users log in."""

    authenticator: Annotated[
        Authenticator,
        says("JupyterHub's authenticator; dummy, which takes any name, is none of them.", "live"),
    ]
    secret: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "Secret in namespace jupyterhub whose key values.yaml has hub.config of that authenticator: client id and "
            "secret, callback URL, who is allowed (docs/jupyterhub.md).",
            "live",
            change="the hub restarts; servers go on",
            accepts="name of a Secret",
            example="jupyterhub-auth",
        ),
    ]


class JupyterHubSpec(Section):
    """JupyterHub, reached by port-forward or by an ingress of your own."""

    profiles: Annotated[
        tuple[ProfileSpec, ...],
        Field(min_length=1),
        says(
            "What users may start.",
            "per field",
            accepts="a list of {name, pool or generalPool, image, …}",
            example=[
                {"name": "small", "generalPool": "general", "image": "registry.example.com/notebook@sha256:" + 64 * "0"}
            ],
        ),
    ]
    auth: Annotated[
        AuthSpec | None,
        says(
            "How users log in. Null: nobody can.",
            "live",
            change="the hub restarts",
            accepts="{authenticator, secret} or null",
            example={"authenticator": "github", "secret": "jupyterhub-auth"},
        ),
    ] = None
    home: Annotated[HomeSpec, says("Users' home folders.", "per field")] = HomeSpec()
    quota: Annotated[QuotaSpec, says("The most that all users have together.", "per field")] = QuotaSpec()
    culling: Annotated[CullingSpec, says("When servers are stopped.", "per field")] = CullingSpec()
    values: ChartValues = Field(default_factory=dict)
