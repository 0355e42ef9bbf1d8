"""Rules of section `platform.slurm`, held against the pools that its node sets name."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network
from typing import Any

from components.catalog.slurm import OWNED_KEYS
from stacks.chart_overrides import check_values
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem, one_of
from stacks.slurm import LoginService, SlurmSpec
from stacks.slurm_accounting import check_accounting
from stacks.slurm_node_set_rules import check_node_set, check_partitions
from stacks.slurm_tokens import check_tokens

_OWNED_VALUES = {
    "nameOverride": "name",
    "fullnameOverride": "name",
    "namespaceOverride": "name",
    "clusterName": "name",
    "slurmKey": "keys",
    "jwtKey": "keys",
    "nodesets": "nodeSets",
    "nodesetDefaults": "nodeSets",
    "partitions": "partitions",
    "accounting.enabled": "accounting",
    "accounting.storageConfig": "accounting",
    "controller.external": "name",
    "controller.persistence": "controller",
    "controller.extraConf": "config",
    "controller.extraConfMap": "config",
    "controller.inplaceReconfigure": "config",
}
"""Keys of the chart that fields of the section stand for: two places would contradict each other."""


def check_slurm(path: str, spec: SlurmSpec, *, pools: Sequence[NodePool], cert_manager: bool) -> Iterator[Problem]:
    """Every rule of the section.

    Args:
        path: `platform.slurm`.
        spec: the section.
        pools: the accelerated pools that are well-formed.
        cert_manager: whether `platform.certManager` is on.
    """
    yield from check_cert_manager(path, cert_manager=cert_manager)
    by_name = {pool.name: pool for pool in pools}
    for position, node_set in enumerate(spec.node_sets):
        yield from check_node_set(f"{path}.nodeSets[{position}]", node_set, spec, by_name)
    yield from check_twice(path, spec)
    yield from check_partitions(path, spec)
    yield from check_config(path, spec)
    if spec.accounting is not None:
        yield from check_accounting(f"{path}.accounting", spec.accounting)
    if spec.login is not None and spec.login.service is not None:
        yield from check_login_service(f"{path}.login.service", spec.login.service)
    yield from check_tokens(f"{path}.tokens", spec.tokens, cluster=spec.name, taken=_secrets(spec))
    yield from check_chart_values(path, spec)


def _secrets(spec: SlurmSpec) -> list[str]:
    """Secrets of Slurm that the environment names."""
    sssd = spec.login.sssd_secret if spec.login is not None else None
    existing = spec.accounting.existing if spec.accounting is not None else None
    named = [spec.keys.slurm, spec.keys.jwt, sssd, existing.password_secret if existing is not None else None]
    return [name for name in named if name is not None]


def check_cert_manager(path: str, *, cert_manager: bool) -> Iterator[Problem]:
    """The operator's webhook gets its certificate from cert-manager; the chart's own way rotates it at every render."""
    if not cert_manager:
        yield Problem(
            path="platform.certManager",
            value=MISSING,
            reason="Slinky's webhook gets its certificate from cert-manager; without it the API server refuses every "
            "object of Slurm.",
            accepted="certManager: {} beside slurm",
            ways_out=("write certManager: {} under platform", f"remove {path}"),
        )


def check_twice(path: str, spec: SlurmSpec) -> Iterator[Problem]:
    """One set a pool: a node runs one slurmd, which has all of its devices."""
    seen: set[str] = set()
    for position, node_set in enumerate(spec.node_sets):
        if node_set.pool in seen:
            yield Problem(
                path=f"{path}.nodeSets[{position}].pool",
                value=node_set.pool,
                reason="The pool has a node set already, and a node runs one slurmd, which has all of its devices.",
                accepted="each pool once",
                ways_out=("remove this set", "raise replicas of the other"),
            )
        seen.add(node_set.pool)


def check_config(path: str, spec: SlurmSpec) -> Iterator[Problem]:
    """Lines of slurm.conf that others write stay theirs: the last of two lines would win without a word."""
    for key, value in spec.config.items():
        if key.lower() in OWNED_KEYS:
            yield Problem(
                path=f"{path}.config.{key}",
                value=value,
                reason="The operator or this project writes this line of slurm.conf; of two the last counts, and nodes "
                "and controller may disagree about it.",
                accepted="keys of slurm.conf other than components/catalog/slurm.py lists",
                ways_out=(
                    "remove the line",
                    "use the field that stands for it: nodeSets, partitions, accounting, keys",
                ),
            )


def check_login_service(path: str, service: LoginService) -> Iterator[Problem]:
    """Blocks are IPv4 networks, and not the whole world."""
    for position, cidr in enumerate(service.source_cidrs):
        try:
            world = IPv4Network(cidr).prefixlen == 0
            reason = "This block is the whole world, and the service is SSH."
        except ValueError:
            world, reason = True, "This is no IPv4 block: an address with its host bits zero, a slash, a length."
        if world:
            yield Problem(
                path=f"{path}.sourceCidrs[{position}]",
                value=cidr,
                reason=reason,
                accepted="IPv4 blocks such as 10.0.0.0/8",
                ways_out=("name the block of your offices or VPN", "set service: null and use kubectl port-forward"),
            )


def check_chart_values(path: str, spec: SlurmSpec) -> Iterator[Problem]:
    """Overrides of the chart: known keys, and none that a field of the section stands for."""
    yield from check_values(f"{path}.values", "slurm", spec.values)
    for key, field in _OWNED_VALUES.items():
        top, _, rest = key.partition(".")
        part = spec.values.get(top)
        inside = part if isinstance(part, Mapping) else {}
        if rest in inside if rest else top in spec.values:
            yield Problem(
                path=f"{path}.values.{key}",
                value=inside[rest] if rest else part,
                reason=f"{path}.{field} stands for this; two places would contradict each other.",
                accepted=f"keys other than {one_of(_OWNED_VALUES)}",
                ways_out=(f"use {path}.{field}", "remove the key"),
            )
    yield from _check_login_values(path, spec.values)


def _check_login_values(path: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    """Nothing past the section makes a Service of login pods: one word there would put SSH on the internet."""
    sets = values.get("loginsets")
    entries = {f"loginsets.{name}": entry for name, entry in sets.items()} if isinstance(sets, Mapping) else {}
    for key, entry in {"loginsetDefaults": values.get("loginsetDefaults"), **entries}.items():
        if isinstance(entry, Mapping) and "service" in entry:
            yield Problem(
                path=f"{path}.values.{key}.service",
                value=entry["service"],
                reason=f"{path}.login.service stands for this; the chart would make a public load balancer of it.",
                accepted="other keys of a login set",
                ways_out=(f"use {path}.login.service: {{sourceCidrs: […]}}", "remove the key"),
            )
