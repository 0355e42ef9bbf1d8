"""Sections `cluster` and `systemNodes`: control plane, access, keys, logs, add-ons, and the nodes Karpenter runs on."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from components.catalog.addons import ALL_ADDONS
from components.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from components.catalog.logs import RETENTION_DAYS, RetentionDays
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL
from stacks.problems import one_of
from stacks.replaced import IN_THE_CLUSTER

MIN_SYSTEM_NODES, MAX_SYSTEM_NODES = 2, 20
TUNNEL_PORT = 8443
"""Local port of `./scripts/tunnel`. The Kubernetes provider goes there with `reachableFrom: tunnel`, so it is fixed."""

AccessLevel = Literal["admin", "edit", "view"]


class Endpoint(Section):
    """How the Kubernetes API is reached. It is always open from inside the VPC."""

    public_cidrs: Annotated[
        tuple[str, ...],
        says(
            "Address blocks outside the VPC that may reach the API; empty keeps the endpoint private.",
            "live",
            accepts='a list of IPv4 blocks; never "0.0.0.0/0"',
            example=["203.0.113.0/24"],
        ),
    ] = ()
    reachable_from: Annotated[
        Literal["vpcRunner", "tunnel", "publicCidrs"],
        says(
            "From where `pulumi up` and `destroy` reach the API: a runner in the VPC, ./scripts/tunnel, or one of "
            "publicCidrs.",
            "live",
        ),
    ] = "vpcRunner"


class Encryption(Section):
    """Whose key encrypts Kubernetes Secrets. EKS always encrypts them; the question is with which key."""

    kms_key: Annotated[
        str,
        says(
            "create (a key of ours, rotated yearly), none (a key that AWS owns) or the ARN of a key of another team.",
            "REPLACES",
            change="one-way: none can become a key in place, and a key that is taken off makes a new cluster. EKS "
            "exchanges no key for another: destroy the environment first",
            replaces=("TrainingCluster", *IN_THE_CLUSTER),
            accepts="create, none or arn:aws:kms:<region>:<12 digits>:key/<id>",
            example="create",
        ),
    ] = "create"


class Access(Section):
    """One IAM principal that may use the cluster (an EKS access entry)."""

    principal: Annotated[
        str,
        says(
            "ARN of the IAM role or user.",
            "REPLACES",
            change="the access entry: the old principal loses access at once",
            replaces=("aws:eks/accessEntry:AccessEntry", "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"),
            accepts="arn:aws:iam::<12 digits>:role/<name> or :user/<name>",
            example="arn:aws:iam::111122223333:role/research",
        ),
    ]
    level: Annotated[
        AccessLevel,
        says(
            "What the principal may do.",
            "REPLACES",
            change="the association with the access policy: the principal has no rights for a moment",
            replaces=("aws:eks/accessPolicyAssociation:AccessPolicyAssociation",),
        ),
    ]
    namespaces: Annotated[
        tuple[Annotated[str, Field(pattern=DNS_LABEL, max_length=63)], ...],
        says(
            "Namespaces the level applies to; empty means the whole cluster.",
            "REPLACES",
            change="the association with the access policy: the principal has no rights for a moment",
            replaces=("aws:eks/accessPolicyAssociation:AccessPolicyAssociation",),
            accepts="a list of namespace names (lower-case letters, digits, dashes)",
        ),
    ] = ()
    deployer: Annotated[
        Bool,
        says(
            "True for the identity that runs Pulumi: EKS makes it an administrator by itself, so it gets no "
            "entry of ours.",
            "live",
        ),
    ] = False


class Cluster(Section):
    """The EKS control plane."""

    kubernetes_version: Annotated[
        str,
        says(
            "Kubernetes minor version. One minor upwards at a time; never downwards.",
            "rolls nodes",
            change="the control plane upgrades in place, then the system nodes roll",
            accepts=f"in quotes: {one_of(KUBERNETES_VERSIONS)}",
            example="1.35",
        ),
    ]
    support_type: Annotated[
        Literal["EXTENDED", "STANDARD"],
        says(
            "EXTENDED keeps the version for 12 more months at extra cost; with STANDARD AWS upgrades by itself "
            "when standard "
            "support ends.",
            "live",
        ),
    ] = "EXTENDED"
    endpoint: Annotated[Endpoint, says("How the Kubernetes API is reached.", "per field")] = Endpoint()
    service_cidr: Annotated[
        str,
        says(
            "Block of the addresses of Kubernetes Services; exists inside the cluster only.",
            "REPLACES",
            change="the cluster and everything in it",
            replaces=("TrainingCluster", *IN_THE_CLUSTER),
            accepts="a private IPv4 block from /12 to /24 that does not overlap the VPC",
            example="172.20.0.0/16",
        ),
    ] = "172.20.0.0/16"
    encryption: Annotated[Encryption, says("Whose key encrypts Kubernetes Secrets.", "per field")] = Encryption()
    log_retention_days: Annotated[
        RetentionDays,
        says(
            "How long CloudWatch keeps the control plane's logs; all five kinds are on.",
            "live",
            unit="days",
            accepts=one_of(RETENTION_DAYS),
        ),
    ] = 90
    addon_versions: Annotated[
        Mapping[str, Annotated[str, Field(pattern=r"^v\d+\.\d+\.\d+(-eksbuild\.\d+)?$")]],
        says(
            "Version of each EKS add-on, from `aws eks describe-addon-versions --kubernetes-version <version>`. One "
            "that is not named is EKS' default on the day of the update: a preview warns of it.",
            "live",
            change="the add-on's pods roll; vpc-cni goes up one minor at a time",
            accepts=f"pairs of an add-on ({one_of(ALL_ADDONS)}) and v<number>.<number>.<number>-eksbuild.<number>",
            example={"coredns": "v1.2.3-eksbuild.4"},
        ),
    ] = Field(default_factory=dict)
    access: Annotated[
        tuple[Access, ...],
        says(
            "Who may use the cluster, besides the identity that creates it.", "per field", accepts="a list of entries"
        ),
    ] = ()


class SystemNodes(Section):
    """The nodes that Karpenter, CoreDNS and the operators run on: a managed node group, not scaled by Karpenter."""

    instance_type: Annotated[
        str,
        says(
            "EC2 type of the system nodes.",
            "REPLACES",
            change="the node groups; the new ones are made first",
            replaces=("aws:eks/nodeGroup:NodeGroup",),
            accepts="a CPU type of the catalog",
            example="m7i.2xlarge",
        ),
    ] = "m7i.2xlarge"
    zone: Annotated[
        str | None,
        says(
            "Zone of the state volumes (Slurm's controller, for one). It gets two of the nodes, since an EBS volume "
            "cannot follow its pod into another zone. Null: the first of network.zones.",
            "REPLACES",
            change="nodes move between the zones' groups; volumes stay where they are, so move what uses them first",
            replaces=("SystemNodes",),
            accepts="null or one of network.zones",
            example="us-west-2b",
        ),
    ] = None
    count: Annotated[
        Int,
        Field(ge=MIN_SYSTEM_NODES, le=MAX_SYSTEM_NODES),
        says(
            "Number of system nodes. Karpenter's two replicas refuse to share a node, so two is the least.",
            "live",
            unit="nodes",
            accepts=f"a whole number from {MIN_SYSTEM_NODES} to {MAX_SYSTEM_NODES}",
        ),
    ] = 3

    def home(self, zones: Sequence[str]) -> str:
        """The zone of the state volumes."""
        return self.zone or zones[0]

    def per_zone(self, zones: Sequence[str]) -> Mapping[str, int]:
        """Zone -> nodes: two at home, then one for each other zone, and so on in turn; zones without are absent."""
        home = self.home(zones)
        turns = [*(zone for zone in zones if zone != home), home]
        placed = {home: min(2, self.count)}
        for number in range(self.count - 2):
            zone = turns[number % len(turns)]
            placed[zone] = placed.get(zone, 0) + 1
        return placed
