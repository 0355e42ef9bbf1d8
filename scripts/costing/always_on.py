"""Lines of what runs from `up` to `destroy`, whether anybody works or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from components.catalog.endpoints import SERVICES
from components.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from components.catalog.secrets import needed_secrets
from components.catalog.service_prices import (
    ADDRESS_HOUR,
    EKS,
    ELB,
    ENDPOINT_HOUR,
    EXTENDED_SUPPORT,
    KMS,
    NAT_HOUR,
    RDS,
    SECRETS_MANAGER,
    STANDARD_SUPPORT,
    VPC,
)
from scripts.costing.lines import Kind, Line, an_hour
from scripts.costing.price_book import PriceBook
from scripts.costing.sums import Term, an_hour_of, words_of
from stacks.environment import Environment
from stacks.slurm_accounting import DatabaseSpec
from stacks.storage_costs import cost_lines

CREATE = "create"
SYSTEM_ROOT_GIB = 80
"""The root disk of a system node."""


def always_on_lines(environment: Environment, region: str, prices: PriceBook) -> Iterator[Line]:
    """Control plane, system nodes, the way out, keys, provisioned storage, the database, volumes of the platform."""
    yield from _cluster(environment, region, prices)
    yield from _network(environment, region, prices)
    yield from _storage(environment, region, prices)
    yield from _platform(environment, region, prices)


def _line(path: str, what: str, terms: Sequence[Term], region: str, note: str = "") -> Line:
    usd = an_hour_of(terms)
    how = "; ".join(part for part in (words_of(terms, region), note) if part)
    return Line(kind=Kind.ALWAYS_ON, path=path, what=what, idle=usd, limit=usd, how=how)


def _cluster(environment: Environment, region: str, prices: PriceBook) -> Iterator[Line]:
    version = environment.cluster.kubernetes_version
    known = KUBERNETES_VERSIONS.get(version)
    item = STANDARD_SUPPORT if known is None or known.in_standard_support else EXTENDED_SUPPORT
    ends = known.standard_support_ends if known else None
    dear = prices.service(EKS, EXTENDED_SUPPORT, region)
    later = ""
    if item == STANDARD_SUPPORT and environment.cluster.support_type == "EXTENDED" and dear and dear.usd is not None:
        when = f"after {ends}" if ends else "when standard support ends (date not known)"
        later = f"{dear.usd.normalize():f} USD an hour {when}, unless it is upgraded"
    yield _line(
        "cluster.kubernetesVersion",
        "control plane",
        [Term(count=1, name=item, price=prices.service(EKS, item, region))],
        region,
        later,
    )
    nodes = environment.system_nodes
    yield _line(
        "systemNodes",
        "system nodes",
        [
            Term(count=nodes.count, name=nodes.instance_type, price=prices.instance(nodes.instance_type, region)),
            Term(count=nodes.count * SYSTEM_ROOT_GIB, name="GiB gp3", price=prices.volume(region), monthly=True),
        ],
        region,
    )
    if environment.cluster.encryption.kms_key == CREATE:
        key = Term(count=1, name="customer key", price=prices.service(KMS, "customer key", region), monthly=True)
        yield _line("cluster.encryption.kmsKey", "key of Kubernetes Secrets", [key], region)


def _network(environment: Environment, region: str, prices: PriceBook) -> Iterator[Line]:
    network = environment.network
    # How many gateways there are does not depend on which zone trains.
    gateways = len(network.nat_zones(network.zones[0]))
    if gateways:
        yield _line(
            "network.natGateways",
            "NAT gateways",
            [
                Term(count=gateways, name="NAT gateway", price=prices.service(VPC, NAT_HOUR, region)),
                Term(count=gateways, name="public address", price=prices.service(VPC, ADDRESS_HOUR, region)),
            ],
            region,
        )
    if network.endpoints == "private" and network.existing is None:
        count = len(SERVICES) * len(network.zones)
        yield _line(
            "network.endpoints",
            "interface endpoints",
            [Term(count=count, name="endpoint and zone", price=prices.service(VPC, ENDPOINT_HOUR, region))],
            region,
            f"{len(SERVICES)} APIs in {len(network.zones)} zones",
        )


def _storage(environment: Environment, region: str, prices: PriceBook) -> Iterator[Line]:
    """Keys and file systems that are paid for full or empty; buckets and EFS are data."""
    provisioned = environment.storage.model_copy(update={"buckets": (), "efs": ()})
    for line in cost_lines(provisioned, region, prices.service):
        usd = an_hour(line.usd_a_month)
        path = "storage.encryption.kmsKey" if line.what == "storage key" else "storage.lustre"
        yield Line(kind=Kind.ALWAYS_ON, path=path, what=line.what, idle=usd, limit=usd, how=line.how)


def _platform(environment: Environment, region: str, prices: PriceBook) -> Iterator[Line]:
    platform = environment.platform
    volumes: dict[tuple[str, str], int] = {}
    if platform.slurm is not None:
        volumes["platform.slurm.controller", "Slurm's state volume"] = platform.slurm.controller.storage_gib
    if platform.monitoring is not None:
        volumes["platform.monitoring.storageGiB", "Prometheus' volume"] = platform.monitoring.storage_gib
    for (path, what), gib in volumes.items():
        yield _line(path, what, [Term(count=gib, name="GiB gp3", price=prices.volume(region), monthly=True)], region)
    slurm = platform.slurm
    if platform.slurm_database is not None:
        yield from _database(platform.slurm_database, region, prices)
    if slurm is not None and slurm.login is not None and slurm.login.service is not None:
        item = "network load balancer hour"
        balancer = Term(count=1, name="network load balancer", price=prices.service(ELB, item, region))
        yield _line("platform.slurm.login.service", "load balancer of the login pods", [balancer], region)
    if environment.secrets.backend == "secretsManager":
        # As the program counts them, from the file's own names.
        count = len(needed_secrets(environment.model_dump(by_alias=True, mode="json")))
        secret = Term(count=count, name="secret", price=prices.service(SECRETS_MANAGER, "secret", region), monthly=True)
        yield _line("secrets.backend", "secrets in Secrets Manager", [secret], region)


def _database(spec: DatabaseSpec, region: str, prices: PriceBook) -> Iterator[Line]:
    path, copies = "platform.slurm.accounting.database", 2 if spec.multi_az else 1
    note = "the standby in another zone is paid for as much again" if spec.multi_az else ""
    name = f"{spec.instance_class} MariaDB"
    instance = Term(count=copies, name=name, price=prices.service(RDS, name, region))
    yield _line(path, "accounting database", [instance], region, note)
    disk = Term(
        count=copies * spec.storage_gib,
        name="GiB gp3 of RDS",
        price=prices.service(RDS, "storage gp3", region),
        monthly=True,
    )
    yield _line(f"{path}.storageGiB", "accounting database's disk", [disk], region, note)
