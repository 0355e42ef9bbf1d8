"""`storage.efs`: one thing broken in a valid section, and the sentence that comes of it."""

import copy

import pytest
from pydantic import ValidationError

from stacks.efs import EfsSpec
from stacks.efs_rules import check_efs

pytestmark = pytest.mark.unit

SHARED = {
    "name": "shared",
    "path": "/shared",
    "uid": 1000,
    "gid": 1000,
    "permissions": "0750",
    "namespaces": ["team-a"],
}
HOME = {
    "name": "home",
    "throughputMode": "elastic",
    "infrequentAccessAfterDays": 30,
    "accessPoints": [SHARED],
    "storageClass": {"uid": 1000, "gid": 1000, "permissions": "0700"},
}
EXISTING = {"name": "home", "existing": {"id": "fs-0123456789abcdef0"}, "accessPoints": [SHARED]}
REMOVE = object()


def changed(base, **changes):
    """`accessPoints__0__path="x"` puts x there; REMOVE takes the field out."""
    made = copy.deepcopy(base)
    for way, value in changes.items():
        *steps, last = [int(step) if step.isdigit() else step for step in way.split("__")]
        target = made
        for step in steps:
            target = target[step]
        if value is REMOVE:
            del target[last]
        elif isinstance(target, list) and last == len(target):
            target.append(value)
        else:
            target[last] = value
    return made


def problems(*sections):
    entries = [(f"storage.efs[{number}]", EfsSpec.model_validate(each)) for number, each in enumerate(sections)]
    return list(check_efs(entries, namespaces=["team-a", "team-b"]))


RANGE = {"gidRange": {"start": 50000, "end": 59999}, "permissions": "0700"}
ACCEPTED = {
    "the example": HOME,
    "nothing but a name": {"name": "home"},
    "bursting, never to the cheaper class": changed(
        HOME, throughputMode="bursting", infrequentAccessAfterDays=None, backups=False
    ),
    "provisioned with an amount": changed(HOME, throughputMode="provisioned", provisionedMiBps=128),
    "a directory four deep": changed(HOME, accessPoints__0__path="/a/b/c/d"),
    "a directory that only begins like another": changed(HOME, accessPoints__0__path="/claims-of-old"),
    "three digits": changed(HOME, accessPoints__0__permissions="700"),
    "an id of its own for each claim": changed(HOME, storageClass=RANGE),
    "a file system of another team": EXISTING,
}


@pytest.mark.parametrize("section", ACCEPTED.values(), ids=ACCEPTED)
def test_this_is_taken(section):
    assert problems(section) == []


POINT = "storage.efs[0].accessPoints[0]"
CLASS = "storage.efs[0].storageClass"
REFUSED = [
    (
        "provisioned without an amount",
        changed(HOME, throughputMode="provisioned"),
        "storage.efs[0].provisionedMiBps",
        "Mode provisioned needs an amount.",
    ),
    (
        "an amount with another mode",
        changed(HOME, provisionedMiBps=128),
        "storage.efs[0].provisionedMiBps",
        "With mode elastic AWS takes no amount.",
    ),
    ("the root", changed(HOME, accessPoints__0__path="/"), f"{POINT}.path", "sees the directories of all others"),
    ("a relative path", changed(HOME, accessPoints__0__path="shared"), f"{POINT}.path", "absolute paths"),
    ("no path", changed(HOME, accessPoints__0__path=""), f"{POINT}.path", "absolute paths"),
    ("a path that climbs", changed(HOME, accessPoints__0__path="/a/../b"), f"{POINT}.path", "dotted steps"),
    ("a slash at the end", changed(HOME, accessPoints__0__path="/a/"), f"{POINT}.path", "without empty"),
    ("a star in a path", changed(HOME, accessPoints__0__path="/a*"), f"{POINT}.path", "absolute paths"),
    ("five directories", changed(HOME, accessPoints__0__path="/a/b/c/d/e"), f"{POINT}.path", "These are 5 directories"),
    ("a long path", changed(HOME, accessPoints__0__path=f"/{'a' * 100}"), f"{POINT}.path", "These are 101 characters"),
    (
        "an owner who cannot enter",
        changed(HOME, accessPoints__0__permissions="0650"),
        f"{POINT}.permissions",
        "mounting needs x",
    ),
    (
        "an owner who cannot write",
        changed(HOME, accessPoints__0__permissions="555"),
        f"{POINT}.permissions",
        "writing w",
    ),
    (
        "a namespace that nobody declared",
        changed(HOME, accessPoints__0__namespaces=["team-c"]),
        f"{POINT}.namespaces[0]",
        "No namespace of this name",
    ),
    (
        "a class whose owner cannot enter",
        changed(HOME, storageClass__permissions="0640"),
        f"{CLASS}.permissions",
        "mounting needs x",
    ),
    ("a class over everything", changed(HOME, storageClass__basePath="/"), f"{CLASS}.basePath", "This is the root"),
    (
        "a base path without room for the claims",
        changed(HOME, storageClass__basePath="/a/b/c/d"),
        f"{CLASS}.basePath",
        "These are 4 directories",
    ),
    (
        "claims inside an access point",
        changed(HOME, storageClass__basePath="/shared/claims"),
        f"{CLASS}.basePath",
        "The access point shared shows /shared",
    ),
    (
        "an access point inside the claims",
        changed(HOME, accessPoints__0__path="/claims/x"),
        f"{CLASS}.basePath",
        "one would lie inside the other",
    ),
    ("a user without a group", changed(HOME, storageClass__gid=REMOVE), CLASS, "either from uid and gid, both"),
    ("ids both ways", changed(HOME, storageClass__gidRange=RANGE["gidRange"]), CLASS, "or from gidRange"),
    ("no ids", changed(HOME, storageClass={"permissions": "0700"}), CLASS, "Claims take their ids"),
    (
        "a range that ends before it starts",
        changed(HOME, storageClass={**RANGE, "gidRange": {"start": 2, "end": 1}}),
        f"{CLASS}.gidRange.end",
        "would end before it starts, at 2",
    ),
    (
        "a mode of a file system of another team",
        changed(EXISTING, throughputMode="bursting"),
        "storage.efs[0].throughputMode",
        "belongs to another team",
    ),
    (
        "backups of a file system of another team",
        changed(EXISTING, backups=True),
        "storage.efs[0].backups",
        "belongs to another team",
    ),
]


