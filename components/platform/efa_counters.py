"""EFA's hardware counters as metrics, from every node of a pool with EFA.

node_exporter reads the counters of InfiniBand and not EFA's, which lie in another folder of sysfs: of an EFA device it
shows state and rate and no traffic (prometheus/node_exporter#3670, open on 2026-11-29). The exporter of
awsome-distributed-training is a fork that one builds oneself. So a shell script writes the counters, under that
exporter's names (`node_amazonefa_tx_bytes`), into a file that node-exporter's textfile collector reads.
"""

from collections.abc import Sequence

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.labels import EFA_LABEL
from components.platform.monitoring_values import TEXTFILES
from components.platform.rollout import DEVICE_ROLLOUT
from components.platform.slurm_images import alpine_reference
from components.platform.tolerations import device_tolerations
from stacks.node_pools import NodePool

NAME = "efa-counters"
FILE = "efa.prom"
SECONDS = 15
LABELS = {"app.kubernetes.io/name": NAME}

# busybox sh. Samples have no TYPE line: a second one of a name, as a second device brings, would spoil the file.
# Written whole under another name, then renamed: node-exporter never reads half of it.
SCRIPT = rf"""
write() {{
  for file in "$SYS"/class/infiniband/*/ports/*/hw_counters/*; do
    [ -r "$file" ] && value=$(cat "$file" 2>/dev/null) || continue
    case "$value" in ''|*[!0-9]*) continue ;; esac
    port=${{file%/hw_counters/*}}
    device=${{port%/ports/*}}
    printf 'node_amazonefa_%s{{device="%s",port="%s"}} %s\n' "${{file##*/}}" "${{device##*/}}" "${{port##*/}}" "$value"
  done > "$OUT/.{FILE}.$$"
  mv "$OUT/.{FILE}.$$" "$OUT/{FILE}"
}}
trap 'rm -f "$OUT/{FILE}" "$OUT/.{FILE}.$$"; exit 0' TERM INT
while :; do
  write
  [ "$EVERY" = once ] && exit 0
  sleep "$EVERY" & wait $!
done
"""


def efa_counters(
    name: str,
    *,
    namespace: pulumi.Input[str],
    pools: Sequence[NodePool],
    images: str | None,
    opts: pulumi.ResourceOptions,
) -> k8s.apps.v1.DaemonSet:
    """The DaemonSet, on nodes of pools with EFA and on no other.

    Args:
        name: in Pulumi's state.
        namespace: one that admits pods with paths of the host.
        pools: training pools, whose taints it tolerates.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
        opts: parent and what must stand first.
    """
    return k8s.apps.v1.DaemonSet(
        name,
        # One broken node does not hold up an update.
        metadata=k8s.meta.v1.ObjectMetaArgs(
            name=NAME, namespace=namespace, labels=LABELS, annotations={"pulumi.com/skipAwait": "true"}
        ),
        spec=k8s.apps.v1.DaemonSetSpecArgs(
            selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
            update_strategy=k8s.apps.v1.DaemonSetUpdateStrategyArgs(
                type="RollingUpdate",
                rolling_update=k8s.apps.v1.RollingUpdateDaemonSetArgs(
                    max_unavailable=str(DEVICE_ROLLOUT["rollingUpdate"]["maxUnavailable"])
                ),
            ),
            template=k8s.core.v1.PodTemplateSpecArgs(
                metadata=k8s.meta.v1.ObjectMetaArgs(labels=LABELS),
                spec=k8s.core.v1.PodSpecArgs(
                    node_selector={EFA_LABEL: "true"},
                    tolerations=[
                        k8s.core.v1.TolerationArgs(key=entry["key"], operator=entry["operator"])
                        for entry in device_tolerations(pools)
                    ],
                    automount_service_account_token=False,
                    containers=[_container(images)],
                    volumes=[
                        k8s.core.v1.VolumeArgs(name="sys", host_path=k8s.core.v1.HostPathVolumeSourceArgs(path="/sys")),
                        k8s.core.v1.VolumeArgs(
                            name="textfiles",
                            host_path=k8s.core.v1.HostPathVolumeSourceArgs(path=TEXTFILES, type="DirectoryOrCreate"),
                        ),
                    ],
                ),
            ),
        ),
        opts=opts,
    )


def _container(images: str | None) -> k8s.core.v1.ContainerArgs:
    return k8s.core.v1.ContainerArgs(
        name=NAME,
        image=alpine_reference(images),
        command=["/bin/sh", "-c", SCRIPT],
        env=[
            k8s.core.v1.EnvVarArgs(name=key, value=value)
            for key, value in {"SYS": "/host/sys", "OUT": "/textfiles", "EVERY": str(SECONDS)}.items()
        ],
        resources=k8s.core.v1.ResourceRequirementsArgs(
            requests={"cpu": "10m", "memory": "16Mi"}, limits={"memory": "64Mi"}
        ),
        # Root, to whom the node's folder belongs, and nothing more.
        security_context=k8s.core.v1.SecurityContextArgs(
            run_as_user=0,
            allow_privilege_escalation=False,
            read_only_root_filesystem=True,
            capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
        ),
        volume_mounts=[
            k8s.core.v1.VolumeMountArgs(name="sys", mount_path="/host/sys", read_only=True),
            k8s.core.v1.VolumeMountArgs(name="textfiles", mount_path="/textfiles"),
        ],
    )
