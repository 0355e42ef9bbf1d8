"""Every combination of deployment type, storage type, throughput, capacity and EFA: accepted, or refused in words.

The oracle is written from the documents once more and reads nothing of the catalog: FSx API reference, CreateFileSystem
(StorageCapacity, StorageType) and CreateFileSystemLustreConfiguration (PerUnitStorageThroughput, EfaEnabled); FSx for
Lustre user guide, "Increasing storage capacity" (steps with EFA) and "Working with EFA-enabled file systems" (read
2026-11-29).
"""

from collections.abc import Callable
from itertools import product

import pytest

from stacks.lustre import LustreSpec
from stacks.lustre_rules import check_file_system

pytestmark = pytest.mark.unit

DEPLOYMENTS = ("SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2")
STORAGE = ("SSD", "HDD", "INTELLIGENT_TIERING")
THROUGHPUTS = (None, 12, 40, 50, 100, 125, 200, 250, 300, 500, 1000)
CAPACITIES = (None, 0, 1200, 1800, 2400, 3600, 4800, 6000, 7200, 9600, 19200, 38400)
EVERY = list(product(DEPLOYMENTS, STORAGE, THROUGHPUTS, CAPACITIES, (False, True)))

Sizes = tuple[str, Callable[[int], bool]]
"""The end of the sentence, and whether a capacity is one of the sizes."""


def multiples(step: int, *first: int) -> Callable[[int], bool]:
    return lambda capacity: capacity in first or (capacity > 0 and capacity % step == 0)


BY_2400: Sizes = ("comes in 1200 and multiples of 2400 GiB.", multiples(2400, 1200))
SCRATCH_1: Sizes = ("comes in 1200, 2400 and multiples of 3600 GiB.", multiples(3600, 1200, 2400))
HARD_DISK: dict[int | None, Sizes] = {
    12: ("at 12 MB/s for each TiB comes in multiples of 6000 GiB.", multiples(6000)),
    40: ("at 40 MB/s for each TiB comes in multiples of 1800 GiB.", multiples(1800)),
}
WITH_EFA: dict[int | None, Sizes] = {
    125: ("at 125 MB/s for each TiB and EFA comes in multiples of 38400 GiB.", multiples(38400)),
    250: ("at 250 MB/s for each TiB and EFA comes in multiples of 19200 GiB.", multiples(19200)),
    500: ("at 500 MB/s for each TiB and EFA comes in multiples of 9600 GiB.", multiples(9600)),
    1000: ("at 1000 MB/s for each TiB and EFA comes in multiples of 4800 GiB.", multiples(4800)),
}
PERSISTENT_THROUGHPUTS = {
    ("PERSISTENT_1", "SSD"): (50, 100, 200),
    ("PERSISTENT_1", "HDD"): (12, 40),
    ("PERSISTENT_2", "SSD"): (125, 250, 500, 1000),
}
NO_SUCH_PAIR = {
    "HDD": "FSx makes HDD with PERSISTENT_1 only.",
    "INTELLIGENT_TIERING": "FSx makes INTELLIGENT_TIERING with PERSISTENT_2 only.",
}


def sizes_of(deployment: str, storage: str, throughput: int | None, *, efa: bool) -> Sizes | None:
    """None where sizes go by a throughput that is wrong already."""
    if deployment == "SCRATCH_1":
        return SCRATCH_1
    if storage == "HDD":
        return HARD_DISK.get(throughput)
    if deployment == "PERSISTENT_2" and efa:
        return WITH_EFA.get(throughput)
    return BY_2400


def expected(
    deployment: str, storage: str, throughput: int | None, capacity: int | None, efa: bool
) -> set[tuple[str, str]]:
    """Field and sentence of each problem."""
    if storage == "HDD" and deployment != "PERSISTENT_1":
        return {("storageType", NO_SUCH_PAIR["HDD"])}
    if storage == "INTELLIGENT_TIERING":
        return expected_of_tiering(deployment, throughput, capacity)
    found = expected_of_throughput(deployment, storage, throughput)
    if efa and deployment != "PERSISTENT_2":
        found.add(("efa", f"Only PERSISTENT_2 can be reached over EFA; this file system is {deployment}."))
    sizes = sizes_of(deployment, storage, throughput, efa=efa)
    if sizes is not None and (capacity is None or not sizes[1](capacity)):
        zero = " (0 is a multiple too, but no file system.)" if capacity == 0 else ""
        found.add(("capacityGiB", f"{deployment} with {storage} {sizes[0]}{zero}"))
    return found


