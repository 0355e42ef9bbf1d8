"""Drivers whose version is decided at boot."""

import base64

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_userdata_no_floating_installer import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, node_class, node_pool

pytestmark = pytest.mark.policy

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
FLOATING = "curl -O https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz && ./efa_installer.sh -y"


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/bash\necho hello",
        "curl -O https://efa-installer.amazonaws.com/aws-efa-installer-1.50.0.tar.gz && sha256sum -c sums",
        "dnf install -y lustre-client-2.15.6",
        "curl https://example.com/latest/readme.txt",
        "dnf install -y htop",
    ],
)
def test_scripts_that_decide_no_version_at_boot_pass(check, script):
    assert check(POLICY, NODE_CLASS, node_class(userData=script)) == []


def test_a_fixed_version_passes_in_a_launch_template_too(check):
    encoded = base64.b64encode(b"dnf install -y nvidia-driver-580.1.2").decode()
    assert check(POLICY, TEMPLATE, {"userData": encoded}) == []


@pytest.mark.parametrize(
    ("script", "what"),
    [
        (FLOATING, "aws-efa-installer-latest.tar.gz"),
        ("wget https://raw.githubusercontent.com/x/nvidia-install/main/install.sh", "/main/install.sh"),
        ("yum install -y nvidia-driver-latest-dkms", "nvidia-driver-latest-dkms"),
        ("apt-get install -y cuda-drivers", "cuda-drivers"),
        ("dnf -y update aws-neuronx-dkms", "aws-neuronx-dkms"),
        ("dnf upgrade -y kernel", "kernel"),
    ],
)
def test_a_floating_installer_is_refused(check, script, what):
    [message] = check(POLICY, NODE_CLASS, node_class(userData=script), name="p5")
    assert "'p5'" in message
    assert what in message


def test_an_encoded_script_is_read(check):
    encoded = base64.b64encode(FLOATING.encode()).decode()
    assert len(check(POLICY, TEMPLATE, {"userData": encoded})) == 1


def test_a_preview_that_does_not_know_other_fields_still_reads_the_script(check):
    assert len(check(POLICY, NODE_CLASS, node_class(userData=FLOATING, role=UNKNOWN))) == 1


def test_what_has_no_user_data_is_not_its_business(check):
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]
    assert check(POLICY, TEMPLATE, {}) == ["not applicable"]
    assert check(POLICY, NODE_POOL, node_pool()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"userData": FLOATING}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_CLASS, node_class(userData=FLOATING), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
