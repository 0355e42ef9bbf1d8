"""Section `storage`: S3 buckets."""

from typing import Annotated

from stacks.buckets import BucketSpec
from stacks.model import Section, says


class Storage(Section):
    """Where data and checkpoints live."""

    buckets: Annotated[
        tuple[BucketSpec, ...],
        says("S3 buckets.", "per field", accepts="a list of {name: …} or {name: …, existing: …}"),
    ] = ()

    @property
    def drivers(self) -> tuple[str, ...]:
        """CSI drivers in use besides the one for EBS, which every cluster has."""
        return ()
