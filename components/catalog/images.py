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

IMAGES: Mapping[str, ImagePin] = MappingProxyType({pin.name: pin for pin in (AWS_CLI, MARIADB_CLIENT)})
