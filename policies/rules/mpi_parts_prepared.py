"""An MPIJob has the parts that the operator and mpirun need: one launcher, workers with sshd, an end for their pods."""

import re
from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.command_lines import command_of
from policies.manifests import Workload, at, rows
from policies.mpi_jobs import TRAINS, containers, mpi_jobs, role
from policies.values import UNKNOWN, is_true, whole


def _missing(job: Workload) -> Iterator[str]:
    launchers, workers = role(job, "Launcher").get("replicas"), role(job, "Worker").get("replicas")
    specs = at(job.spec, "mpiReplicaSpecs")
    count = whole(1 if launchers is None else launchers) if role(job, "Launcher") else 0
    if UNKNOWN not in (specs, at(specs, "Launcher"), launchers) and count != 1:
        yield "has not exactly one Launcher, and without it nobody runs mpirun. Set Launcher.replicas: 1"
    alone = is_true(job.spec.get("runLauncherAsWorker")) and not role(job, "Worker")
    if not alone and UNKNOWN not in (specs, at(specs, "Worker"), workers) and (whole(workers) or 0) < 1:
        yield "has no Worker, and its operator refuses that in an event only. Set Worker.replicas to 1 or more"
    for container in containers(job, "Worker"):
        given = rows(container.spec.get("command")) + rows(container.spec.get("args"))
        if given and re.search(TRAINS, command_of(container)) and "sshd" not in command_of(container):
            yield (
                f"runs something else than sshd in its Worker ('{container.name}'), and mpirun cannot reach it. Remove "
                "command and args there, so that the operator starts sshd"
            )
    policy = at(job.spec, "runPolicy", "cleanPodPolicy")
    if policy is not UNKNOWN and policy not in ("Running", "All"):
        yield (
            f"says cleanPodPolicy {policy or '(nothing: None)'}, and its workers hold their nodes after the end. Set "
            "spec.runPolicy.cleanPodPolicy: Running"
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = mpi_jobs(args)
    if not jobs:
        args.not_applicable("no MPIJob")
    for job in jobs:
        for problem in _missing(job):
            report(f"{job.title} {problem}, or use an Indexed Job with torchrun, which needs no such parts.", None)


POLICY = ResourceValidationPolicy(
    name="mpi-parts-prepared",
    display_name="MPIJobs have all their parts",
    description="MPIJobs have one launcher, workers that run sshd, and a cleanPodPolicy that ends the workers.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["mpi-parts-prepared"],
    remediation_steps="Set Launcher.replicas 1, Worker.replicas and runPolicy.cleanPodPolicy; let workers run sshd.",
    url="https://github.com/kubeflow/mpi-operator",
    validate=_validate,
)
