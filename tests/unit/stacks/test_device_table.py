"""docs/devices.md shows the counts that the catalog has today."""

import pytest

from stacks.device_table import device_page, device_rows
from tests.support import ROOT

pytestmark = pytest.mark.unit


def row_with(name: str) -> tuple[str, ...]:
    [row] = [row for row in device_rows() if name in row[0].split(", ")]
    return row


def test_the_page_says_what_the_code_says():
    assert (ROOT / "docs" / "devices.md").read_text(encoding="utf-8") == device_page()


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("p5.48xlarge", ("8 `nvidia.com/gpu`", "`gpu:h100:8`", "32", "8")),
        ("trn1.32xlarge", ("16 `aws.amazon.com/neuron`", "`neuron:16`", "8", "32")),
        ("trn2.48xlarge", ("16 `aws.amazon.com/neuron`", "`neuron:16`", "16", "64")),
        ("g6.xlarge", ("1 `nvidia.com/gpu`", "`gpu:l4:1`", "none", "1")),
    ],
)
def test_a_row_has_the_numbers_of_its_type(name, counts):
    assert row_with(name)[1:-1] == counts


def test_types_with_the_same_numbers_share_a_row():
    assert row_with("p4d.24xlarge") == row_with("p4de.24xlarge")


def test_cpu_types_have_no_row():
    assert not [row for row in device_rows() if "m7i.2xlarge" in row[0]]
