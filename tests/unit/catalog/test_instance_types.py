"""The catalog of instance types: complete, consistent, and honest about what it does not know."""

import dataclasses

import pytest

from components.catalog.instance_types import CPU_FAMILIES, INSTANCE_TYPES, UNSUPPORTED

pytestmark = pytest.mark.unit

with_layout = [entry for entry in INSTANCE_TYPES.values() if entry.efa_layout]


def test_p5_has_an_ordinary_interface_and_32_efa_interfaces_the_first_beside_it_on_card_0():
    layout = INSTANCE_TYPES["p5.48xlarge"].efa_layout
    assert layout[:3] == ((0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only"))
    assert layout[-1] == (31, 0, "efa-only")
    assert len(layout) == 33


def test_card_0_of_p6_b300_carries_no_efa():
    b300 = INSTANCE_TYPES["p6-b300.48xlarge"]
    assert not b300.card_zero_has_efa
    assert [entry for entry in b300.efa_layout if entry[0] == 0] == [(0, 0, "interface")]


@pytest.mark.parametrize("facts", with_layout, ids=lambda facts: facts.name)
def test_a_layout_has_as_many_efa_interfaces_as_the_type(facts):
    assert sum(kind == "efa-only" for _, _, kind in facts.efa_layout) == facts.efa_interfaces


@pytest.mark.parametrize("facts", with_layout, ids=lambda facts: facts.name)
def test_a_layout_keeps_karpenters_rules(facts):
    """The CRD's own: a primary interface at (0, 0), no pair twice, one efa-only interface at most on a card."""
    assert facts.efa_layout[0] == (0, 0, "interface")
    places = [(card, device) for card, device, _ in facts.efa_layout]
    assert len(places) == len(set(places))
    cards = [card for card, _, kind in facts.efa_layout if kind == "efa-only"]
    assert len(cards) == len(set(cards))
    assert len(facts.efa_layout) <= 150


@pytest.mark.parametrize("facts", with_layout, ids=lambda facts: facts.name)
def test_a_layout_fits_the_types_cards(facts):
    if facts.network_cards is None or facts.max_enis_per_card is None:
        assert not facts.efa_layout_is_sourced
        return
    assert max(card for card, _, _ in facts.efa_layout) < facts.network_cards
    assert max(device for _, device, _ in facts.efa_layout) < facts.max_enis_per_card


def test_types_with_missing_facts_or_a_reason_against_them_are_refused_instead_of_guessed():
    families = {name.partition(".")[0] for name in UNSUPPORTED}
    assert families == {"p6e-gb200", "trn2", "trn2u", "g7"}
    assert "trn2.48xlarge" in INSTANCE_TYPES
    assert "driver (580)" in UNSUPPORTED["g7.48xlarge"]
    assert all(len(reason) > 20 for reason in UNSUPPORTED.values())


def test_a_layout_that_was_only_inferred_is_marked():
    assert {f.name for f in with_layout if not f.efa_layout_is_sourced} == {"trn2.48xlarge"}


@pytest.mark.parametrize(
    ("name", "resource"),
    [
        ("p5.48xlarge", "nvidia.com/gpu"),
        ("trn1.32xlarge", "aws.amazon.com/neuron"),
        ("inf2.xlarge", "aws.amazon.com/neuron"),
        ("m7i.large", None),
        ("c5n.18xlarge", None),
    ],
)
def test_accelerators_are_counted_in_the_resource_of_their_device_plugin(name, resource):
    assert INSTANCE_TYPES[name].accelerator_resource == resource


def test_every_accelerated_type_says_how_many():
    assert [f.name for f in INSTANCE_TYPES.values() if f.is_accelerated and not f.accelerator_count] == []


def test_every_row_names_its_source():
    assert [f.name for f in INSTANCE_TYPES.values() if not f.source] == []


def test_facts_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        INSTANCE_TYPES["p5.48xlarge"].vcpu = 1
    with pytest.raises(TypeError):
        INSTANCE_TYPES["p5.48xlarge"] = None


@pytest.mark.parametrize(
    ("name", "default", "static", "with_prefixes"),
    [
        ("p5.48xlarge", 100, 51, 786),
        ("p5en.48xlarge", 198, 149, 2354),
        ("p4d.24xlarge", 737, 688, 10978),
        ("p6-b300.48xlarge", 198, 198, 3138),
        ("trn1.32xlarge", 247, 198, 3138),
        ("trn2.48xlarge", 100, 51, 786),
        ("m7i.2xlarge", 58, 58, 898),
    ],
)
def test_pods_follow_from_the_interfaces_of_card_0_as_in_karpenter(name, default, static, with_prefixes):
    """(ENIs on card 0 - efa-only on card 0) x (IPv4 per ENI - 1) + 2; the first two numbers are Karpenter's own."""
    facts = INSTANCE_TYPES[name]
    assert (facts.pods_default, facts.pods_static) == (default, static)
    assert facts.pods_by_addresses(static=True, prefixes=True) == with_prefixes


def test_neuron_devices_are_not_cores():
    trn1, small, trn2 = (INSTANCE_TYPES[n] for n in ("trn1.32xlarge", "trn1.2xlarge", "trn2.48xlarge"))
    assert (trn1.accelerator_count, trn1.neuron_cores_total) == (16, 32)
    assert (small.accelerator_count, small.neuron_cores_total) == (1, 2)
    assert (trn2.accelerator_count, trn2.neuron_cores_total) == (16, 128)
    assert INSTANCE_TYPES["p5.48xlarge"].neuron_cores_total is None


def test_capacity_blocks_are_sold_for_some_types_only():
    assert "capacity-block" in INSTANCE_TYPES["p5.48xlarge"].usage_classes
    assert "capacity-block" not in INSTANCE_TYPES["trn1n.32xlarge"].usage_classes
    assert {"on-demand"} <= frozenset.intersection(*(t.usage_classes for t in INSTANCE_TYPES.values()))


@pytest.mark.parametrize("facts", [t for t in INSTANCE_TYPES.values() if t.is_accelerated], ids=lambda t: t.name)
def test_an_accelerator_type_is_complete(facts):
    assert facts.max_enis_per_card
    assert facts.ipv4_per_eni
    assert facts.network_cards
    assert facts.placement_strategies
    assert facts.is_neuron == (facts.neuron_cores_per_device is not None)


def test_general_pools_have_families_without_accelerators_or_efa():
    assert CPU_FAMILIES == ("m7i", "c7i", "r7i")
