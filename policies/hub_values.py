"""A release of JupyterHub as rules read it: its values, the chart's own where none are said, and its profiles."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pulumi_policy import PolicyResource, StackValidationArgs

from components.catalog.instance_types import GPU_RESOURCE, INSTANCE_TYPES, NEURON_RESOURCE
from components.catalog.jupyterhub import DEFAULTS
from components.catalog.karpenter import INSTANCE_TYPE
from components.catalog.labels import ACCELERATOR_LABEL, POOL_LABEL
from policies.manifests import KARPENTER_POOL, RELEASES, at, plain, rows, table, words
from policies.storage import of_type
from policies.values import UNKNOWN, is_said, is_true, known, whole

ACCELERATORS = frozenset(facts.accelerator for facts in INSTANCE_TYPES.values() if facts.accelerator)
_BY_GROUP = ("profile_list", "options_form")
"""What a function in the hub's configuration sets to show each user their own profiles."""
_MEMBERS = ("allowed_groups", "allowed_users", "allowed_organizations", "allowed_teams", "allowed_google_groups")
_HARDWARE = frozenset({"node_selector", "extra_resource_limits", "extra_resource_guarantees"})
_CHART = re.compile(r"jupyterhub(-v?\d[^/]*)?")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One entry of a profile list, or one of the choices of hardware that an entry offers."""

    name: str
    text: str
    """All that users read."""
    override: Mapping[str, Any]

    @property
    def devices(self) -> dict[str, int | None]:
        """Accelerators by resource; None where the number is not known."""
        found: dict[str, int | None] = {}
        for key in ("extra_resource_limits", "extra_resource_guarantees"):
            for resource in (GPU_RESOURCE, NEURON_RESOURCE):
                count = table(self.override.get(key)).get(resource)
                if count is not None and (count is UNKNOWN or whole(count) != 0):
                    found.setdefault(resource, None if count is UNKNOWN else whole(count))
        return found

    @property
    def accelerators(self) -> frozenset[str]:
        """Accelerators that the text names, as the catalog spells them."""
        return ACCELERATORS & set(re.findall(r"[a-z0-9]+", self.text.lower()))

    @property
    def selector(self) -> dict[str, Any]:
        return table(self.override.get("node_selector"))

    @property
    def pool(self) -> str:
        return words(self.selector.get(POOL_LABEL)) or words(self.selector.get(KARPENTER_POOL))

    @property
    def instance_type(self) -> str:
        return words(self.selector.get(INSTANCE_TYPE))

    @property
    def accelerator(self) -> str:
        return words(self.selector.get(ACCELERATOR_LABEL)).lower()


@dataclass(frozen=True, kw_only=True)
class Hub:
    """A release of the chart."""

    name: str
    namespace: Any
    values: Mapping[str, Any]
    complete: bool
    """Whether `values` is all that is said: files of values beside them are not seen here."""

    @property
    def title(self) -> str:
        return f"Release '{self.name}'"

    def setting(self, path: str) -> Any:
        """What holds: the value said, else the chart's default; `UNKNOWN` where neither can be told."""
        said = at(self.values, *path.split("."))
        if said is None:
            return DEFAULTS.get(path) if self.complete else UNKNOWN
        return said

    def is_off(self, path: str) -> bool:
        """Whether a switch is false, or the text of it."""
        return str(self.setting(path)).strip().lower() == "false"

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        return tuple(
            found
            for entry in rows(at(self.values, "singleuser", "profileList"))
            if isinstance(entry, dict)
            for found in _profiles(entry)
        )


def hub_of(resource_type: str, logical_name: str, props: Mapping[str, Any]) -> Hub | None:
    """The release of JupyterHub that a resource is; None for anything else, and where no value is known."""
    if resource_type not in RELEASES:
        return None
    said = plain(props)
    values = said.get("values")
    chart = _CHART.fullmatch(words(said.get("chart")).rsplit("/", 1)[-1].removesuffix(".tgz"))
    looks_like_it = {"hub", "singleuser"} <= set(table(values))
    if values is UNKNOWN or not (chart or (looks_like_it and not words(said.get("chart")))):
        return None
    return Hub(
        name=words(said.get("name")) or logical_name,
        namespace=known(props, "namespace"),
        values=table(values),
        complete=not said.get("valueYamlFiles"),
    )


def hubs_of(args: StackValidationArgs) -> list[tuple[PolicyResource, Hub]]:
    """Every release of JupyterHub in a stack."""
    releases = of_type(args, *RELEASES)
    return [(each, hub) for each in releases if (hub := hub_of(each.resource_type, each.name, each.props))]


def is_limited(hub: Hub) -> bool | None:
    """Whether someone limited profiles, or the whole hub, to members; None where it cannot be told."""
    scripts = at(hub.values, "hub", "extraConfig")
    written = [scripts] if scripts is UNKNOWN else list(table(scripts).values())
    if any(word in words(script) for script in written for word in _BY_GROUP):
        return True
    config = at(hub.values, "hub", "config")
    classes = list(table(config).values())
    if not any(is_true(at(each, "allow_all")) for each in classes):
        if any(is_said(at(each, key)) and at(each, key) != [] for each in classes for key in _MEMBERS):
            return True
        # The Secret that the hub reads may say who is allowed.
        if is_said(at(hub.values, "hub", "existingSecret")) or not hub.complete:
            return None
    return None if UNKNOWN in (config, *written, *classes) else False


def _profiles(entry: Mapping[str, Any]) -> Iterator[Profile]:
    name = words(entry.get("slug")) or words(entry.get("display_name")) or "without a name"
    override = table(entry.get("kubespawner_override"))
    options = table(entry.get("profile_options")).values()
    choices = {key: table(each) for option in options for key, each in table(table(option).get("choices")).items()}
    images = [image for each in choices.values() if (image := at(each, "kubespawner_override", "image")) is not None]
    if images:
        override = {"image": images[0], **override}
    hardware = {key: each for key, each in choices.items() if _HARDWARE & set(table(each.get("kubespawner_override")))}
    # The text of a profile that leaves the hardware to its choices is about all of them.
    text = "" if hardware else " ".join(words(entry.get(key)) for key in ("slug", "display_name", "description"))
    yield Profile(name=name, text=text, override=override)
    for key, each in hardware.items():
        own = " ".join(words(each.get(part)) for part in ("display_name", "description"))
        yield Profile(name=f"{name}/{key}", text=own, override={**override, **table(each.get("kubespawner_override"))})
