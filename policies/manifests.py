"""Kubernetes objects as plain Python, and the pods that they make, whatever kind makes them.

Rules about workloads judge a Deployment, a Job, an MPIJob, a RayCluster, a NodeSet and the values of a Helm release
alike: each is a `Workload` with the pod templates found in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pulumi_policy import ResourceValidationArgs
from pulumi_policy.proxy import UnknownValueError

from components.catalog.labels import POOL_LABEL
from policies.values import UNKNOWN, whole

KUBERNETES = "kubernetes:"
RELEASES = ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart")
KARPENTER_POOL = "karpenter.sh/nodepool"
FROM = "from elsewhere"
"""Value of a variable that a Secret, a ConfigMap or a field of the pod gives."""
_DEEPEST = 40


def plain(value: Any, depth: int = 0) -> Any:
    """A property without its proxies: dicts, lists and scalars, `UNKNOWN` for what a preview does not know yet.

    The engine carries every number as a float: whole ones are whole again here, as messages show them.
    """
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return {str(key): _got(value, key, depth) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_got(value, index, depth) for index in range(len(value))]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _got(holder: Any, key: Any, depth: int) -> Any:
    try:
        return plain(holder[key], depth + 1)
    except UnknownValueError:
        return UNKNOWN


def table(value: Any) -> dict[str, Any]:
    """A mapping, or an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[Any]:
    """A list, or an empty one in the place of anything else."""
    return value if isinstance(value, list) else []


def at(value: Any, *path: str) -> Any:
    """What lies at a path of a plain object; None where there is nothing, `UNKNOWN` where that is not known yet."""
    for key in path:
        if value is UNKNOWN:
            return UNKNOWN
        value = table(value).get(key)
    return value


def words(value: Any) -> str:
    """A text as it is; an empty one in the place of anything else, of what is not known yet too."""
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, kw_only=True)
class Container:
    """A container of a pod template."""

    spec: Mapping[str, Any]
    init: bool = False

    @property
    def name(self) -> str:
        return words(self.spec.get("name")) or "without a name"

    @property
    def image(self) -> str:
        """Empty where it is absent or not known yet."""
        image = self.spec.get("image")
        if isinstance(image, dict):  # Helm values
            parts = (words(image.get("repository")), words(image.get("tag")))
            return ":".join(part for part in parts if part)
        return words(image)

    @cached_property
    def line(self) -> str:
        """Command and arguments with blanks between, as far as they are known; a script comes whole."""
        return " ".join(words(word) for key in ("command", "args") for word in rows(self.spec.get(key)))

    @cached_property
    def env(self) -> Mapping[str, Any]:
        """Variables by name: text, `FROM`, or `UNKNOWN`."""
        found: dict[str, Any] = {}
        for entry in rows(self.spec.get("env")):
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                found[entry["name"]] = FROM if entry.get("valueFrom") else _as_text(entry.get("value"))
        return found

    def asked(self, resource: str) -> Any:
        """How many of a resource it limits itself to, else requests: a number, None, or `UNKNOWN`."""
        for kind in ("limits", "requests"):
            count = at(self.spec, "resources", kind, resource)
            if count is not None:
                return count if count is UNKNOWN else whole(count)
        return None


def _as_text(value: Any) -> Any:
    if value is UNKNOWN or value is None:
        return value or ""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, kw_only=True)
