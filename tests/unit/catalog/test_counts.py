"""Devices are counted whole, processes by GPU or by logical core, amounts as Kubernetes writes them."""

import pytest

from components.catalog.counts import amount, cpu_m, is_device, memory_mib, ranks_per_node
from components.catalog.instance_types import INSTANCE_TYPES

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("instance_type", "ranks"),
    [
        ("p5.48xlarge", 8),
        ("p5.4xlarge", 1),
        # 16 devices of 2 cores; one rank a core.
        ("trn1.32xlarge", 32),
        ("trn1.2xlarge", 2),
        # 16 devices of 8 cores, of which two make one logical core.
        ("trn2.48xlarge", 64),
    ],
)
def test_a_node_runs_one_process_for_each_gpu_or_logical_core(instance_type, ranks):
    assert ranks_per_node(INSTANCE_TYPES[instance_type]) == ranks


def test_a_cpu_type_runs_no_training_process():
    assert ranks_per_node(INSTANCE_TYPES["m7i.2xlarge"]) is None


def test_every_accelerated_type_has_a_number_of_processes():
    accelerated = [facts for facts in INSTANCE_TYPES.values() if facts.is_accelerated]
    assert [facts.name for facts in accelerated if (ranks_per_node(facts) or 0) < facts.accelerator_count] == []


@pytest.mark.parametrize(
    "resource",
    [
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.10gb",
        "aws.amazon.com/neuron",
        "aws.amazon.com/neuroncore",
        "aws.amazon.com/neurondevice",
        "vpc.amazonaws.com/efa",
    ],
)
def test_devices_are_known_by_every_name_that_they_have(resource):
    assert is_device(resource)


@pytest.mark.parametrize("resource", ["cpu", "memory", "ephemeral-storage", "vpc.amazonaws.com/pod-eni"])
def test_other_resources_are_no_devices(resource):
    assert not is_device(resource)


@pytest.mark.parametrize(
    ("text", "thousandths", "mib"),
    [("500m", 500, 1), ("2", 2000, 1), (2, 2000, 1), ("1.5", 1500, 1), ("4Gi", None, 4096), ("100M", None, 96)],
)
def test_amounts_are_read_as_kubernetes_does(text, thousandths, mib):
    assert memory_mib(text) == mib
    if thousandths is not None:
        assert cpu_m(text) == thousandths


def test_what_is_no_amount_counts_nothing():
    assert amount("a lot") is None
    assert (cpu_m("a lot"), memory_mib("a lot")) == (0, 0)
