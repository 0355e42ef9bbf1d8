"""Variables and chart values that pretend to switch EFA on."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_no_invented_switches import INVENTED, POLICY
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job, slurm_values

pytestmark = pytest.mark.policy


@pytest.mark.parametrize("env", [{}, {"NCCL_NET": "AWS Libfabric"}, {"NCCL_NET": UNKNOWN}, {"FI_EFA_FORK_SAFE": "1"}])
def test_a_job_that_invents_nothing_passes(check, env):
    assert check(POLICY, MPI_JOB, mpi_job(env=env)) == []


@pytest.mark.parametrize("name", INVENTED)
def test_an_invented_variable_is_refused_with_ways_out(check, name):
    [message] = check(POLICY, MPI_JOB, mpi_job(env={name: "1"}))
    assert f"MPIJob 'train' sets {name} in container 'mpi'" in message
    assert "limits, or leave EFA alone" in message


@pytest.mark.parametrize("value", ["efa", "EFA"])
def test_efa_is_no_network_of_nccl_and_refused(check, value):
    [message] = check(POLICY, MPI_JOB, mpi_job(env={"NCCL_NET": value}))
    assert "sets NCCL_NET=efa" in message


def test_an_export_of_mpirun_is_refused(check):
    job = mpi_job()
    launcher = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["args"] = ["-x", "NCCL_EFA_ENABLE=1"]
    [message] = check(POLICY, MPI_JOB, job)
    assert "sets NCCL_EFA_ENABLE" in message


@pytest.mark.parametrize("chart", ["slurm", "oci://ghcr.io/slinkyproject/charts/slurm", "slurm-operator"])
def test_a_value_of_slinkys_charts_is_refused(check, chart):
    [message] = check(POLICY, RELEASE, {**slurm_values(efa={"enabled": True}), "chart": chart})
    assert "Release 'slurm' sets efa, which no template of its chart reads" in message


def test_a_value_of_a_node_set_is_refused(check):
    release = slurm_values()
    release["values"]["nodesets"]["gpu"]["efa"] = True
    [message] = check(POLICY, RELEASE, release)
    assert "sets nodesets.gpu.efa" in message


def test_other_charts_may_have_such_a_value_and_it_passes(check):
    assert check(POLICY, RELEASE, {**slurm_values(efa={"enabled": True}), "chart": "trainer"}) == []


@pytest.mark.parametrize("odd", [None, [], "text", UNKNOWN])
def test_a_preview_of_odd_values_passes(check, odd):
    assert check(POLICY, RELEASE, {"name": "slurm", "chart": "slurm", "values": odd}) == []
    assert check(POLICY, RELEASE, {"name": "slurm", "chart": odd, "values": {"efa": {}}}) == []


def test_what_makes_no_pods_is_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:ConfigMap", {"data": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(MPI_JOB, mpi_job(env={"EFA_ENABLED": "true"}), "train").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
