"""Rules across sections, run on whatever parts of the file are well-formed, so that one slip does not hide the next."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import ValidationError

from components.catalog.instance_types import INSTANCE_TYPES
from stacks import cluster as cluster_rules
from stacks import network as network_rules
from stacks import pool_rules
from stacks import storage as storage_rules
from stacks.cluster import Access, Cluster, Endpoint, SystemNodes
from stacks.karpenter import Karpenter, check_replicas
from stacks.model import Section
from stacks.network import Network
from stacks.node_pools import NodePool
from stacks.platform import Artifacts, check_artifacts
from stacks.problems import Problem, one_of
from stacks.storage import BucketSpec

RESERVED_TAGS = ("owner", "environment", "Name")

S = TypeVar("S", bound=Section)
Placed = Sequence[tuple[str, S]]
"""Well-formed entries of a list, each with its path."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """The parts of an environment file that are well-formed; `None` or absent where they are not."""

    tags: Mapping[str, object]
    network: Network | None
    cluster: Cluster | None
    endpoint: Endpoint | None
    access: Placed[Access]
    system_nodes: SystemNodes | None
    karpenter: Karpenter | None
    ami_release: str | None
    node_pools: Placed[NodePool]
    buckets: Placed[BucketSpec]
    artifacts: Artifacts | None

    @classmethod
    def of(cls, raw: object) -> "Draft":
        """Read each part by itself and keep those that parse."""
        whole = raw if isinstance(raw, Mapping) else {}
        cluster = _mapping(whole, "cluster")
        release = whole.get("amiRelease")
        return cls(
            tags=_mapping(whole, "tags"),
            network=_part(Network, whole.get("network")),
            cluster=_part(Cluster, whole.get("cluster")),
            endpoint=_part(Endpoint, cluster.get("endpoint", {})),
            access=_entries(Access, cluster.get("access"), "cluster.access"),
            system_nodes=_part(SystemNodes, whole.get("systemNodes", {})),
            karpenter=_part(Karpenter, whole.get("karpenter", {})),
            ami_release=release if isinstance(release, str) else None,
            node_pools=_entries(NodePool, whole.get("nodePools"), "nodePools"),
            buckets=_entries(BucketSpec, _mapping(whole, "storage").get("buckets"), "storage.buckets"),
            artifacts=_part(Artifacts, whole.get("artifacts", {})),
        )


def check_all(draft: Draft, region: str | None) -> Iterator[Problem]:
    """Every rule on every part, in the order of the file."""
    yield from check_tags(draft.tags)
    sound_cidr = False
    if draft.network is not None:
        cidr_problems = list(network_rules.check_cidr(draft.network.cidr))
        sound_cidr = not cidr_problems
        yield from cidr_problems
        yield from network_rules.check_zones(draft.network, region)
    if draft.cluster is not None:
        yield from cluster_rules.check_version(draft.cluster)
    if draft.endpoint is not None:
        yield from cluster_rules.check_endpoint(draft.endpoint)
    for path, access in draft.access:
        yield from cluster_rules.check_access(path, access, region)
    yield from check_one_deployer(draft.access)
    yield from check_unique("principal", [(path, access.principal) for path, access in draft.access])
    if draft.system_nodes is not None:
        yield from cluster_rules.check_system_nodes(draft.system_nodes)
    if draft.karpenter is not None and draft.system_nodes is not None:
        yield from check_replicas(draft.karpenter, draft.system_nodes.count)
    if draft.ami_release is not None:
        yield from check_ami_release(draft.ami_release)
    for path, pool in draft.node_pools:
        yield from pool_rules.check_instance_type(path, pool)
        yield from pool_rules.check_nodes(path, pool)
        yield from pool_rules.check_efa(path, pool)
        yield from pool_rules.check_placement_group(path, pool)
        yield from pool_rules.check_capacity(path, pool)
        if draft.network is not None:
            yield from check_pool_zone(path, pool, draft.network)
    yield from check_unique("name", [(path, pool.name) for path, pool in draft.node_pools])
    yield from check_pool_names(draft.node_pools)
    if draft.network is not None and sound_cidr:
        yield from check_addresses(draft.network, draft.node_pools, draft.system_nodes)
    for path, bucket in draft.buckets:
        yield from storage_rules.check_bucket_name(path, bucket)
    yield from check_unique("name", [(path, bucket.name) for path, bucket in draft.buckets])
    if draft.artifacts is not None:
        yield from check_artifacts(draft.artifacts)


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


def check_unique(field: str, values: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    """Entries of one list differ in the field that names them."""
    first: dict[str, str] = {}
    for path, value in values:
        if value in first:
            yield Problem(
                path=f"{path}.{field}",
                value=value,
                reason=f"{first[value]} has the same {field}.",
                accepted=f"a {field} that no other entry has",
                ways_out=(f"give this entry another {field}", "remove one of the two entries"),
            )
        first.setdefault(value, path)


def check_pool_names(pools: Placed[NodePool]) -> Iterator[Problem]:
    """A fixed pool's NodePool has a suffix; that name may be another pool's own."""
    for path, pool in pools:
        other = next((p for p, o in pools if o.node_pool_name == pool.name and o.name != pool.name), None)
        if other and pool.nodes.fixed is None:
            yield Problem(
                path=f"{path}.name",
                value=pool.name,
                reason=f"{other} is a fixed pool, and its NodePool has this name.",
                accepted="a name that no other NodePool has",
                ways_out=("give this pool another name", f"give {other} another name"),
            )


def check_pool_zone(path: str, pool: NodePool, network: Network) -> Iterator[Problem]:
    """A pool's subnet is that of its zone."""
    if pool.zone not in network.zones:
        yield Problem(
            path=f"{path}.zone",
            value=pool.zone,
            reason="The network has no subnet in this zone.",
            accepted=one_of(network.zones),
            ways_out=(f"set zone: {network.zones[0]}", "add the zone at the end of network.zones (three at most)"),
        )


