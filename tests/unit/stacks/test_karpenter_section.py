"""Section `karpenter`: bad values are refused with path, value and ways out."""

import pytest

from stacks.environment import EnvironmentProblems, load
from stacks.karpenter import Karpenter
from tests.unit.stacks.examples import REGION, changed

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        ({"karpenter.replicas": 3, "systemNodes.count": 2}, "karpenter.replicas", "refuse to share a node"),
        ({"karpenter.replicas": 0}, "karpenter.replicas", "1 to 3"),
        ({"karpenter.replicas": 4}, "karpenter.replicas", "1 to 3"),
        ({"karpenter.replicas": "2"}, "karpenter.replicas", "remove the quotes"),
        ({"karpenter.cpuMillis": 100}, "karpenter.cpuMillis", "250 to 16000"),
        ({"karpenter.cpuMillis": "1"}, "karpenter.cpuMillis", "remove the quotes"),
        ({"karpenter.memoryMiB": 256}, "karpenter.memoryMiB", "512 to 65536"),
        ({"karpenter.memoryMiB": "1Gi"}, "karpenter.memoryMiB", "512 to 65536"),
        ({"karpenter.nodeRepair": "true"}, "karpenter.nodeRepair", "remove the quotes"),
        ({"karpenter.nodeRepairs": True}, "karpenter.nodeRepairs", "Did you mean nodeRepair?"),
        ({"karpenter": []}, "karpenter", "section"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_value_is_refused_with_its_path_and_a_way_out(changes, path, words):
    with pytest.raises(EnvironmentProblems) as refused:
        load(changed(changes), region=REGION)
    text = str(refused.value)
    assert f". {path}" in text
    assert words in text


def test_three_replicas_fit_on_three_nodes():
    environment = load(changed({"karpenter.replicas": 3}), region=REGION)
    assert environment.karpenter.replicas == 3


def test_without_the_section_there_are_two_replicas_and_no_repair():
    assert load(changed({}), region=REGION).karpenter == Karpenter()
    assert (Karpenter().replicas, Karpenter().node_repair) == (2, False)