class Template:
    """A pod, or what a kind makes its pods from."""

    where: str
    """Path in the object, as in `spec.mpiReplicaSpecs.Worker.template`; empty for a Pod."""
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]
    replicas: int | None = None
    """Pods that are made from it, where the object says so beside the template."""

    @property
    def labels(self) -> dict[str, Any]:
        return table(self.metadata.get("labels"))

    @property
    def annotations(self) -> dict[str, Any]:
        return table(self.metadata.get("annotations"))

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        """Init containers first."""
        return tuple(
            Container(spec=found, init=kind == "initContainers")
            for kind in ("initContainers", "containers")
            for found in rows(self.spec.get(kind))
            if isinstance(found, dict)
        )

    @property
    def pool(self) -> str | None:
        """The pool that its node selector names."""
        selector = table(self.spec.get("nodeSelector"))
        return words(selector.get(POOL_LABEL)) or words(selector.get(KARPENTER_POOL)) or None

    def asked(self, resource: str) -> int:
        """Of all its containers together, as far as known."""
        counts = [container.asked(resource) for container in self.containers if not container.init]
        return sum(count for count in counts if isinstance(count, int))


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A Kubernetes object, or a Helm release, with the pod templates in it."""

    kind: str
    api_version: str
    name: str
    content: Mapping[str, Any]
    """The whole object; the values of a release."""
    templates: tuple[Template, ...] = field(default=())

    @property
    def title(self) -> str:
        """As messages name it: `MPIJob 'x'`."""
        return f"{self.kind} '{self.name}'"

    @property
    def group(self) -> str:
        """API group: `batch.volcano.sh`; empty for the core."""
        return self.api_version.rpartition("/")[0]

    @property
    def spec(self) -> dict[str, Any]:
        return table(self.content.get("spec"))

    @property
    def metadata(self) -> dict[str, Any]:
        return table(self.content.get("metadata"))

    @property
    def containers(self) -> Iterator[tuple[Template, Container]]:
        return ((template, container) for template in self.templates for container in template.containers)


_MOST_READ = 20_000
_READ: dict[int, tuple[Any, Workload | None]] = {}
"""What was read of each resource: the engine hands the same properties to every rule (`reading_once`)."""


def workload_of(args: ResourceValidationArgs) -> Workload | None:
    """The object that a resource is, read once for all rules; None for what is no object of Kubernetes.

    A `List` and a kind of no pods are workloads too, with no templates.
    """
    return read(args.resource_type, args.name, args.props)


def read(resource_type: str, logical_name: str, props: Mapping[str, Any]) -> Workload | None:
    """The same of a resource of a stack policy."""
    if not resource_type.startswith(KUBERNETES):
        return None
    known = _READ.get(id(props))
    if known is None or known[0] is not props:
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        # The properties are held with the result, so nothing else takes their identity.
        known = _READ[id(props)] = (props, _read(resource_type, logical_name, props))
    return known[1]


def _read(resource_type: str, logical_name: str, props: Mapping[str, Any]) -> Workload:
    content = table(plain(props))
    version, _, kind = resource_type.removeprefix(KUBERNETES).rpartition(":")
    if resource_type in RELEASES:
        values = table(content.get("values"))
        name = words(content.get("name")) or logical_name
        return Workload(
            kind="Release", api_version=version, name=name, content=values, templates=tuple(_in_values(values))
        )
    name = words(at(content, "metadata", "name")) or logical_name
    found = tuple(_templates(kind, content))
    return Workload(kind=kind, api_version=version.removeprefix("core/"), name=name, content=content, templates=found)


def _templates(kind: str, content: dict[str, Any]) -> Iterator[Template]:
    if kind == "Pod":
        yield Template(where="", metadata=table(content.get("metadata")), spec=table(content.get("spec")), replicas=1)
    elif kind == "NodeSet":
        template = table(at(content, "spec", "template"))
        yield _node_set("spec", at(content, "spec", "slurmd"), template.get("spec"), template, content.get("spec"))
    else:
        yield from _within(content, "")


def _in_values(values: dict[str, Any]) -> Iterator[Template]:
    """Pod templates in Helm values: whole ones wherever they stand, and the node sets of Slinky's chart."""
    for name, node_set in table(values.get("nodesets")).items():
        if isinstance(node_set, dict):
            yield _node_set(f"nodesets.{name}", node_set.get("slurmd"), node_set.get("podSpec"), node_set, node_set)
    yield from _within(values, "")


def _node_set(where: str, slurmd: Any, pod: Any, around: Mapping[str, Any], counted: Any) -> Template:
    spec = dict(table(pod))
    spec["containers"] = [{"name": "slurmd", **table(slurmd)}, *rows(spec.get("containers"))]
    replicas = whole(table(counted).get("replicas"))
    return Template(where=where, metadata=table(around.get("metadata")), spec=spec, replicas=replicas)


def _within(value: Any, where: str) -> Iterator[Template]:
    """Every mapping with a `spec` that has containers, however deep."""
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _within(inner, f"{where}[{index}]")
    for key, inner in table(value).items():
        path = f"{where}.{key}" if where else key
        spec = table(table(inner).get("spec"))
        if isinstance(spec.get("containers"), list):
            yield Template(where=path, metadata=table(inner.get("metadata")), spec=spec, replicas=_count(value))
        else:
            yield from _within(inner, path)


def _count(holder: Any) -> int | None:
    for key in ("replicas", "parallelism", "numNodes"):
        if (count := whole(table(holder).get(key))) is not None:
            return count
    return None
