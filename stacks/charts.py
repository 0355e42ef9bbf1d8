"""Which of the pinned charts an environment installs."""

from components.catalog.pins import KARPENTER, KARPENTER_CRDS, VOLCANO
from stacks.environment import Environment


def charts_of(environment: Environment) -> tuple[str, ...]:
    """Names of charts, as in the catalog's pins; a mirror has to hold these and no others."""
    platform = environment.platform
    optional = ((VOLCANO, platform.volcano),)
    return (KARPENTER_CRDS.name, KARPENTER.name, *(pin.name for pin, section in optional if section is not None))
