"""The Volcano batch scheduler."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import VOLCANO
from components.platform.system_namespace import system_namespace
from components.platform.volcano_queues import API_VERSION, parents_first, preemption_policy, queue_spec
from components.platform.volcano_values import volcano_values
from components.releases import ReleaseArgs, helm_release
from stacks.node_pools import NodePool
from stacks.volcano import QueueSpec, VolcanoSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class VolcanoArgs:
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""
    settings: VolcanoSpec = field(default_factory=VolcanoSpec)
    """Section `platform.volcano` of the environment."""
    pools: Sequence[NodePool] = ()
    """`nodePools` of the environment, of which queues say how many nodes they may use."""
    protect: bool = False
    """Refuse to delete the release, as `settings.protected(lifecycle.deletionProtection)` says."""


class Volcano(pulumi.ComponentResource):
    """Volcano as a real Helm release: its chart makes the webhook's certificate in a hook, which a v4 chart leaves out.

    Its custom resource definitions are part of the release: removing it deletes every Volcano job and queue, so the
    release is protected with the environment. Queues and priority classes come after it and are not.
    """

    namespace: str

    def __init__(self, name: str, args: VolcanoArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        guarded = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=args.protect))
        super().__init__("ekstraining:platform:Volcano", name, {}, guarded)
        # The chart's containers ask for the capability DAC_OVERRIDE.
        namespace = system_namespace(f"{name}-namespace", VOLCANO.namespace, "baseline", parent=self)
        release = helm_release(
            f"{name}-release",
            ReleaseArgs(pin=VOLCANO, values=volcano_values(args.settings, args.images), charts=args.charts),
            parent=self,
            after=[namespace],
        )
        # Said, or they would inherit the release's guard.
        free = pulumi.ResourceOptions(parent=self, protect=False)
        self._queues(name, args, after=release)
        for entry in args.settings.priority_classes:
            k8s.scheduling.v1.PriorityClass(
                f"{name}-priority-{entry.name}",
                metadata=k8s.meta.v1.ObjectMetaArgs(name=entry.name),
                value=entry.value,
                preemption_policy=preemption_policy(entry),
                global_default=False,
                opts=free.merge(
                    # The API refuses to change either, and two of one name cannot stand side by side.
                    pulumi.ResourceOptions(replace_on_changes=["value", "preemptionPolicy"], delete_before_replace=True)
                ),
            )
        self.namespace = VOLCANO.namespace
        self.register_outputs({"namespace": VOLCANO.namespace})

    def _queues(self, name: str, args: VolcanoArgs, *, after: pulumi.Resource) -> None:
        made: dict[str, pulumi.Resource] = {}
        for queue in parents_first(args.settings.queues):
            made[queue.name] = k8s.apiextensions.CustomResource(
                f"{name}-queue-{queue.name}",
                api_version=API_VERSION,
                kind="Queue",
                metadata=k8s.meta.v1.ObjectMetaArgs(name=queue.name),
                spec=queue_spec(queue, args.pools),
                opts=pulumi.ResourceOptions(parent=self, protect=False, depends_on=[after, *_above(queue, made)]),
            )


def _above(queue: QueueSpec, made: dict[str, pulumi.Resource]) -> list[pulumi.Resource]:
    return [made[queue.parent]] if queue.parent in made else []
