"""The volume of Slurm's state is retained."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_state_volume_retained import POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_object_samples import CONTROLLER, controller
from tests.policy.workload_samples import RELEASE, slurm_values

pytestmark = pytest.mark.policy

CLAIM = Planned(
    type="kubernetes:core/v1:PersistentVolumeClaim",
    name="claim",
    props={"metadata": {"name": "slurm-statesave"}, "spec": {"storageClassName": "gp3-retain"}},
)


def class_of(policy, **props):
    made = {"metadata": {"name": "gp3-retain"}, "provisioner": "ebs.csi.aws.com", "reclaimPolicy": policy, **props}
    return Planned(type="kubernetes:storage.k8s.io/v1:StorageClass", name="class", props=made)


def object_of(**kept):
    return Planned(type=CONTROLLER, name="controller", props=controller(persistence={"enabled": True, **kept}))


def release(**kept):
    values = slurm_values(controller={"persistence": {"enabled": True, **kept}})
    return Planned(type=RELEASE, name="slurm-release", props=values)


BY_CLAIM, BY_CLASS = {"existingClaim": "slurm-statesave"}, {"storageClassName": "gp3-retain"}
CONTROLLERS = [object_of(**BY_CLAIM), object_of(**BY_CLASS), release(**BY_CLAIM), release(**BY_CLASS)]


@pytest.mark.parametrize("there", CONTROLLERS)
def test_a_class_that_retains_passes(check_stack, there):
    assert check_stack(POLICY, [class_of("Retain"), CLAIM, there]) == []


@pytest.mark.parametrize("there", CONTROLLERS)
@pytest.mark.parametrize("policy", ["Delete", None])
def test_a_class_that_deletes_is_refused_with_ways_out(check_stack, there, policy):
    [message] = check_stack(POLICY, [class_of(policy), CLAIM, there])
    assert "keeps its state on a volume of StorageClass 'gp3-retain' with reclaimPolicy Delete" in message
    assert "Set reclaimPolicy: Retain, or name a claim of such a class" in message


def test_a_class_or_claim_of_another_stack_passes(check_stack):
    assert check_stack(POLICY, [object_of(storageClassName="gp3")]) == []
    assert check_stack(POLICY, [object_of(existingClaim="other"), CLAIM, class_of("Delete")]) == []
    assert check_stack(POLICY, [object_of()]) == []


@pytest.mark.parametrize(
    "made", [class_of(UNKNOWN), Planned(type=class_of("x").type, name="gp3-retain", props={})], ids=["value", "all"]
)
def test_a_preview_that_does_not_know_the_class_passes(check_stack, made):
    assert check_stack(POLICY, [made, CLAIM, object_of(**BY_CLASS), object_of(existingClaim=UNKNOWN)]) == []


def test_a_stack_without_a_controller_is_not_its_business(check_stack):
    assert check_stack(POLICY, [class_of("Delete"), CLAIM]) == ["not applicable"]
    external = Planned(type=CONTROLLER, name="c", props=controller(external=True, persistence=BY_CLASS))
    assert check_stack(POLICY, [class_of("Delete"), external]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_controller(analyzer):
    there = object_of(**BY_CLAIM)
    stack = [class_of("Delete"), CLAIM, there]
    found = [d for d in analyzer.analyze_stack(stack).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, there.urn)]
