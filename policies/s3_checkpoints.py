"""Pods that say which of their volumes holds checkpoints, and which of their containers copies them to S3."""

from policies.manifests import Template, at, rows
from policies.values import UNKNOWN

UPLOADER = "eks-training-platform/checkpoint-uploader"
ON_THE_NODE = ("emptyDir", "ephemeral", "hostPath")
"""Volumes that end with the pod or stay on its node."""


def uploads(template: Template, volume: str) -> bool:
    """Whether the container that is said to upload is there and mounts the volume, as far as known."""
    name = template.annotations.get(UPLOADER)
    for container in template.containers:
        mounts = container.spec.get("volumeMounts")
        goes_on = not container.init or container.spec.get("restartPolicy") == "Always"
        mounts_it = mounts is UNKNOWN or any(at(mount, "name") in (volume, UNKNOWN) for mount in rows(mounts))
        if goes_on and mounts_it and (name is UNKNOWN or container.spec.get("name") in (name, UNKNOWN)):
            return name is not None
    return False
