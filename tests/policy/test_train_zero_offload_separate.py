"""DeepSpeed configurations that are called offload and do not offload."""

import json

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.train_zero_offload_separate import POLICY
from policies.train_deepspeed import CONFIG_MAP
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job

pytestmark = pytest.mark.policy

CPU = {"device": "cpu", "pin_memory": True}
NVME = {"device": "nvme", "nvme_path": "/scratch"}


def config_map(zero, key="ds_config.json", name="deepspeed", annotations=None, **beside):
    text = zero if isinstance(zero, str) else json.dumps({"train_batch_size": 64, "zero_optimization": zero})
    return {"metadata": {"name": name, "annotations": annotations}, "data": {key: text, **beside}}


@pytest.mark.parametrize(
    "made",
    [
        config_map({"stage": 3}),
        config_map({"stage": 3, "offload_optimizer": CPU, "offload_param": NVME}, key="zero3_offload.json"),
        config_map({"stage": 2, "offload_optimizer": CPU}, offload="cpu"),
        config_map({"stage": 2, "cpu_offload": True}, name="zero2-offload"),
        config_map({"stage": 3}, name="zero3-no-offload"),
        config_map({"stage": 3}, offload="none"),
        config_map({"stage": "auto", "offload_param": CPU}),
        config_map({"stage": 3, "offload_param": {"device": "none"}}),
    ],
    ids=[
        "stage alone",
        "both blocks",
        "one block",
        "older word",
        "denied",
        "none",
        "a stage to fill",
        "a block of none",
    ],
)
def test_what_does_what_it_says_passes(check, made):
    assert check(POLICY, CONFIG_MAP, made) == []


@pytest.mark.parametrize(
    ("made", "claim"),
    [
        (config_map({"stage": 3}, key="zero3_offload.json"), "the name 'zero3_offload.json'"),
        (config_map({"stage": 3}, name="zero3-offload"), "the name 'zero3-offload'"),
        (config_map({"stage": 3}, offload="cpu"), "offload: cpu"),
        (config_map({"stage": "3"}, annotations={"example.com/offload": "nvme"}), "example.com/offload: nvme"),
        (config_map({"stage": 3, "offload": True}), "offload: True"),
        (config_map({"stage": 3, "offload_param": "cpu"}), "offload_param: cpu"),
        (config_map({"stage": 3, "offload_param": {"device": "none"}}, offload="cpu"), "offload: cpu"),
    ],
)
def test_a_claim_without_a_block_is_refused_with_ways_out(check, made, claim):
    [message] = check(POLICY, CONFIG_MAP, made)
    assert f"is said to offload ({claim}) and has neither offload_optimizer nor offload_param" in message
    assert "ZeRO stage 3 alone" in message
    assert ", or drop the claim" in message


@pytest.mark.parametrize(
    ("zero", "words"),
    [
        ({"stage": 2, "offload_param": CPU}, "has offload_param with ZeRO stage 2"),
        ({"stage": "2", "offload_param": CPU}, "has offload_param with ZeRO stage 2"),
        ({"offload_optimizer": CPU}, "has offload_optimizer with ZeRO stage 0"),
        ({"stage": 3, "offload_param": {"device": "nvme"}}, "has offload_param on nvme and no nvme_path"),
    ],
)
def test_a_block_that_does_nothing_is_refused_with_ways_out(check, zero, words):
    [message] = check(POLICY, CONFIG_MAP, config_map(zero))
    assert f"ConfigMap 'deepspeed': the DeepSpeed configuration data.ds_config.json {words}" in message
    assert ", or " in message


def test_the_values_of_a_release_are_refused_too(check):
    files = {"extraFiles": [{"zero-offload.json": json.dumps({"zero_optimization": {"stage": 3}})}]}
    [message] = check(POLICY, RELEASE, {"name": "hub", "values": files})
    assert "Release 'hub': the DeepSpeed configuration extraFiles[0].zero-offload.json" in message


@pytest.mark.parametrize(
    "text", ["// a comment\n{zero_optimization: {stage: 3,},}", "{'zero_optimization': {'stage': 3}}"]
)
def test_what_deepspeed_s_reader_takes_besides_json_is_refused_alike(check, text):
    assert len(check(POLICY, CONFIG_MAP, config_map(text, offload="cpu"))) == 1


@pytest.mark.parametrize("zero", [None, [], "x", {"offload_param": ["cpu"]}, {"stage": None}])
def test_odd_forms_break_nothing_and_pass(check, zero):
    made = config_map({})
    made["data"]["ds_config.json"] = json.dumps({"zero_optimization": zero})
    assert check(POLICY, CONFIG_MAP, made) == []


def test_a_preview_that_does_not_know_a_text_judges_the_others(check):
    assert check(POLICY, CONFIG_MAP, config_map(UNKNOWN)) == ["not applicable"]
    assert len(check(POLICY, CONFIG_MAP, {**config_map({"stage": 3}, offload="cpu", other=UNKNOWN)})) == 1


def test_other_settings_and_other_objects_are_not_its_business(check):
    other = {"metadata": {"name": "x"}, "data": {"offload": "cpu", "a.json": '{"stage": 3}', "b": "{zero_optimization"}}
    assert check(POLICY, CONFIG_MAP, other) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(CONFIG_MAP, config_map({"stage": 3}, offload="cpu"), "deepspeed").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
