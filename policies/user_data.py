"""What the user data of a node does, as far as its text tells."""

import base64
import binascii
import re
from collections.abc import Iterator

FLOATING = re.compile(r"(https?://\S*(?:latest|/main/|/master/)\S*)", re.IGNORECASE)
INSTALLER = re.compile(r"(?:driver|installer|efa|nccl|cuda|neuron|lustre|nvidia)", re.IGNORECASE)
PACKAGES = re.compile(
    r"(?:yum|dnf|apt|apt-get)\s+(?:-\S+\s+)*(?:install|upgrade|update)\b[^\n;&|]*"
    r"\b((?:nvidia-driver|cuda-drivers|aws-neuronx-dkms|kmod-nvidia|kernel)[\w.-]*)"
)
CLOCKS = re.compile(
    r"nvidia-smi\b[^\n;&|]*?(\s-ac\b|\s-lgc\b|\s-lmc\b|\s--(?:applications-clocks|lock-\w+-clocks))[^\n;&|]*"
)


def text_of(user_data: object) -> str:
    """The script, decoded where it is base64, as launch templates have it."""
    text = user_data if isinstance(user_data, str) else ""
    try:
        return base64.b64decode(text, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return text


def floating_installers(script: str) -> Iterator[str]:
    """What the script fetches that may be another thing tomorrow: `latest` downloads, packages without a version."""
    yield from (url for url in FLOATING.findall(script) if INSTALLER.search(url))
    yield from (name for name in PACKAGES.findall(script) if not re.search(r"\d+\.\d+", name))


def clock_settings(script: str) -> list[str]:
    """Commands that fix the clocks of GPUs."""
    return [match.group(0).strip() for match in CLOCKS.finditer(script)]