@pytest.mark.parametrize(("section", "path", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_this_is_refused_with_its_sentence_and_nothing_else_is(section, path, words):
    [problem] = problems(section)
    assert problem.path == path
    assert words in problem.reason
    assert problem.accepted
    assert problem.ways_out[0] != problem.ways_out[1]


def test_two_access_points_have_names_and_directories_of_their_own():
    other = {**SHARED, "namespaces": []}
    assert [problem.path for problem in problems(changed(HOME, accessPoints__1=other))] == [
        "storage.efs[0].accessPoints[1].name",
        "storage.efs[0].accessPoints[1].path",
    ]


def test_two_file_systems_have_names_of_their_own():
    paths = [problem.path for problem in problems({"name": "home"}, {"name": "home"})]
    assert paths == ["storage.efs[1].name"]


def test_names_that_run_together_give_no_two_claims_of_one_name():
    first = {"name": "a-b", "accessPoints": [{**SHARED, "name": "c"}]}
    second = {"name": "a", "accessPoints": [{**SHARED, "name": "b-c"}]}
    [problem] = problems(first, second)
    assert problem.path == "storage.efs[1].accessPoints[0].name"
    assert "Its claim in team-a would be called efs-a-b-c, like that of storage.efs[0]" in problem.reason
    elsewhere = changed(second, accessPoints__0__namespaces=["team-b"])
    assert problems(first, elsewhere) == []


@pytest.mark.parametrize(
    "section",
    [
        changed(HOME, accessPoints__0__uid=0),
        changed(HOME, accessPoints__0__uid=4294967296),
        changed(HOME, accessPoints__0__gid=-1),
        changed(HOME, accessPoints__0__uid=REMOVE),
        changed(HOME, accessPoints__0__permissions=REMOVE),
        changed(HOME, accessPoints__0__permissions=750),
        changed(HOME, accessPoints__0__permissions="0789"),
        changed(HOME, accessPoints__0__permissions="rwx"),
        changed(HOME, storageClass__permissions=REMOVE),
        changed(HOME, infrequentAccessAfterDays=45),
        changed(HOME, throughputMode="maxIO"),
        changed(HOME, provisionedMiBps=0),
        changed(HOME, provisionedMiBps=3415),
        changed(EXISTING, existing__id="fs-xyz"),
    ],
    ids=[
        "root as user",
        "a user id too large",
        "a negative group id",
        "no user id",
        "no permissions",
        "permissions without quotes",
        "permissions that are not octal",
        "permissions in letters",
        "a class without permissions",
        "days that AWS does not know",
        "a mode that AWS does not know",
        "no throughput",
        "more throughput than AWS sells",
        "an id that is none",
    ],
)
def test_this_has_not_the_form(section):
    with pytest.raises(ValidationError):
        EfsSpec.model_validate(section)


def test_the_texts_say_that_a_claims_size_is_no_quota():
    schema = EfsSpec.model_json_schema()["$defs"]
    assert "a claim's size limits nothing" in schema["AccessPoint"]["description"]
    assert "is no quota" in schema["EfsClass"]["description"]


def test_claims_are_called_after_file_system_and_access_point():
    spec = EfsSpec.model_validate(HOME)
    assert list(spec.claims) == ["efs-home-shared"]
    assert spec.storage_class_name == "efs-home"