def expected_of_tiering(deployment: str, throughput: int | None, capacity: int | None) -> set[tuple[str, str]]:
    if deployment != "PERSISTENT_2":
        return {("storageType", NO_SUCH_PAIR["INTELLIGENT_TIERING"])}
    found = set()
    if throughput is not None:
        found.add(
            (
                "throughputMBpsPerTiB",
                "With INTELLIGENT_TIERING throughput is one number for the whole file system, whatever it holds.",
            )
        )
    if capacity is not None:
        found.add(
            (
                "capacityGiB",
                "With INTELLIGENT_TIERING the size follows the data, and nothing is bought in advance.",
            )
        )
    return found


def expected_of_throughput(deployment: str, storage: str, throughput: int | None) -> set[tuple[str, str]]:
    field = "throughputMBpsPerTiB"
    choices = PERSISTENT_THROUGHPUTS.get((deployment, storage))
    if choices is None:
        sentence = f"{deployment} has a fixed throughput; only persistent types have this setting."
        return set() if throughput is None else {(field, sentence)}
    if throughput is None:
        return {(field, f"{deployment} with {storage} must say its throughput for each TiB.")}
    return set() if throughput in choices else {(field, f"{deployment} with {storage} has no such throughput.")}


def described(deployment: str, storage: str, throughput: int | None, capacity: int | None, efa: bool) -> LustreSpec:
    """The file system, with what its types ask for besides."""
    more: dict[str, object] = {}
    if storage == "HDD":
        more = {"driveCache": "READ"}
    elif storage == "INTELLIGENT_TIERING":
        metadata = {"mode": "USER_PROVISIONED", "iops": 6000}
        more = {"throughputMBps": 4000, "readCache": {"mode": "NO_CACHE"}, "metadata": metadata}
    elif deployment == "PERSISTENT_2":
        more = {"metadata": {"mode": "AUTOMATIC"}}
    return LustreSpec.model_validate(
        {
            "name": "data",
            "zone": "us-west-2b",
            "deploymentType": deployment,
            "storageType": storage,
            "throughputMBpsPerTiB": throughput,
            "capacityGiB": capacity,
            "efa": efa,
            **more,
        }
    )


@pytest.mark.parametrize("combination", EVERY, ids=lambda c: "-".join(map(str, c)))
def test_a_combination_is_accepted_or_refused_as_aws_documents_it(combination):
    problems = list(check_file_system("storage.lustre[0]", described(*combination)))
    assert {(p.path.removeprefix("storage.lustre[0]."), p.reason) for p in problems} == expected(*combination)
    assert all(len(set(problem.ways_out)) == 2 for problem in problems)


SIZES_REFUSED = [c for c in EVERY if any(field == "capacityGiB" for field, _ in expected(*c)) and c[1] != STORAGE[2]]


@pytest.mark.parametrize("combination", SIZES_REFUSED, ids=lambda c: "-".join(map(str, c)))
def test_both_sizes_that_are_offered_instead_of_a_wrong_one_are_sizes(combination):
    [problem] = [
        problem
        for problem in check_file_system("storage.lustre[0]", described(*combination))
        if problem.path.endswith(".capacityGiB")
    ]
    deployment, storage, throughput, _, efa = combination
    sizes = sizes_of(deployment, storage, throughput, efa=efa)
    for way in problem.ways_out:
        assert sizes is not None
        assert sizes[1](int(way.removeprefix("set capacityGiB: ")))


def test_the_table_has_combinations_of_both_kinds_for_each_pair_that_exists():
    accepted = {(d, s) for d, s, *rest in EVERY if expected(d, s, *rest) == set()}
    refused = {(d, s) for d, s, *rest in EVERY if expected(d, s, *rest) != set()}
    assert accepted == {
        ("SCRATCH_1", "SSD"),
        ("SCRATCH_2", "SSD"),
        ("PERSISTENT_1", "SSD"),
        ("PERSISTENT_1", "HDD"),
        ("PERSISTENT_2", "SSD"),
        ("PERSISTENT_2", "INTELLIGENT_TIERING"),
    }
    assert refused == set(product(DEPLOYMENTS, STORAGE))


def test_each_tier_of_efa_has_an_accepted_combination():
    tiers = {t for d, s, t, c, efa in EVERY if efa and s == "SSD" and expected(d, s, t, c, efa) == set()}
    assert tiers == {125, 250, 500, 1000}
