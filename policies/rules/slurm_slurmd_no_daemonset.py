"""slurmd runs in pods of a NodeSet; a DaemonSet of one's own is none of Slinky's."""

import re

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import Container, rows, workload_of

IMAGE = re.compile(r"(.*-)?slurmd([:@].*)?")
"""Of the last part of the name: ours and others are called dlc-slurmd."""
COMMAND = re.compile(r"(^|\s|/)slurmd(\s|$)")


def _runs_slurmd(container: Container) -> bool:
    image = container.image.rsplit("/", 1)[-1]
    started = [word for key in ("command", "args") for word in rows(container.spec.get(key)) if isinstance(word, str)]
    return bool(IMAGE.fullmatch(image)) or container.name == "slurmd" or any(COMMAND.search(word) for word in started)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or workload.kind != "DaemonSet" or workload.group != "apps":
        args.not_applicable("no DaemonSet")
        return
    running = [container.name for _, container in workload.containers if _runs_slurmd(container)]
    if running or workload.name == "slurmd":
        report(
            f"{workload.title} runs slurmd{f' in container {running[0]!r}' if running else ''}: Slinky neither "
            "registers such nodes nor drains them before their pods end. Make a NodeSet (scalingMode DaemonSet follows "
            "the nodes as a DaemonSet does), or set platform.slurm.nodeSets in the environment.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="slurm-slurmd-no-daemonset",
    display_name="slurmd is no DaemonSet",
    description="No DaemonSet runs slurmd, whose pods a NodeSet makes.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.MEDIUM,
    tags=["slurm-slurmd-not-a-daemonset-object"],
    remediation_steps="Make a NodeSet; its scalingMode DaemonSet follows the nodes.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/concepts/nodeset-controller.md",
    validate=_validate,
)
