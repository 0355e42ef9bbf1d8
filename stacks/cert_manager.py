"""Section `platform.certManager`."""

from pydantic import Field

from stacks.chart_overrides import ChartValues
from stacks.model import Section


class CertManagerSpec(Section):
    """cert-manager: certificates for the webhooks of other parts. Slinky needs it."""

    values: ChartValues = Field(default_factory=dict)
