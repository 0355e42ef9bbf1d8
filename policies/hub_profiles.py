"""Profiles of JupyterHub beside the hardware that they select."""

from collections.abc import Iterator, Mapping, Sequence

from pulumi_policy import StackValidationArgs

from components.catalog.instance_types import INSTANCE_TYPES, InstanceType
from components.catalog.jupyterhub import SAMPLE_IMAGE
from components.catalog.karpenter import INSTANCE_TYPE
from components.catalog.labels import POOL_LABEL
from policies.hub_values import Hub, Profile
from policies.manifests import at, plain, rows, words
from policies.reading import NODE_POOL
from policies.storage import of_type
from policies.values import UNKNOWN, is_said


def types_of_pools(args: StackValidationArgs) -> Mapping[str, Sequence[str]]:
    """Pool -> its instance types; pools have no properties in the first preview and are left out then."""
    found = {}
    for pool in of_type(args, NODE_POOL):
        said = plain(pool.props)
        name = words(at(said, "spec", "template", "metadata", "labels", POOL_LABEL))
        wanted = [
            each
            for each in rows(at(said, "spec", "template", "spec", "requirements"))
            if at(each, "key") == INSTANCE_TYPE and at(each, "operator") == "In"
        ]
        found[name or pool.name] = [words(value) for each in wanted for value in rows(each.get("values"))]
    return found


def facts_of(profile: Profile, types: Mapping[str, Sequence[str]]) -> list[InstanceType]:
    """What the catalog knows of the nodes that a profile selects."""
    chosen = [profile.instance_type] if profile.instance_type else types.get(profile.pool, ())
    return [INSTANCE_TYPES[name] for name in chosen if name in INSTANCE_TYPES]


def problems_of(hub: Hub, profile: Profile, facts: Sequence[InstanceType]) -> Iterator[str]:
    """What a profile promises and does not give, a sentence each."""
    where = f"{' or '.join(each.name for each in facts)}" if facts else f"nodes with {profile.accelerator}"
    has = {each.accelerator for each in facts} or ({profile.accelerator} if profile.accelerator else set())
    named = sorted(profile.accelerators)
    if named and has and not has & set(named):
        real = " or ".join(sorted(each or "no accelerator" for each in has))
        yield (
            f"names {', '.join(named)} and selects {where}, which has {real}. Name the accelerator that users get, or "
            "select nodes that have the one it names."
        )
    open_to_all = not profile.selector and profile.override.get("node_selector") is not UNKNOWN
    if named and not profile.devices and not any(each is UNKNOWN for each in profile.override.values()):
        yield (
            f"names {', '.join(named)} and asks for no device: the server starts without one. Add "
            "extra_resource_limits, or take the name out."
        )
    if profile.devices and open_to_all:
        yield (
            "asks for accelerators and selects no nodes: users get whichever type is free. Add node_selector with "
            f"{POOL_LABEL}, or ask for no device."
        )
    for resource, count in profile.devices.items():
        fitting = [each for each in facts if each.accelerator_resource == resource]
        if facts and not any((count or 1) <= each.accelerator_count for each in fitting):
            yield (
                f"asks for {count or 'some'} {resource} and selects {where}, which has fewer or none: the server waits "
                "for ever. Ask for what one node has, or select another type."
            )
    image = profile.override.get("image")
    if profile.devices and not is_said(image) and hub.complete and not is_said(at(hub.values, "singleuser", "image")):
        yield f"asks for accelerators and runs {SAMPLE_IMAGE}, which cannot use them. Name an image, or ask for none."
