"""Pods share what can be shared."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.k8s_claim_shared_by_pods import POLICY
from tests.policy.planned import Planned
from tests.policy.storage_samples import CLAIM
from tests.policy.workload_samples import MPI_JOB, mpi_job

pytestmark = pytest.mark.policy


def claim(source="gp3", mode="ReadWriteOnce", namespace="training", name="data"):
    props = {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"storageClassName": source, "accessModes": [mode]},
    }
    return Planned(type=CLAIM, name="claim", props=props)


def job(replicas=2, name="data"):
    props = mpi_job()
    worker = props["spec"]["mpiReplicaSpecs"]["Worker"]
    worker["replicas"] = replicas
    worker["template"]["spec"]["volumes"] = [{"name": "d", "persistentVolumeClaim": {"claimName": name}}]
    return Planned(type=MPI_JOB, name="train", props=props)


def test_shared_storage_and_a_disk_of_one_pod_passes(check_stack):
    assert check_stack(POLICY, [claim(), job(1)]) == []
    assert check_stack(POLICY, [claim(), job(2, "other")]) == []
    assert check_stack(POLICY, [claim(namespace="other"), job()]) == []
    assert check_stack(POLICY, [claim(), claim("lustre-a", "ReadWriteMany", name="shared"), job(2, "shared")]) == []


@pytest.mark.parametrize("mode", ["ReadWriteOnce", "ReadWriteOncePod"])
@pytest.mark.parametrize("replicas", [2, 2.0, "2"], ids=repr)
def test_a_disk_in_several_pods_is_refused_with_ways_out(check_stack, mode, replicas):
    [message] = check_stack(POLICY, [claim(mode=mode), job(replicas)])
    assert "MPIJob 'train' mounts claim data of gp3 in 2 pods" in message
    assert "claim of Lustre or EFS, or run one pod" in message


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check_stack):
    assert check_stack(POLICY, [claim(), job(UNKNOWN)]) == []
    assert check_stack(POLICY, [claim(), job(2, UNKNOWN)]) == []
    assert check_stack(POLICY, [claim(UNKNOWN), job()]) == ["not applicable"]


def test_a_stack_without_disks_is_not_its_business(check_stack):
    assert check_stack(POLICY, [job()]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_job(analyzer):
    found = [d for d in analyzer.analyze_stack([claim(), job()]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, job().urn)]
