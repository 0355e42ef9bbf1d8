"""What the processes of a training take for their master."""

import re

from policies.manifests import Container, at, rows, words

ADDRESSES = (
    "MASTER_ADDR",
    "PET_MASTER_ADDR",
    "PET_RDZV_ENDPOINT",
    "MAIN_PROCESS_IP",
    "JAX_COORDINATOR_ADDRESS",
    "COORDINATOR_ADDRESS",
    "NEURON_RT_ROOT_COMM_ID",
    "TF_CONFIG",
)
"""Variables in which launchers and frameworks look for it."""
POINTED = re.compile(
    r"(?:\b(?:PET_)?MASTER_ADDR=|--(?:master[-_]addr|rdzv[-_]endpoint|main[-_]process[-_]ip)[= ]+"
    r"|--(?:dist[-_]url|init[-_]method|coordinator[-_]address)[= ]+)[\"']?(\$\([^()]*\)|`[^`]*`|[^\s\"';&|]*)"
)
"""Where a command line names it."""
OWN_IP = ("status.podIP", "status.podIPs")
_OWN_FIELDS = ("metadata.name", "metadata.uid", "spec.nodeName", "status.hostIP", "status.hostIPs")
_OWN_NAME = re.compile(
    r"(?:\$\(hostname(?: +-\w+)*\)|\$\(hostname +-[iI]\b[^()]*\)|`hostname(?: +-\w+)*`"
    r"|\$HOSTNAME|\$\{HOSTNAME\})(?::\S*)?"
)
_LOOPBACK = re.compile(r"(?:localhost|127\.0\.0\.\d+|0\.0\.0\.0|\[?::1\]?)(?::\S*)?")
_VARIABLE = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\}|(\w+))(?::\S*)?")


def fields(container: Container) -> dict[str, str]:
    """Variables that take a field of their own pod: name -> path."""
    return {
        words(entry.get("name")): words(at(entry, "valueFrom", "fieldRef", "fieldPath"))
        for entry in rows(container.spec.get("env"))
        if isinstance(entry, dict) and at(entry, "valueFrom", "fieldRef")
    }


def own_ip(container: Container) -> str | None:
    """What gives the pod's own address as the master: a variable or an argument; None where nothing does."""
    found = fields(container)
    for name in ADDRESSES:
        if found.get(name) in OWN_IP or found.get(_named(words(container.env.get(name)))) in OWN_IP:
            return name
    told = [match[0] for match in POINTED.finditer(container.line) if found.get(_named(match[1])) in OWN_IP]
    return told[0] if told else None


def owner(container: Container) -> str | None:
    """What gives each pod itself as the master, by its name, its node or the loopback; its address is `own_ip`."""
    found = fields(container)
    for name in ADDRESSES:
        value = words(container.env.get(name))
        field = found.get(name) or found.get(_named(value), "")
        if field in _OWN_FIELDS:
            return f"{name} from {field}"
        if _LOOPBACK.fullmatch(value) or _named(value) == "HOSTNAME":
            return f"{name}={value}"
    told = list(POINTED.finditer(container.line))
    own = [match[0] for match in told if _is_own(match[1], found)]
    # Two of them are the branches of a condition: one pod is the master, and the others look it up.
    return own[0] if own and len(own) == len(told) else None


def _is_own(value: str, found: dict[str, str]) -> bool:
    loopback = _LOOPBACK.fullmatch(value) or _OWN_NAME.fullmatch(value)
    return bool(loopback) or _named(value) == "HOSTNAME" or found.get(_named(value)) in _OWN_FIELDS


def _named(value: str) -> str:
    """The variable that a value is: `POD_IP` of `$(POD_IP):29500`; empty for everything else."""
    match = _VARIABLE.fullmatch(value)
    return next((name for name in match.groups() if name), "") if match else ""
