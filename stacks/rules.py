"""Rules across sections, run on whatever parts of the file are well-formed, so that one slip does not hide the next."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from stacks import cluster_rules, network_rules, pool_rules, pools_together, system_rules
from stacks.addresses import check_addresses
from stacks.cluster import Access, Cluster, Encryption, Endpoint, SystemNodes
from stacks.drafts import Placed, entries, mapping, part
from stacks.general_pools import GeneralPool, check_general_pool
from stacks.iam import Iam, check_iam
from stacks.karpenter import Karpenter, check_replicas
from stacks.namespaces import NamespaceSpec, check_namespaces
from stacks.network import Network
from stacks.node_pools import NodePool, as_far_as_known
from stacks.platform import Artifacts, check_artifacts
from stacks.platform_rules import PlatformDraft, check_platform
from stacks.pools_together import check_unique
from stacks.problems import Problem, one_of
from stacks.storage_rules import StorageDraft, check_storage
from stacks.team_rules import check_teams
from stacks.teams import TeamSpec

RESERVED_TAGS = ("owner", "environment", "Name")


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """The parts of an environment file that are well-formed; `None` or absent where they are not."""

    tags: Mapping[str, object]
    iam: Iam | None
    protect_data: bool | None
    network: Network | None
    cluster: Cluster | None
    endpoint: Endpoint | None
    encryption: Encryption | None
    addon_versions: Mapping[str, object]
    access: Placed[Access]
    system_nodes: SystemNodes | None
    karpenter: Karpenter | None
    ami_release: str | None
    node_pools: Placed[NodePool]
    general_pools: Placed[GeneralPool]
    namespaces: Placed[NamespaceSpec]
    storage: StorageDraft
    platform: PlatformDraft
    teams: Placed[TeamSpec]
    artifacts: Artifacts | None

    @classmethod
    def of(cls, raw: object) -> "Draft":
        """Read each part by itself and keep those that parse."""
        whole = raw if isinstance(raw, Mapping) else {}
        cluster = mapping(whole, "cluster")
        release = whole.get("amiRelease")
        protect = mapping(whole, "lifecycle").get("protectData", True)
        return cls(
            tags=mapping(whole, "tags"),
            iam=part(Iam, whole.get("iam", {})),
            protect_data=protect if isinstance(protect, bool) else None,
            network=part(Network, whole.get("network")),
            cluster=part(Cluster, whole.get("cluster")),
            endpoint=part(Endpoint, cluster.get("endpoint", {})),
            encryption=part(Encryption, cluster.get("encryption", {})),
            addon_versions=mapping(cluster, "addonVersions"),
            access=entries(Access, cluster.get("access"), "cluster.access"),
            system_nodes=part(SystemNodes, whole.get("systemNodes", {})),
            karpenter=part(Karpenter, whole.get("karpenter", {})),
            ami_release=release if isinstance(release, str) else None,
            node_pools=entries(NodePool, whole.get("nodePools"), "nodePools"),
            general_pools=entries(GeneralPool, whole.get("generalPools"), "generalPools"),
            namespaces=entries(NamespaceSpec, whole.get("namespaces"), "namespaces"),
            storage=StorageDraft.of(mapping(whole, "storage")),
            platform=PlatformDraft.of(mapping(whole, "platform"), whole.get("secrets", {})),
            teams=entries(TeamSpec, whole.get("teams"), "teams"),
            artifacts=part(Artifacts, whole.get("artifacts", {})),
        )


def check_all(draft: Draft, region: str | None) -> Iterator[Problem]:
    """Every rule on every part, in the order of the file."""
    yield from check_tags(draft.tags)
    if draft.iam is not None:
        yield from check_iam(draft.iam, region)
    if draft.network is not None:
        yield from _network(draft.network, draft, region)
    yield from _cluster(draft, region)
    if draft.system_nodes is not None:
        yield from _system_nodes(draft.system_nodes, draft)
    if draft.karpenter is not None and draft.system_nodes is not None:
        yield from check_replicas(draft.karpenter, draft.system_nodes.count)
    if draft.ami_release is not None:
        yield from check_ami_release(draft.ami_release)
    kubernetes = draft.cluster.kubernetes_version if draft.cluster is not None else None
    for path, pool in draft.node_pools:
        yield from pool_rules.check_pool(path, pool, kubernetes)
    for path, general in draft.general_pools:
        yield from check_general_pool(path, general, kubernetes)
    yield from pools_together.check_pools(draft.node_pools, draft.general_pools, draft.network)
    yield from check_namespaces(draft.namespaces)
    yield from check_storage(
        draft.storage,
        network=draft.network,
        pools=draft.node_pools,
        general=draft.general_pools,
        namespaces=[
            *(namespace.name for _, namespace in draft.namespaces),
            *(team.name for _, team in draft.teams),
            *draft.platform.namespaces,
        ],
        protect_data=draft.protect_data,
        region=region,
    )
    yield from check_platform(
        draft.platform,
        pools=draft.node_pools,
        general=draft.general_pools,
        namespaces=[namespace.name for _, namespace in draft.namespaces],
        teams=[team for _, team in draft.teams],
        zones=draft.network.zones if draft.network is not None else (),
        kubernetes=kubernetes,
        region=region,
    )
    yield from as_far_as_known(
        check_teams(
            draft.teams,
            pools=[pool for _, pool in draft.node_pools],
            namespaces=[namespace.name for _, namespace in draft.namespaces],
            buckets=[bucket.name for _, bucket in draft.storage.buckets],
            bucket_access=[entry for _, entry in draft.storage.access],
            access=draft.access,
            volcano=draft.platform.volcano,
            kueue=draft.platform.kueue,
            slurm=draft.platform.slurm,
            region=region,
        )
    )
    if draft.artifacts is not None:
        yield from check_artifacts(draft.artifacts)


def _network(network: Network, draft: Draft, region: str | None) -> Iterator[Problem]:
    yield from network_rules.check_source(network)
    cidr_problems = list(network_rules.check_cidr(network.cidr)) if network.cidr else []
    yield from cidr_problems
    yield from network_rules.check_zones(network, region)
    yield from network_rules.check_way_out(network, draft.artifacts.images if draft.artifacts else None)
    if not cidr_problems:
        pools, general = [pool for _, pool in draft.node_pools], [pool for _, pool in draft.general_pools]
        yield from check_addresses(network, pools, general, draft.system_nodes)


def _cluster(draft: Draft, region: str | None) -> Iterator[Problem]:
    if draft.cluster is not None:
        yield from cluster_rules.check_version(draft.cluster)
        yield from cluster_rules.check_karpenter(draft.cluster)
        yield from cluster_rules.check_service_cidr(draft.cluster, draft.network)
    if draft.encryption is not None:
        yield from cluster_rules.check_key(draft.encryption, region)
    yield from cluster_rules.check_addon_versions(draft.addon_versions)
    if draft.endpoint is not None:
        yield from cluster_rules.check_endpoint(draft.endpoint)
    for path, access in draft.access:
        yield from cluster_rules.check_access(path, access, region)
    yield from check_one_deployer(draft.access)
    yield from check_unique("principal", [(path, access.principal) for path, access in draft.access])


def _system_nodes(nodes: SystemNodes, draft: Draft) -> Iterator[Problem]:
    yield from system_rules.check_system_nodes(nodes)
    parts = {*draft.platform.system_parts(draft.node_pools), *draft.storage.parts}
    yield from system_rules.check_system_room(nodes, parts, draft.karpenter, draft.platform.system_pods)
    if draft.network is not None:
        yield from system_rules.check_system_zone(nodes, draft.network)


def check_tags(tags: Mapping[str, object]) -> Iterator[Problem]:
    """Tag keys that AWS, Karpenter or this project set themselves."""
    for key, value in tags.items():
        # A key that is no text is a type problem, reported as such.
        name = str(key)
        if name in RESERVED_TAGS or name.lower().startswith(("aws:", "eks:", "kubernetes.io/", "karpenter.")):
            yield Problem(
                path=f"tags.{key}",
                value=value,
                reason="This key is set by AWS, Karpenter or this project.",
                accepted=f"keys other than {one_of(RESERVED_TAGS)} and those that begin with aws:, eks:, "
                "kubernetes.io/, karpenter.",
                ways_out=(
                    "choose another key, such as costCenter",
                    "remove the line (the owner has a field of its own)",
                ),
            )


def check_ami_release(release: str) -> Iterator[Problem]:
    """The release's digits are a day; a well-formed number that is none was mistyped."""
    try:
        datetime.strptime(release, "v%Y%m%d")  # noqa: DTZ007 - a day without a time of day
    except ValueError:
        if release[1:].isdigit() and len(release) == 9:
            yield Problem(
                path="amiRelease",
                value=release,
                reason="These digits are no day of the calendar.",
                accepted="v<year><month><day> of a release of the EKS-optimized AL2023 image",
                ways_out=("use a release that exists, such as v20261023", "look releases up in the image's changelog"),
            )


def check_one_deployer(access: Placed[Access]) -> Iterator[Problem]:
    """One identity creates the cluster."""
    deployers = [path for path, entry in access if entry.deployer]
    for path in deployers[1:]:
        yield Problem(
            path=f"{path}.deployer",
            value=True,
            reason=f"{deployers[0]} is the deployer already, and one identity creates the cluster.",
            accepted="deployer: true once",
            ways_out=("remove deployer: true here: the entry is then made by us", f"remove it from {deployers[0]}"),
        )
