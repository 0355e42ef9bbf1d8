"""Section `storage.efs`: EFS file systems."""

from typing import Annotated

from pydantic import Field

from stacks.model import Section, says
from stacks.names import DNS_LABEL


class EfsSpec(Section):
    """One file system of ours, or one that exists."""

    name: Annotated[str, Field(pattern=DNS_LABEL, max_length=25), says("Name.", "REPLACES", example="home")]
