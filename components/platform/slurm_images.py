"""Images of a Slurm cluster's control plane: by digest where the environment gives one."""

from typing import Any

from components.catalog.images import mirrored
from components.catalog.slurm import ALPINE_DIGEST, ALPINE_TAG, IMAGE_TAG, IMAGES

ALPINE = "docker.io/library/alpine"


def slinky_image(name: str, digest: str | None, images: str | None) -> dict[str, Any]:
    """The chart's `image` of one daemon. Without a digest the tag is said, which moves."""
    found: dict[str, Any] = {"repository": mirrored(f"{IMAGES}/{name}", images), "tag": IMAGE_TAG}
    return found if digest is None else {**found, "digest": digest}


def alpine_image(images: str | None) -> dict[str, Any]:
    """The chart's `image` of the small helpers, which the chart takes at `latest`."""
    return {"repository": mirrored(ALPINE, images), "tag": ALPINE_TAG, "digest": ALPINE_DIGEST}


def alpine_reference(images: str | None) -> str:
    """The same as one text."""
    return f"{mirrored(ALPINE, images)}@{ALPINE_DIGEST}"
