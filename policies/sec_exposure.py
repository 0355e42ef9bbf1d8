"""Services that AWS puts a load balancer of the internet in front of."""

from collections.abc import Iterator, Mapping
from typing import Any

from policies.manifests import Workload, at, rows, table, words
from policies.values import UNKNOWN, is_true

EXCEPTION = "eks-training-platform/public-exposure"
"""Annotation of a Service that is public on purpose: who decided it, and why."""
PREFIX = "service.beta.kubernetes.io/aws-load-balancer"
SCHEME, OLD_SCHEME = f"{PREFIX}-scheme", f"{PREFIX}-internal"
_BALANCER = "loadbalancer"


def is_public(kind: Any, annotations: Any) -> bool:
    """Whether a Service of this type, with these annotations, may face the internet. What is not known does not."""
    if kind is UNKNOWN or words(kind).lower() != _BALANCER or annotations is UNKNOWN:
        return False
    found: Mapping[str, Any] = table(annotations)
    scheme, old = found.get(SCHEME), found.get(OLD_SCHEME)
    if found.get(EXCEPTION) or scheme is UNKNOWN or old is UNKNOWN:
        return False
    # Kubernetes' own controller reads the older annotation alone; AWS' controller goes by the scheme where it stands.
    return scheme != "internal" if scheme is not None else not is_true(old)


def public_services(workload: Workload) -> Iterator[str]:
    """Where an object has a Service that may face the internet; empty paths stand for the object itself."""
    content = workload.content
    if workload.kind == "Service" and not workload.group:
        if is_public(at(content, "spec", "type"), at(content, "metadata", "annotations")):
            yield ""
        return
    if workload.kind == "Release":
        yield from _login_sets(table(content))
        content = {key: inner for key, inner in content.items() if key not in ("loginsets", "loginsetDefaults")}
    yield from _within(content, "")


def _login_sets(values: Mapping[str, Any]) -> Iterator[str]:
    """Slinky's chart takes LoadBalancer where a login set says nothing (slurm 1.2.3, loginsetDefaults)."""
    defaults = table(values.get("loginsetDefaults"))
    for name, login in table(values.get("loginsets")).items():
        enabled = table(login).get("enabled", defaults.get("enabled", True))
        kind = _first(login, defaults, "spec", "type") or "LoadBalancer"
        annotations = _first(login, defaults, "metadata", "annotations")
        if enabled is not UNKNOWN and (enabled is True or is_true(enabled)) and is_public(kind, annotations):
            yield f"loginsets.{name}.service"


def _first(login: Any, defaults: Any, *path: str) -> Any:
    found = at(login, "service", *path)
    return found if found is not None else at(defaults, "service", *path)


def _within(value: Any, where: str) -> Iterator[str]:
    """Services below a key `service` or `...Service`: of Slinky's objects, and of charts' values."""
    for index, inner in enumerate(rows(value)):
        yield from _within(inner, f"{where}[{index}]")
    for key, inner in table(value).items():
        path = f"{where}.{key}" if where else key
        if key.lower().endswith("service") and isinstance(inner, dict):
            kind = at(inner, "spec", "type") or inner.get("type")
            annotations = at(inner, "metadata", "annotations") or inner.get("annotations")
            if is_public(kind, annotations):
                yield path
        yield from _within(inner, path)
