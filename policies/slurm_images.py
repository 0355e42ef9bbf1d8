"""Which release of Slurm an image holds, as far as its tag says."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from policies.manifests import Container, Workload, at, table
from policies.slurm_charts import CLUSTER, node_sets

DAEMONS = {
    "Controller": "slurmctld",
    "NodeSet": "slurmd",
    "Accounting": "slurmdbd",
    "RestApi": "slurmrestd",
    "LoginSet": "login",
}
"""Kind -> its container that holds Slurm."""
_RELEASE = re.compile(r"(?<![0-9.])(2\d)\.(0[1-9]|1[0-2])(?![0-9])")


def release_of(image: str) -> tuple[int, int] | None:
    """`(26, 5)` of `registry/slurmd:26.05-ubuntu26.04`; None for a digest alone or a tag that names no release."""
    name = image.partition("@")[0].rsplit("/", 1)[-1]
    tag = name.partition(":")[2]
    found = _RELEASE.search(tag)
    return (int(found[1]), int(found[2])) if found else None


def written(release: tuple[int, int]) -> str:
    """As Slurm writes it: `25.11`."""
    return f"{release[0]}.{release[1]:02}"


def images(workload: Workload, chart: str) -> Iterator[tuple[str, str, str]]:
    """Daemon, path and image of each container that holds Slurm, where the image is known."""
    for daemon, path, holder in _holders(workload, chart):
        image = Container(spec={"image": at(holder, daemon, "image")}).image
        if image:
            yield daemon, f"{path}.{daemon}.image", image


def _holders(workload: Workload, chart: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    if workload.kind in DAEMONS:
        yield DAEMONS[workload.kind], "spec", workload.spec
    if chart != CLUSTER:
        return
    values = dict(workload.content)
    yield "slurmctld", "controller", table(values.get("controller"))
    yield "slurmrestd", "restapi", table(values.get("restapi"))
    yield "slurmdbd", "accounting", table(values.get("accounting"))
    for name, found in node_sets(values):
        yield "slurmd", f"nodesets.{name}", found
    for name, found in table(values.get("loginsets")).items():
        yield "login", f"loginsets.{name}", table(found)
