"""DeepSpeed configurations that leave values to someone who is not there."""

import json

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.train_deepspeed_auto_needs_integration import INTEGRATION, INTEGRATIONS, POLICY
from policies.train_deepspeed import CONFIG_MAP
from tests.policy.workload_samples import BUCKET, MPI_JOB, RELEASE, mpi_job

pytestmark = pytest.mark.policy

NUMBERS = {"train_batch_size": 64, "zero_optimization": {"stage": 3, "reduce_bucket_size": 5e8}}
AUTO = {"train_batch_size": "auto", "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}}


def config_map(config, **annotations):
    text = config if isinstance(config, str) else json.dumps(config)
    return {"metadata": {"name": "deepspeed", "annotations": annotations}, "data": {"ds_config.json": text}}


def test_numbers_pass(check):
    assert check(POLICY, CONFIG_MAP, config_map(NUMBERS)) == []


@pytest.mark.parametrize("name", INTEGRATIONS)
def test_auto_with_an_integration_that_fills_it_passes(check, name):
    assert check(POLICY, CONFIG_MAP, config_map(AUTO, **{INTEGRATION: name})) == []


def test_auto_for_deepspeed_s_own_tuner_passes(check):
    tuned = {"train_micro_batch_size_per_gpu": "auto", "autotuning": {"enabled": True, "mp_size": "auto"}}
    assert check(POLICY, CONFIG_MAP, config_map(tuned)) == []
    untuned = {**tuned, "autotuning": {"enabled": False}}
    assert len(check(POLICY, CONFIG_MAP, config_map(untuned))) == 1


@pytest.mark.parametrize(
    ("config", "paths"),
    [
        (AUTO, "train_batch_size, zero_optimization.reduce_bucket_size to auto"),
        ({**NUMBERS, "optimizer": {"params": {"betas": ["auto", 0.9]}}}, "optimizer.params.betas[0] to auto"),
        ({"train_batch_size": " AUTO "}, "train_batch_size to auto"),
        ("{train_batch_size: auto,}", "train_batch_size to auto"),
        ({**AUTO, "a": "auto", "b": "auto"}, "a and 1 more to auto"),
    ],
)
def test_auto_that_nobody_fills_is_refused_with_ways_out(check, config, paths):
    [message] = check(POLICY, CONFIG_MAP, config_map(config))
    assert "ConfigMap 'deepspeed': data.ds_config.json leaves " in message
    assert paths in message
    assert ", or name who fills them in the annotation" in message


@pytest.mark.parametrize("name", ["deepspeed", "", "lightning"])
def test_an_integration_that_does_not_fill_it_all_is_refused(check, name):
    assert len(check(POLICY, CONFIG_MAP, config_map(AUTO, **{INTEGRATION: name}))) == 1


def test_the_values_of_a_release_are_refused_too(check):
    [message] = check(POLICY, RELEASE, {"name": "hub", "values": {"files": {"ds.json": json.dumps(AUTO)}}})
    assert "Release 'hub': files.ds.json" in message


def test_a_preview_that_does_not_know_the_integration_says_nothing(check):
    assert check(POLICY, CONFIG_MAP, config_map(AUTO, **{INTEGRATION: UNKNOWN})) == []
    assert check(POLICY, CONFIG_MAP, config_map(UNKNOWN)) == ["not applicable"]


def test_other_settings_and_other_objects_are_not_its_business(check):
    assert check(POLICY, CONFIG_MAP, config_map({"device": "auto"})) == ["not applicable"]
    assert check(POLICY, MPI_JOB, mpi_job()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(CONFIG_MAP, config_map(AUTO), "deepspeed").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
