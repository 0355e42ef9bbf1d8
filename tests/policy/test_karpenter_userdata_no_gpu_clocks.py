"""GPU clocks fixed at boot."""

import base64

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_userdata_no_gpu_clocks import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, node_class, node_pool

pytestmark = pytest.mark.policy

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.mark.parametrize("script", ["nvidia-smi -L", "nvidia-smi -pm 1", "echo nvidia-smi; ls -ac"])
def test_a_script_that_leaves_clocks_alone_passes(check, script):
    assert check(POLICY, NODE_CLASS, node_class(userData=script)) == []


@pytest.mark.parametrize(
    "command",
    [
        "nvidia-smi -ac 1215,1410",
        "nvidia-smi -i 0 -lgc 1980",
        "nvidia-smi -lmc 2619",
        "nvidia-smi --lock-gpu-clocks=1980,1980",
        "nvidia-smi --applications-clocks=1215,1410",
    ],
)
def test_fixed_clocks_are_refused(check, command):
    [message] = check(POLICY, NODE_CLASS, node_class(userData=f"#!/bin/bash\n{command}\necho done"), name="p5")
    assert "'p5'" in message
    assert f"({command})" in message


def test_an_encoded_script_is_read(check):
    encoded = base64.b64encode(b"nvidia-smi -ac 1215,1410").decode()
    assert len(check(POLICY, TEMPLATE, {"userData": encoded})) == 1


def test_a_preview_that_does_not_know_other_fields_still_reads_the_script(check):
    assert len(check(POLICY, NODE_CLASS, node_class(userData="nvidia-smi -ac 1,2", role=UNKNOWN))) == 1


def test_what_has_no_user_data_is_not_its_business(check):
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]
    assert check(POLICY, NODE_POOL, node_pool()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"userData": "nvidia-smi -ac 1,2"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_CLASS, node_class(userData="nvidia-smi -ac 1,2"), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
