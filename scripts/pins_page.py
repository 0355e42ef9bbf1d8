"""docs/pins.md, from the catalog."""

from components.catalog import pins
from components.catalog.addon import Addon
from components.catalog.addons import ADDONS, ALL_ADDONS
from components.catalog.chart_values import account_of
from components.catalog.images import IMAGES
from components.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from scripts.pages import NOTICE, OPEN, table


def pinned() -> str:
    """docs/pins.md: every pinned version, its source, how to look again, and what was checked of each chart."""
    charts = [
        (f"`{pin.name}`", pin.version, f"`{pin.repository}`", f"`{pin.namespace}`", pin.source, pin.read)
        for pin in pins.CHARTS.values()
    ]
    checked = [
        (f"`{pin.name}`", pin.version, account.keys_from, account.source, account.rendered, f"`{_helm_show(pin)}`")
        for pin in pins.CHARTS.values()
        for account in (account_of(pin.name),)
    ]
    manifests = [
        (f"`{pin.name}`", pin.version, f"`{pin.image}`", f"`{pin.namespace}`", pin.source, pin.read, _tags(pin.image))
        for pin in pins.MANIFESTS.values()
    ]
    images = [
        (f"`{pin.name}`", pin.version, f"`{pin.image}`", pin.source, pin.read, _tags(pin.image))
        for pin in IMAGES.values()
    ]
    addons = [(f"`{addon.name}`", OPEN, _when_installed(addon), addon.source) for addon in ALL_ADDONS.values()]
    kubernetes = [
        (known.version, known.standard_support_ends or OPEN, known.extended_support_ends or OPEN, known.note)
        for known in KUBERNETES_VERSIONS.values()
    ]
    lines = [
        "# Pins",
        "",
        NOTICE,
        "",
        f"Versions of what the stack installs, as read on {pins.AS_OF}: `components/catalog/pins.py` and `images.py`.",
        f"{OPEN} means that no source outside an AWS account gives it.",
        "That day also decides which Kubernetes versions count as supported, so that no check changes overnight.",
        "Each pin has a comment by which Renovate finds its newer versions.",
        *table("Charts", ("chart", "version", "registry", "namespace", "source", "read"), charts),
        *table(
            "What was checked of each chart",
            ("chart", "pinned", "keys from", "read where and when", "rendered here by the real Helm", "look again"),
            checked,
        ),
        "",
        "**chart**: keys and templates of the pinned version. **older chart**: of one before it, so a key that the pin",
        "has renamed would not be found. **transcript**: what a command printed for somebody else.",
        "",
        "Every key that we set is held against these lists (`components/catalog/data/chart-values/`), in a test and in",
        "the fields `values` of an environment. Charts that no registry gives here were put together once from the",
        "public repositories; no test does that again. In a sandbox without them a stand-in takes their place, and",
        "`up` says so.",
        *table(
            "Manifests",
            ("manifest", "version", "image", "namespace", "source", "read", "look again"),
            manifests,
        ),
        *table("Images of our Jobs", ("image", "version", "repository", "source", "read", "look again"), images),
        *table("EKS add-ons", ("add-on", "version", "installed", "source"), addons),
        "",
        "An environment names its own versions in `cluster.addonVersions`. Look with",
        "`aws eks describe-addon-versions --addon-name NAME --kubernetes-version VERSION`.",
        *table(
            "Node image",
            ("image", "release", "source", "read"),
            [("EKS-optimized AL2023", f"`{pins.AMI_RELEASE}`", "awslabs/amazon-eks-ami", pins.AS_OF)],
        ),
        "",
        "An environment names its own in `amiRelease`; the table has the one that the examples use. Look with",
        "`gh release list --repo awslabs/amazon-eks-ami`.",
        *table(
            "Kubernetes on EKS",
            ("version", "standard support ends", "extended support ends", "note"),
            kubernetes,
        ),
        "",
        "Look with `aws eks describe-cluster-versions`.",
    ]
    return "\n".join(lines) + "\n"


def _helm_show(pin: pins.ChartPin) -> str:
    """A command that prints the chart's values at the pin, and fails where the registry has no such version."""
    oci = pin.repository.startswith("oci://")
    where = f"{pin.repository}/{pin.name}" if oci else f"{pin.name} --repo {pin.repository}"
    return f"helm show values {where} --version {pin.version}"


def _tags(image: str) -> str:
    return f"`crane ls {image}`"


def _when_installed(addon: Addon) -> str:
    if addon.name not in ADDONS:
        return "with the storage that needs it"
    return f"{'before' if addon.before_nodes else 'after'} the first nodes"
