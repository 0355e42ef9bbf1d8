"""Sections `platform` (what runs in the cluster) and `artifacts` (where charts and images come from)."""

import re
from collections.abc import Iterator
from typing import Annotated

from stacks.model import Section, says
from stacks.problems import Problem

_REGISTRY = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?(/[a-z0-9._-]+)*")


class VolcanoSpec(Section):
    """The Volcano batch scheduler, with this project's settings."""


class Platform(Section):
    """Operators and schedulers. A component is off when its line is absent, on with `{}`."""

    volcano: Annotated[
        VolcanoSpec | None,
        says(
            "Volcano, a gang scheduler for training jobs.",
            "live",
            change="removing it deletes its custom resource definitions, and with them every Volcano job and queue",
            accepts="{} (on) or null (off)",
            example={},
        ),
    ] = None


class Artifacts(Section):
    """Private mirrors, for clusters that may not reach the public registries."""

    charts: Annotated[
        str | None,
        says(
            "Where Helm charts come from; null means the public registries.",
            "live",
            accepts="null, oci://<registry>/<path>, or the absolute path of a folder with unpacked charts",
            example="oci://registry.example.com/charts",
        ),
    ] = None
    images: Annotated[
        str | None,
        says(
            "Registry that mirrors container images; null means the public registries.",
            "live",
            change="the pods that use it restart",
            accepts="null or <registry>[/<path>], without a scheme",
            example="registry.example.com/mirror",
        ),
    ] = None


def check_artifacts(artifacts: Artifacts) -> Iterator[Problem]:
    """The chart mirror is a folder or an OCI registry, the image mirror a registry without a scheme."""
    charts, images = artifacts.charts, artifacts.images
    if charts is not None and not charts.startswith(("oci://", "/")):
        yield Problem(
            path="artifacts.charts",
            value=charts,
            reason="A chart mirror is an OCI registry or a folder; a relative path would depend on where Pulumi "
            "is started.",
            accepted="null, oci://<registry>/<path>, or the absolute path of a folder",
            ways_out=(
                "write oci:// in front of the registry, or an absolute path",
                "set charts: null for the public registries",
            ),
        )
    if images is not None and not _REGISTRY.fullmatch(images):
        yield Problem(
            path="artifacts.images",
            value=images,
            reason="An image mirror is the beginning of an image name: a host and, if needed, a path.",
            accepted="null or <registry>[/<path>] in lower case, without a scheme and without a trailing slash",
            ways_out=("write registry.example.com/mirror", "set images: null for the public registries"),
        )
