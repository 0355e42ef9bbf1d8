"""Images that Jobs of ours run, at one version each, with its source and the date it was read."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from components.catalog.pins import AS_OF


@dataclass(frozen=True, kw_only=True)
class ImagePin:
    """One image that a Job of ours runs."""

    name: str
    version: str
    image: str
    """Registry and repository; the version is its tag."""
    source: str
    read: date

    def reference(self, repository: str | None = None) -> str:
        """Repository (of a mirror, or its own) and tag."""
        return f"{repository or self.image}:{self.version}"


# renovate: datasource=docker depName=public.ecr.aws/aws-cli/aws-cli
AWS_CLI = ImagePin(
    name="aws-cli",
    version="2.34.61",
    image="public.ecr.aws/aws-cli/aws-cli",
    source="walnuts1018/infra pull request 3952 (2026-06-03), the newest tag that a stored thread names",
    read=AS_OF,
)

# renovate: datasource=docker depName=mariadb
MARIADB_CLIENT = ImagePin(
    name="mariadb",
    version="11.4.12",
    image="docker.io/library/mariadb",
    source="jakubboucek/docker-lamp-devstack pull request 97 (2026-06-01): 11.4 from 11 to 12",
    read=AS_OF,
)

# renovate: datasource=docker depName=public.ecr.aws/hpc-cloud/nccl-tests
NCCL_TESTS = ImagePin(
    name="nccl-tests",
    version="cuda13.0.2-efa1.48.0-ofiv1.19.0-ncclv2.30.4-1-testsv2.18.3",
    image="public.ecr.aws/hpc-cloud/nccl-tests",
    source="awslabs/awsome-distributed-training micro-benchmarks/nccl-tests, health check 5 (read 2026-11-30)",
    read=date(2026, 11, 30),
)
"""nccl-tests with Open MPI, EFA's libfabric and aws-ofi-nccl; /opt/nccl-tests/build/all_reduce_perf."""

IMAGES: Mapping[str, ImagePin] = MappingProxyType({pin.name: pin for pin in (AWS_CLI, MARIADB_CLIENT, NCCL_TESTS)})


def mirrored(repository: str, images: str | None) -> str:
    """A repository, or the same path below the mirror.

    Args:
        repository: with its registry and without a tag, such as `nvcr.io/nvidia/k8s-device-plugin`.
        images: `artifacts.images` of the environment: the mirror's registry and path, or None for the public one.

    The mirror keeps the path: `nvidia/k8s-device-plugin` below `registry.example.com/mirror`.
    """
    return repository if images is None else f"{images}/{repository.partition('/')[2]}"
