"""Number, mapping and binding of MPI's processes."""

import re

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from policies import mpi_jobs
from policies.rules.mpi_slots_only_hostfile import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, mpi_job
from tests.support import ROOT

pytestmark = pytest.mark.policy

EXPLICIT = "--map-by slot --bind-to none python train.py"


def launched_by(*words, **more):
    job = mpi_job(more.get("env"))
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["command"] = list(words)
    return job


def script(text):
    return launched_by("bash", "-c", text)


def test_a_command_that_says_all_three_passes(check):
    assert check(POLICY, MPI_JOB, mpi_job()) == []


@pytest.mark.parametrize(
    "line",
    [
        f"mpirun -np 16 {EXPLICIT}",
        f"/opt/amazon/openmpi/bin/mpirun --np 16 {EXPLICIT}",
        f"exec mpiexec -n=16 {EXPLICIT}",
        f'mpirun -np "16" {EXPLICIT}',
        f"mpirun -np $RANKS {EXPLICIT}",
        f"mpirun --allow-run-as-root --mca btl ^openib -x LD_LIBRARY_PATH -x 'A=b c' \\\n  -n 16 {EXPLICIT}",
        "mpiexec.hydra -genv I_MPI_PIN 0 -ppn 8 -n 16 python train.py",
        f"mpirun --version\nmpirun -np 16 {EXPLICIT}",
    ],
)
def test_whatever_way_it_is_written_it_passes(check, line):
    assert check(POLICY, MPI_JOB, script(line)) == []


def test_what_the_environment_says_of_binding_passes(check):
    job = launched_by("mpirun", "-np", "16", "-ppn", "8", "python", env={"I_MPI_PIN_DOMAIN": "auto"})
    assert check(POLICY, MPI_JOB, job) == []


def test_a_number_that_is_no_text_passes(check):
    assert check(POLICY, MPI_JOB, launched_by("mpirun", "-np", 16.0, *EXPLICIT.split())) == []


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("mpirun python train.py", "-np and --map-by and --bind-to"),
        (f"mpirun {EXPLICIT}", "-np"),
        (f"mpirun {EXPLICIT} -n 16", "-np"),
        ("mpirun --report-bindings python -n 16 --map-by slot --bind-to none", "-np"),
        ("mpirun -np 16 --bind-to none python train.py", "--map-by"),
        ("mpirun -np 16 --map-by slot python train.py", "--bind-to"),
        (f"mpirun -np 16 {EXPLICIT} && mpirun {EXPLICIT}", "-np"),
    ],
)
def test_what_is_left_to_defaults_is_refused_by_name(check, line, missing):
    [message] = check(POLICY, MPI_JOB, script(line))
    assert f"MPIJob 'train' starts mpirun without {missing} ('mpi')" in message
    assert ", or start the job by torchrun in an Indexed Job." in message


def test_a_launcher_that_shows_no_mpirun_is_refused_unless_it_declares_its_processes(check):
    job = script("/opt/start.sh")
    [message] = check(POLICY, MPI_JOB, job)
    assert "MPIJob 'train' shows no mpirun in its launcher's command" in message
    job["metadata"]["annotations"] = {mpi_jobs.WORLD_SIZE: "16"}
    assert check(POLICY, MPI_JOB, job) == []


def test_a_preview_that_does_not_know_the_number_says_so_and_does_not_blame(check):
    for job in (launched_by("mpirun", "-np", UNKNOWN, "python"), launched_by("bash", "-c", UNKNOWN)):
        with pytest.raises(UnknownValueError):
            check(POLICY, MPI_JOB, job)


@pytest.mark.parametrize(
    "spec", [None, [], {"mpiReplicaSpecs": []}, {"mpiReplicaSpecs": {"Launcher": {"template": 1}}}]
)
def test_an_object_of_odd_shape_is_refused_not_raised_about(check, spec):
    assert len(check(POLICY, MPI_JOB, {"metadata": {"name": "train"}, "spec": spec})) == 1


def test_other_objects_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, script("mpirun python train.py"), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY


@pytest.mark.parametrize("name", ["LAUNCH", "COUNT", "MAPPING", "BINDING", "TRAINS"])
def test_the_api_server_reads_commands_by_the_same_patterns(name):
    text = (ROOT / "policies" / "admission" / "rules" / "workloads-mpi.yaml").read_text(encoding="utf-8")
    pattern = getattr(mpi_jobs, name)
    assert f"r'''{pattern}'''" in text
    re.compile(pattern)