def check_addresses(network: Network, pools: Placed[NodePool], system: SystemNodes | None) -> Iterator[Problem]:
    """Each zone's subnet has an address for every pod and interface that its nodes can ask for at once."""
    have = network.addresses_per_zone()
    for zone in network.zones:
        asks = [(pool.name, pool.nodes.most, _addresses_per_node(pool)) for _, pool in pools if pool.zone == zone]
        facts = INSTANCE_TYPES.get(system.instance_type) if system else None
        if system and facts and facts.pods_default is not None:
            share = -(-system.count // len(network.zones))
            asks.append(("systemNodes", share, facts.pods_default))
        need = sum(count * each for _, count, each in asks)
        if need > have:
            sums = " + ".join(f"{name} {count} x {each}" for name, count, each in asks)
            prefix = _prefix_for(need)
            yield Problem(
                path="network.cidr",
                value=network.cidr,
                reason=f"The subnet of {zone} ({network.private_subnets()[zone]}) has {have} addresses; its nodes can "
                f"ask for {need} ({sums}).",
                accepted=f"a /{prefix} block or wider" if prefix else f"no block is wide enough for {need} addresses",
                ways_out=(
                    f"use a /{prefix} block" if prefix else "spread the pools over more zones",
                    f"lower nodes.max of the pools in {zone}",
                ),
            )


def _addresses_per_node(pool: NodePool) -> int:
    facts = INSTANCE_TYPES.get(pool.instance_type)
    if facts is None:
        return 0
    if pool.efa_mode == "onRequest":
        # Combined EFA interfaces carry an address each, unlike the efa-only ones of a static layout.
        return (facts.pods_default or 0) + facts.efa_interfaces
    return (facts.pods_static if pool.efa_mode == "static" else facts.pods_default) or 0


def _prefix_for(addresses: int) -> int | None:
    """The narrowest accepted prefix whose quarter holds that many addresses."""
    prefixes = range(network_rules.NARROWEST_PREFIX, network_rules.WIDEST_PREFIX - 1, -1)
    return next((prefix for prefix in prefixes if network_rules.room(prefix) >= addresses), None)


def _mapping(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = raw.get(key)
    return value if isinstance(value, Mapping) else {}


def _part(section: type[S], raw: object) -> S | None:
    try:
        return section.model_validate(raw, by_alias=True, by_name=False)
    except ValidationError:
        return None


def _entries(section: type[S], raw: object, path: str) -> Placed[S]:
    entries: Iterable[object] = raw if isinstance(raw, list | tuple) else ()
    parsed = [(f"{path}[{index}]", _part(section, entry)) for index, entry in enumerate(entries)]
    return [(where, entry) for where, entry in parsed if entry is not None]
