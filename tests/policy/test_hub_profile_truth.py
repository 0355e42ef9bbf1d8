"""Notebook profiles say what they give."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.hub_profile_truth import POLICY
from tests.policy.hub_samples import IMAGE, pool, profile, release, values
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

A10G = {
    "node_selector": {"node.kubernetes.io/instance-type": "g5.xlarge"},
    "extra_resource_limits": {"nvidia.com/gpu": 1},
}


def test_a_profile_that_is_what_it_says_passes(check_stack):
    assert check_stack(POLICY, [release(), pool()]) == []
    assert check_stack(POLICY, [release(profile(A10G, slug="a10g", description="One A10G", display_name="A10G"))]) == []


def test_an_accelerator_that_the_instance_type_has_not_is_refused_with_ways_out(check_stack):
    [message] = check_stack(POLICY, [release(profile(A10G, slug="a100", display_name="A100", description=""))])
    assert "profile 'a100' names a100 and selects g5.xlarge, which has a10g" in message
    assert "Name the accelerator that users get, or select" in message


def test_so_is_one_that_the_pool_of_the_stack_has_not_and_it_is_refused(check_stack):
    [message] = check_stack(POLICY, [release(), pool(instance_type="p4d.24xlarge")])
    assert "names h100 and selects p4d.24xlarge, which has a100" in message


def test_a_label_of_the_accelerator_is_compared_too_and_refused(check_stack):
    label = {"node_selector": {"eks-training-platform/accelerator": "a100"}}
    [message] = check_stack(POLICY, [release(profile(label))])
    assert "names h100 and selects nodes with a100" in message


def test_a_promise_without_a_device_is_refused(check_stack):
    [message] = check_stack(POLICY, [release(profile({"extra_resource_limits": None})), pool()])
    assert "asks for no device" in message


def test_devices_from_anywhere_are_refused(check_stack):
    [message] = check_stack(POLICY, [release(profile({"node_selector": None}))])
    assert "asks for accelerators and selects no nodes" in message


@pytest.mark.parametrize("devices", [{"nvidia.com/gpu": "9"}, {"nvidia.com/gpu": 9.0}, {"aws.amazon.com/neuron": 1}])
def test_more_or_other_devices_than_a_node_has_are_refused(check_stack, devices):
    [message] = check_stack(POLICY, [release(profile({"extra_resource_limits": devices})), pool()])
    assert "selects p5.48xlarge, which has fewer or none" in message


def test_the_chart_s_sample_image_is_refused_where_accelerators_are_asked_for(check_stack):
    bare = profile({"image": None})
    [message] = check_stack(POLICY, [release(bare), pool()])
    assert "k8s-singleuser-sample, which cannot use them" in message
    bare["singleuser"]["image"] = {"name": "registry.example/notebook", "tag": "1"}
    assert check_stack(POLICY, [release(bare), pool()]) == []


def test_choices_are_judged_each_by_its_own_text_and_refused(check_stack):
    choices = {
        "h100": {
            "display_name": "H100",
            "kubespawner_override": {
                "node_selector": {"eks-training-platform/pool": "p5"},
                "extra_resource_limits": {"nvidia.com/gpu": 1},
            },
        },
        "t4": {"display_name": "T4", "kubespawner_override": A10G},
    }
    entry = {
        "display_name": "H100 or T4",
        "kubespawner_override": {"image": IMAGE},
        "profile_options": {"gpu": {"choices": choices}},
    }
    [message] = check_stack(POLICY, [release(values(singleuser__profileList=[entry])), pool()])
    assert "profile 'H100 or T4/t4' names t4 and selects g5.xlarge" in message


def test_in_a_preview_pools_without_properties_and_unknown_values_do_not_matter(check_stack):
    bare = Planned(type="kubernetes:karpenter.sh/v1:NodePool", name="p5", props={})
    assert check_stack(POLICY, [release(), bare]) == []
    for key in ("node_selector", "extra_resource_limits", "image"):
        assert check_stack(POLICY, [release(profile({key: UNKNOWN})), pool()]) == []
    assert check_stack(POLICY, [release(profile({"extra_resource_limits": {"nvidia.com/gpu": UNKNOWN}})), pool()]) == []


def test_odd_profiles_pass_without_an_error(check_stack):
    odd = ["x", None, {}, {"kubespawner_override": [], "profile_options": {"a": None, "b": {"choices": ["x"]}}}]
    assert check_stack(POLICY, [release(values(singleuser__profileList=odd))]) == []


def test_a_stack_without_a_hub_is_not_its_business(check_stack):
    assert check_stack(POLICY, [pool()]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_release(analyzer):
    hub = release(profile({"node_selector": None}))
    found = [d for d in analyzer.analyze_stack([hub]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, hub.urn)]
