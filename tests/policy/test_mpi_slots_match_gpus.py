"""Slots of a worker and its GPUs."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.mpi_slots_match_gpus import POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, devices, mpi_job

pytestmark = pytest.mark.policy


def slotted(slots):
    job = mpi_job()
    job["spec"]["slotsPerWorker"] = slots
    return job


@pytest.mark.parametrize("slots", [8, "8", 8.0])
def test_as_many_slots_as_gpus_pass(check, slots):
    assert check(POLICY, MPI_JOB, slotted(slots)) == []


@pytest.mark.parametrize(("slots", "shown"), [(4, "4"), ("4", "4"), (None, "(1)")])
def test_another_number_is_refused_in_advice(check, slots, shown):
    [message] = check(POLICY, MPI_JOB, slotted(slots))
    assert f"MPIJob 'train' has slotsPerWorker {shown} and 8 nvidia.com/gpu in each worker" in message
    assert "Set slotsPerWorker: 8, or give the worker" in message


def test_workers_without_gpus_pass(check):
    assert check(POLICY, MPI_JOB, mpi_job(resources=devices())) == []


def test_a_preview_that_does_not_know_the_slots_passes(check):
    assert check(POLICY, MPI_JOB, slotted(UNKNOWN)) == []


def test_other_objects_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_advice(analyzer):
    found = analyzer.analyze(MPI_JOB, slotted(4), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.ADVISORY
