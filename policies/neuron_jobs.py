"""What pods say about Neuron: SDK of the image, packages that they install, graphs that they compile, and files."""

import posixpath
import re
from collections.abc import Iterator

from components.catalog.neuron import CACHE_VARIABLE, COMPILER, DEFAULT_CACHE, STOCK_IMAGES, TRAINING_SDK
from policies.command_lines import command_of
from policies.manifests import FROM, Container, Template, at, rows, table, words
from policies.values import UNKNOWN

_SDK = re.compile(r"neuron.*sdk(\d+)\.(\d+)")
# A line that is commented out, or another command of the same line, is none.
_INSTALL = re.compile(r"(?m)^[^#\n]*\b(?:pip[0-9.]*|conda|mamba)\b[^\n;&|#]*\sinstall\b")
_STEP = re.compile(r"[\n;&|]+")
_SCRIPT = re.compile(r"[\w./-]+\.(?:py|sh)\b")
_DATA = re.compile(r"--[\w-]*data[\w-]*[= ](/[\w./-]+)")
_LAUNCHES = re.compile(rf"\btorchrun\b|\baccelerate launch\b|{COMPILER}")
_FETCHES = re.compile(r"\bgit clone\b|\bs3 (?:cp|sync)\b|\bcurl\b|\bwget\b|\bcp\b|\brsync\b")
_OF_THE_SYSTEM = ("/opt/", "/usr/", "/bin/", "/etc/")


def sdk_of(image: str) -> str | None:
    """SDK that a Neuron container's tag names, such as `2.18`; None for any other image."""
    found = _SDK.search(image)
    return f"{found[1]}.{found[2]}" if found else None


def is_old(sdk: str) -> bool:
    """Whether an SDK is older than that of the training images."""
    return _ordered(sdk) < _ordered(TRAINING_SDK)


def _ordered(sdk: str) -> tuple[int, ...]:
    return tuple(int(part) for part in sdk.split(".")[:2])


def installs_packages(container: Container) -> bool:
    """Whether its command installs Python packages when the pod starts."""
    return _INSTALL.search(command_of(container)) is not None


def only_compiles(template: Template) -> bool:
    """Whether it compiles a script's graphs and no other command of the pod runs that script."""
    steps = [
        step
        for container in template.containers
        for step in _STEP.split(command_of(container))
        if not step.lstrip().startswith("#")
    ]
    compiled = [step for step in steps if COMPILER in step and "clear-locks" not in step]
    scripts = {script for step in compiled for script in _SCRIPT.findall(step)}
    trained = any(scripts.intersection(_SCRIPT.findall(step)) for step in steps if COMPILER not in step)
    return bool(compiled) and not trained


def launches(container: Container) -> bool:
    """Whether its command starts the ranks of a training, or compiles one; a script of its own may do anything."""
    return _LAUNCHES.search(command_of(container)) is not None


def missing_files(container: Container) -> Iterator[str]:
    """Absolute paths of scripts and data that a container of AWS' own image names and no volume brings."""
    line, image = command_of(container), container.image
    if _FETCHES.search(line) or not any(part in image for part in STOCK_IMAGES):
        return
    folder = words(container.spec.get("workingDir"))
    scripts = (posixpath.join(folder, script) for script in _SCRIPT.findall(line))
    for path in dict.fromkeys((*scripts, *_DATA.findall(line))):
        if path.startswith("/") and not path.startswith(_OF_THE_SYSTEM) and volume_under(container, path) is None:
            yield path


def names(container: Container, resource: str) -> bool:
    """Whether it asks for a resource, however many of it."""
    asked = (at(container.spec, "resources", kind) for kind in ("limits", "requests"))
    return any(resource in table(counts) for counts in asked)


def volume_under(container: Container, path: str) -> str | None:
    """Name of the volume that a path of the container lies on; None where it lies in the image."""
    for mount in rows(container.spec.get("volumeMounts")):
        if mount is UNKNOWN or table(mount).get("mountPath") is UNKNOWN:
            return ""
        inside = words(table(mount).get("mountPath")).rstrip("/")
        if inside and (path == inside or path.startswith(inside + "/")):
            return words(table(mount).get("name"))
    return "" if container.spec.get("volumeMounts") is UNKNOWN else None


def lost_cache(template: Template, container: Container) -> str | None:
    """Where its compiled graphs lie, if that ends with the pod; None where they outlive it, or nobody can tell."""
    place = container.env.get(CACHE_VARIABLE)
    if place is None:
        flags = container.env.get("NEURON_CC_FLAGS", "")
        if flags in (UNKNOWN, FROM) or container.spec.get("envFrom"):
            return None
        found = re.search(r"--cache_dir[= ](\S+)", flags)
        place = found[1] if found else DEFAULT_CACHE
    if not isinstance(place, str) or place == FROM or not place.startswith("/"):
        return None
    volume = volume_under(container, place)
    volumes = {words(table(each).get("name")): table(each) for each in rows(template.spec.get("volumes"))}
    kept = volume is not None and "emptyDir" not in volumes.get(volume, {})
    return None if kept else place
