"""The catalog of instance types: complete, consistent, and honest about what it does not know."""

import dataclasses

import pytest

from components.catalog.instance_types import INSTANCE_TYPES, UNSUPPORTED

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


def test_types_with_missing_facts_are_refused_with_the_reason_instead_of_guessed():
    assert set(UNSUPPORTED) == {"p6e-gb200.36xlarge", "trn2.3xlarge", "trn2u.48xlarge"}
    assert "vcpu" in UNSUPPORTED["trn2.3xlarge"]


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
