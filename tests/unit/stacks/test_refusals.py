"""One bad environment per rule and per kind of field: the valid one with one thing broken.

Each row: what is broken, the path that must be named, and words that the problem must contain.
"""

from typing import Any

import pytest

from tests.unit.stacks.examples import REMOVE, VALID, changed

pytestmark = pytest.mark.unit

POOL = "nodePools.0"


def second_pool(**fields: Any) -> dict[str, Any]:
    return {**VALID["nodePools"][0], "name": "other", **fields}


REFUSALS: list[tuple[str, dict[str, Any], str, list[str]]] = [
    # owner and tags
    ("the owner is missing", {"owner": REMOVE}, "owner", ["required", "ml-platform"]),
    ("the owner is empty", {"owner": ""}, "owner", ["too short"]),
    ("the owner has a line break", {"owner": "a\nb"}, "owner", ["form"]),
    ("a tag is a number", {"tags.costCenter": 4711}, "tags.costCenter", ["quotes", '"4711"', "remove the line"]),
    ("a tag is a boolean", {"tags.spot": True}, "tags.spot", ['"true"']),
    ("a tag key belongs to AWS", {"tags.aws:team": "x"}, "tags.aws:team", ["set by AWS", "another key"]),
    ("a tag key belongs to Karpenter", {"tags": {"karpenter.sh/x": "x"}}, "tags.karpenter.sh/x", ["set by AWS"]),
    ("a tag key is ours", {"tags.environment": "x"}, "tags.environment", ["this project"]),
    ("a tag key is a number", {"tags": {7: "x"}}, "tags", ["text"]),
    ("a tag key is a bare word that YAML 1.1 reads as true", {"tags": {True: "x"}}, "tags", ["text"]),
    ("tags are a list", {"tags": ["a"]}, "tags", ["mapping"]),
    ("a tag value is too long", {"tags.note": "x" * 257}, "tags.note", ["too long"]),
    # lifecycle
    ("protectData is text", {"lifecycle.protectData": "yes"}, "lifecycle.protectData", ["true or false"]),
    ("protectData is quoted", {"lifecycle.protectData": "false"}, "lifecycle.protectData", ["remove the quotes"]),
    ("deletionProtection is a number", {"lifecycle.deletionProtection": 1}, "lifecycle.deletionProtection", []),
    # network
    ("the network is missing", {"network": REMOVE}, "network", ["required", "10.40.0.0/16"]),
    ("the network is text", {"network": "10.40.0.0/16"}, "network", ["section", "cidr, existing, zones"]),
    ("the block is missing", {"network.cidr": REMOVE}, "network.cidr", ["required"]),
    ("the block does not parse", {"network.cidr": "10.40/16"}, "network.cidr", ["no address block"]),
    ("the block has host bits", {"network.cidr": "10.40.1.0/16"}, "network.cidr", ["did you mean 10.40.0.0/16?"]),
    ("the block is public", {"network.cidr": "8.8.0.0/16"}, "network.cidr", ["public internet", "10.0.0.0/8"]),
    ("the block is too wide", {"network.cidr": "10.0.0.0/12"}, "network.cidr", ["larger than AWS allows", "/16"]),
    ("the block is too narrow", {"network.cidr": "10.40.0.0/24"}, "network.cidr", ["too small", "/20"]),
    ("one zone", {"network.zones": ["us-west-2b"]}, "network.zones", ["2 to 3"]),
    ("four zones", {"network.zones": [f"us-west-2{z}" for z in "abcd"]}, "network.zones", ["2 to 3"]),
    ("zones are text", {"network.zones": "us-west-2b"}, "network.zones", ["list"]),
    ("a zone twice", {"network.zones.2": "us-west-2a"}, "network.zones[2]", ["twice"]),
    ("a zone of another region", {"network.zones.2": "eu-west-1a"}, "network.zones[2]", ["us-west-2a", "aws:region"]),
    ("a zone id", {"network.zones.2": "usw2-az1"}, "network.zones[2]", ["zone ids"]),
    ("a Local Zone", {"network.zones.2": "us-west-2-lax-1a"}, "network.zones[2]", ["Local Zones"]),
    # cluster
    ("no version", {"cluster.kubernetesVersion": REMOVE}, "cluster.kubernetesVersion", ["required", "1.35"]),
    ("a bare version", {"cluster.kubernetesVersion": 1.35}, "cluster.kubernetesVersion", ["quotes", '"1.35"']),
    ("an old version", {"cluster.kubernetesVersion": "1.29"}, "cluster.kubernetesVersion", ["1.32, 1.33", "pins.py"]),
    (
        "standard support after its end",
        {"cluster.kubernetesVersion": "1.33", "cluster.supportType": "STANDARD"},
        "cluster.supportType",
        ["2026-07-29", "by itself", "EXTENDED"],
    ),
    ("a misspelt support type", {"cluster.supportType": "EXTENDD"}, "cluster.supportType", ["did you mean EXTENDED?"]),
    (
        "a public block that does not parse",
        {"cluster.endpoint.publicCidrs": ["203.0.113.7/99"]},
        "cluster.endpoint.publicCidrs[0]",
        ["no IPv4 block"],
    ),
    (
        "the API open to everyone",
        {"cluster.endpoint.publicCidrs": ["0.0.0.0/0"]},
        "cluster.endpoint.publicCidrs[0]",
        ["internet", "vpcRunner"],
    ),
    (
        "public blocks announced and not given",
        {"cluster.endpoint.reachableFrom": "publicCidrs"},
        "cluster.endpoint.reachableFrom",
        ["names none"],
    ),
    ("an unknown way in", {"cluster.endpoint.reachableFrom": "vpn"}, "cluster.endpoint.reachableFrom", ["tunnel"]),
    ("an access entry that is text", {"cluster.access.1": "research"}, "cluster.access[1]", ["section"]),
    ("no ARN", {"cluster.access.1.principal": "research"}, "cluster.access[1].principal", ["not the ARN"]),
    (
        "a session",
        {"cluster.access.1.principal": "arn:aws:sts::111122223333:assumed-role/research/me"},
        "cluster.access[1].principal",
        ["session of a role", "arn:aws:iam::111122223333:role/research"],
    ),
    (
        "an account's root",
        {"cluster.access.1.principal": "arn:aws:iam::111122223333:root"},
        "cluster.access[1].principal",
        ["role or user"],
    ),
    (
        "a service-linked role",
        {"cluster.access.1.principal": "arn:aws:iam::111122223333:role/aws-service-role/x.amazonaws.com/Y"},
        "cluster.access[1].principal",
        ["service-linked"],
    ),
    (
        "a principal of another partition",
        {"cluster.access.1.principal": "arn:aws-cn:iam::111122223333:role/research"},
        "cluster.access[1].principal",
        ["partition", "aws-cn"],
    ),
    (
        "the same principal twice",
        {"cluster.access.1.principal": "arn:aws:iam::111122223333:role/deploy"},
        "cluster.access[1].principal",
        ["cluster.access[0] has the same principal"],
    ),
    ("no level", {"cluster.access.1.level": REMOVE}, "cluster.access[1].level", ["admin, edit, view"]),
    ("an unknown level", {"cluster.access.1.level": "admn"}, "cluster.access[1].level", ["did you mean admin?"]),
    ("a namespace with capitals", {"cluster.access.1.namespaces": ["Team"]}, "cluster.access[1].namespaces[0]", []),
    ("a deployer who may only edit", {"cluster.access.0.level": "edit"}, "cluster.access[0].deployer", ["admin"]),
    (
        "two deployers",
        {"cluster.access.1": {**VALID["cluster"]["access"][0], "principal": "arn:aws:iam::111122223333:role/b"}},
        "cluster.access[1].deployer",
        ["cluster.access[0] is the deployer already"],
    ),
    # system nodes
    ("one system node", {"systemNodes.count": 1}, "systemNodes.count", ["from 2 to 20", "default is 3"]),
    ("a quoted count", {"systemNodes.count": "3"}, "systemNodes.count", ["remove the quotes: count: 3"]),
    ("a boolean count", {"systemNodes.count": True}, "systemNodes.count", ["whole number"]),
    ("GPUs on system nodes", {"systemNodes.instanceType": "p5.48xlarge"}, "systemNodes.instanceType", ["h100"]),
    ("an unknown system type", {"systemNodes.instanceType": "m9.big"}, "systemNodes.instanceType", ["m7i.2xlarge"]),
    # image
    ("no image release", {"amiRelease": REMOVE}, "amiRelease", ["required", "v20261023"]),
    ("a floating image release", {"amiRelease": "latest"}, "amiRelease", ["form", "v20261023"]),
    ("an image release that is no day", {"amiRelease": "v20261399"}, "amiRelease", ["no day"]),
    # node pools: fields
    ("pools are a mapping", {"nodePools": {"p5": {}}}, "nodePools", ["list"]),
    ("a pool is text", {f"{POOL}": "p5"}, "nodePools[0]", ["section"]),
    ("a pool without a name", {f"{POOL}.name": REMOVE}, "nodePools[0].name", ["required"]),
    ("a pool name with capitals", {f"{POOL}.name": "P5"}, "nodePools[0].name", ["lower-case"]),
    ("a pool name that is too long", {f"{POOL}.name": "p" * 52}, "nodePools[0].name", ["too long", "51"]),
    (
        "two pools of one name",
        {"nodePools.1": second_pool(name="p5")},
        "nodePools[1].name",
        ["nodePools[0] has the same"],
    ),
    (
        "a misspelt type",
        {f"{POOL}.instanceType": "p5.48xlrge"},
        "nodePools[0].instanceType",
        ["did you mean p5.48xlarge?"],
    ),
    ("a CPU type", {f"{POOL}.instanceType": "m7i.2xlarge"}, "nodePools[0].instanceType", ["no accelerator"]),
    ("a half-known type", {f"{POOL}.instanceType": "trn2u.48xlarge"}, "nodePools[0].instanceType", ["UltraServer"]),
    ("a zone without a subnet", {f"{POOL}.zone": "us-west-2d"}, "nodePools[0].zone", ["no subnet", "us-west-2a"]),
    ("no size", {f"{POOL}.nodes": REMOVE}, "nodePools[0].nodes", ["required"]),
    ("an empty size", {f"{POOL}.nodes": {}}, "nodePools[0].nodes", ["no size", "{max: 8}"]),
    ("two sizes", {f"{POOL}.nodes": {"max": 8, "fixed": 4}}, "nodePools[0].nodes", ["dynamic or fixed"]),
    ("a negative size", {f"{POOL}.nodes": {"max": -1}}, "nodePools[0].nodes.max", ["from 1 to 500"]),
    ("a size of none", {f"{POOL}.nodes": {"max": 0}}, "nodePools[0].nodes.max", ["from 1 to 500"]),
    ("a fractional size", {f"{POOL}.nodes": {"fixed": 1.5}}, "nodePools[0].nodes.fixed", ["whole number"]),
    (
        "the name of a fixed pool's NodePool",
        {f"{POOL}.nodes": {"fixed": 2}, "nodePools.1": second_pool(name="p5-fixed")},
        "nodePools[1].name",
        ["nodePools[0] is a fixed pool"],
    ),
    # node pools: EFA
    ("EFA unsaid", {f"{POOL}.efa": REMOVE}, "nodePools[0].efa", ["32 EFA interface", "TCP", "efa: static"]),
    ("an unknown EFA mode", {f"{POOL}.efa": "on"}, "nodePools[0].efa", ["static, onRequest, off"]),
    ("EFA as a boolean", {f"{POOL}.efa": True}, "nodePools[0].efa", ["static, onRequest, off"]),
    ("EFA on g5.xlarge", {f"{POOL}.instanceType": "g5.xlarge"}, "nodePools[0].efa", ["no EFA interface", "g5.8xlarge"]),
    ("EFA on trn1.2xlarge", {f"{POOL}.instanceType": "trn1.2xlarge"}, "nodePools[0].efa", ["trn1.32xlarge"]),
    (
        "a layout without a source",
        {f"{POOL}.instanceType": "trn2.48xlarge"},
        "nodePools[0].efa",
        ["No source", "onRequest"],
    ),
    (
        "EFA on request where card 0 has none",
        {f"{POOL}.instanceType": "p6-b300.48xlarge", f"{POOL}.efa": "onRequest"},
        "nodePools[0].efa",
        ["network card 0", "efa: static"],
    ),
    (
        "EFA on request on fixed nodes",
        {f"{POOL}.efa": "onRequest", f"{POOL}.nodes": {"fixed": 2}},
        "nodePools[0].efa",
        ["without a pod"],
    ),
    # node pools: placement and capacity
    (
        "the placement group unsaid",
        {f"{POOL}.placementGroup": REMOVE},
        "nodePools[0].placementGroup",
        ["must be chosen"],
    ),
    ("a misspelt choice", {f"{POOL}.placementGroup": "creat"}, "nodePools[0].placementGroup", ["did you mean create?"]),
    (
        "a group id of another form",
        {f"{POOL}.placementGroup": {"id": "sg-1"}},
        "nodePools[0].placementGroup.id",
        ["pg-"],
    ),
    ("a group without an id", {f"{POOL}.placementGroup": {}}, "nodePools[0].placementGroup.id", ["required"]),
    ("spot with EFA", {f"{POOL}.capacity": {"kind": "spot"}}, "nodePools[0].capacity.kind", ["onDemand", "efa: off"]),
    ("a lease", {f"{POOL}.capacity": {"kind": "lease"}}, "nodePools[0].capacity.kind", ["onDemand, spot"]),
    # room for addresses
    (
        "more nodes than addresses",
        {"network.cidr": "10.40.0.0/20", f"{POOL}.nodes": {"max": 100}},
        "network.cidr",
        ["1019 addresses", "p5 100 x 50", "/17"],
    ),
    (
        "more nodes than any block has addresses for",
        {"nodePools.1": second_pool(nodes={"max": 500}, efa="onRequest")},
        "network.cidr",
        ["no block is wide enough", "other 500 x 132"],
    ),
    # storage
    ("a bucket without a name", {"storage.buckets.0": {}}, "storage.buckets[0].name", ["required"]),
    ("a bucket name with a dot", {"storage.buckets.0.name": "a.b"}, "storage.buckets[0].name", ["form"]),
    ("a short bucket name", {"storage.buckets.0.name": "ab"}, "storage.buckets[0].name", ["too short"]),
    ("a long bucket name", {"storage.buckets.0.name": "b" * 26}, "storage.buckets[0].name", ["too long", "25"]),
    ("a reserved bucket name", {"storage.buckets.0.name": "sthree-data"}, "storage.buckets[0].name", ["sthree-"]),
    ("a reserved bucket ending", {"storage.buckets.0.name": "data-s3alias"}, "storage.buckets[0].name", ["-s3alias"]),
    (
        "two buckets of one name",
        {"storage.buckets.1": {"name": "checkpoints"}},
        "storage.buckets[1].name",
        ["same name"],
    ),
    # platform and artifacts
    ("Volcano as a boolean", {"platform.volcano": True}, "platform.volcano", ["{…} (on) or null (off)"]),
    ("a setting Volcano lacks", {"platform.volcano": {"pods": 2}}, "platform.volcano.pods", ["no such field"]),
    ("a relative chart folder", {"artifacts.charts": "charts"}, "artifacts.charts", ["absolute path"]),
    ("an image mirror with a scheme", {"artifacts.images": "https://r.example"}, "artifacts.images", ["scheme"]),
    ("an image mirror with a slash at the end", {"artifacts.images": "r.example/"}, "artifacts.images", ["slash"]),
    # unknown fields
    ("an unknown section", {"monitoring": {}}, "monitoring", ["no such field", "nodePools", "remove monitoring"]),
    ("a misspelt section", {"nodePool": []}, "nodePool", ["remove nodePool"]),
    ("snake case", {"system_nodes": {}, "systemNodes": REMOVE}, "system_nodes", ["Did you mean systemNodes?"]),
    ("an unknown field of a pool", {f"{POOL}.gpu": 8}, "nodePools[0].gpu", ["no such field"]),
    (
        "a misspelt field",
        {"network.cird": "10.40.0.0/16", "network.cidr": REMOVE},
        "network.cird",
        ["rename it to cidr"],
    ),
]


@pytest.mark.parametrize(("changes", "path", "words"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_a_bad_environment_is_refused_with_path_value_accepted_set_and_two_ways_out(problems_of, changes, path, words):
    found = problems_of(changed(changes))
    [problem] = [problem for problem in found if problem.path.startswith(path)]
    text = "\n".join(problem.lines())
    assert [word for word in words if word not in text] == []
    assert problem.accepted
    assert all(problem.ways_out)
    assert problem.ways_out[0] != problem.ways_out[1]


@pytest.mark.parametrize(("changes", "path"), [row[1:3] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_one_slip_gives_one_problem(problems_of, changes, path):
    assert [problem.path for problem in problems_of(changed(changes)) if not problem.path.startswith(path)] == []
