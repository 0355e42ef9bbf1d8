"""One bad environment per rule of iam, network, cluster, systemNodes and storage: the ground that AWS gives."""

import pytest

from stacks.environment import load
from tests.unit.stacks.examples import REGION, REMOVE, changed

pytestmark = pytest.mark.unit

SUBNETS = {f"us-west-2{zone}": f"subnet-0123456789abcdef{number}" for number, zone in enumerate("abc")}
EXISTING = {"vpcId": "vpc-0123456789abcdef0", "cidr": "10.40.0.0/16", "privateSubnets": SUBNETS}
THEIRS = {"network.cidr": REMOVE, "network.existing": EXISTING}
NO_NAT = {"network.natGateways": "none", "network.endpoints": "private", "artifacts.images": "r.example/m"}
KEY = "arn:aws:kms:us-west-2:111122223333:key/0000-1111"


def without(mapping, *keys):
    return {key: value for key, value in mapping.items() if key not in keys}


REFUSALS = [
    # iam
    ("a boundary that is a name", {"iam.permissionsBoundaryArn": "boundary"}, "iam.permissionsBoundaryArn", ["ARN"]),
    (
        "a role as boundary",
        {"iam.permissionsBoundaryArn": "arn:aws:iam::111122223333:role/b"},
        "iam.permissionsBoundaryArn",
        ["managed policy", "list-policies"],
    ),
    (
        "a boundary of another partition",
        {"iam.permissionsBoundaryArn": "arn:aws-cn:iam::111122223333:policy/b"},
        "iam.permissionsBoundaryArn",
        ["aws-cn", "us-west-2"],
    ),
    ("a boundary that is a number", {"iam.permissionsBoundaryArn": 7}, "iam.permissionsBoundaryArn", ["text"]),
    ("a path without slashes", {"iam.rolePath": "ml"}, "iam.rolePath", ["begin and end", "write /ml/"]),
    ("a path with a blank", {"iam.rolePath": "/a b/"}, "iam.rolePath", ["write /a-b/"]),
    ("a path that is empty", {"iam.rolePath": ""}, "iam.rolePath", ["/ml-platform/"]),
    ("a path that is too long", {"iam.rolePath": f"/{'x' * 512}/"}, "iam.rolePath", ["too long"]),
    ("a misspelt ground rule", {"iam.boundary": "x"}, "iam.boundary", ["no such field"]),
    # whose network it is
    ("no network at all", {"network.cidr": REMOVE}, "network.cidr", ["required", "existing"]),
    ("two networks", {"network.existing": EXISTING}, "network.cidr", ["not both", "remove cidr"]),
    (
        "a VPC id that is none",
        {**THEIRS, "network.existing": {**EXISTING, "vpcId": "vpc"}},
        "network.existing.vpcId",
        [],
    ),
    (
        "a subnet id that is none",
        {**THEIRS, "network.existing": {**EXISTING, "privateSubnets": {**SUBNETS, "us-west-2a": "sn-1"}}},
        "network.existing.privateSubnets.us-west-2a",
        ["form", "subnet-"],
    ),
    (
        "a zone without a subnet",
        {**THEIRS, "network.existing": {**EXISTING, "privateSubnets": without(SUBNETS, "us-west-2c")}},
        "network.existing.privateSubnets",
        ["no subnet for us-west-2c", "take the zone out"],
    ),
    (
        "a subnet in a zone that is not named",
        {**THEIRS, "network.existing": {**EXISTING, "privateSubnets": {**SUBNETS, "us-west-2d": "subnet-01234567"}}},
        "network.existing.privateSubnets.us-west-2d",
        ["does not name this zone"],
    ),
    (
        "an existing VPC without subnets",
        {**THEIRS, "network.existing": without(EXISTING, "privateSubnets")},
        "network.existing.privateSubnets",
        ["required"],
    ),
    (
        "an existing VPC's block that does not parse",
        {**THEIRS, "network.existing": {**EXISTING, "cidr": "10.40/16"}},
        "network.existing.cidr",
        ["no address block", "describe-vpcs"],
    ),
    ("endpoints in someone else's VPC", {**THEIRS, "network.endpoints": "private"}, "network.endpoints", ["owner"]),
    (
        "a NAT gateway in someone else's VPC",
        {**THEIRS, "network.natGateways": "single"},
        "network.natGateways",
        ["owner"],
    ),
    ("flow logs in someone else's VPC", {**THEIRS, "network.flowLogs": {}}, "network.flowLogs", ["owner"]),
    ("a NAT zone in someone else's VPC", {**THEIRS, "network.natZone": "us-west-2a"}, "network.natZone", ["owner"]),
    # network: the way out
    ("a misspelt number of gateways", {"network.natGateways": "one"}, "network.natGateways", ["single, perZone, none"]),
    ("a NAT zone without a subnet", {"network.natZone": "us-west-2d"}, "network.natZone", ["no subnet", "us-west-2a"]),
    (
        "a NAT zone with a gateway in every zone",
        {"network.natZone": "us-west-2a", "network.natGateways": "perZone"},
        "network.natZone",
        ["single", "perZone"],
    ),
    ("no way to AWS", without(NO_NAT, "network.endpoints"), "network.endpoints", ["never join", "private"]),
    ("no way to images", without(NO_NAT, "artifacts.images"), "artifacts.images", ["public registries", "mirror"]),
    ("an unknown kind of endpoints", {"network.endpoints": "all"}, "network.endpoints", ["gatewayOnly, private"]),
    ("a retention that CloudWatch lacks", {"network.flowLogs": {"retentionDays": 31}}, "network.flowLogs", ["30, 60"]),
    (
        "an unknown kind of traffic",
        {"network.flowLogs": {"traffic": "accepted"}},
        "network.flowLogs",
        ["all, rejected"],
    ),
    # network: room for addresses
    (
        "more nodes than addresses, with the sum",
        {"network.cidr": "10.40.0.0/20", "nodePools.0.nodes": {"max": 100}},
        "network.cidr",
        ["1019 addresses", "p5 100 x 50 (1 interfaces + 49 pods)", "/17"],
    ),
    # cluster
    ("services inside the VPC", {"cluster.serviceCidr": "10.40.0.0/20"}, "cluster.serviceCidr", ["overlaps", "172.20"]),
    (
        "the VPC inside the services' block",
        {"cluster.serviceCidr": "10.32.0.0/12"},
        "cluster.serviceCidr",
        ["overlaps"],
    ),
    ("public services", {"cluster.serviceCidr": "8.8.0.0/16"}, "cluster.serviceCidr", ["private block"]),
    ("services in a block too wide", {"cluster.serviceCidr": "172.0.0.0/8"}, "cluster.serviceCidr", ["/12 and /24"]),
    (
        "services in a block too narrow",
        {"cluster.serviceCidr": "172.20.0.0/25"},
        "cluster.serviceCidr",
        ["/12 and /24"],
    ),
    ("services in no block", {"cluster.serviceCidr": "services"}, "cluster.serviceCidr", ["no address block"]),
    ("a key's alias", {"cluster.encryption": {"kmsKey": "alias/x"}}, "cluster.encryption.kmsKey", ["alias", "create"]),
    (
        "a key of another region",
        {"cluster.encryption": {"kmsKey": KEY.replace("us-west-2", "eu-west-1")}},
        "cluster.encryption.kmsKey",
        ["eu-west-1", "us-west-2"],
    ),
    ("a key that is a boolean", {"cluster.encryption": {"kmsKey": True}}, "cluster.encryption.kmsKey", ["text"]),
    (
        "logs kept for a number CloudWatch lacks",
        {"cluster.logRetentionDays": 100},
        "cluster.logRetentionDays",
        ["90, 120"],
    ),
    ("a quoted retention", {"cluster.logRetentionDays": "90"}, "cluster.logRetentionDays", ["90, 120"]),
    (
        "a misspelt add-on",
        {"cluster.addonVersions": {"core-dns": "v1.2.3"}},
        "cluster.addonVersions.core-dns",
        ["coredns?"],
    ),
    ("a floating add-on", {"cluster.addonVersions": {"coredns": "latest"}}, "cluster.addonVersions.coredns", ["form"]),
    ("an add-on by number", {"cluster.addonVersions": {"coredns": 1.2}}, "cluster.addonVersions.coredns", ["quotes"]),
    # system nodes
    ("state in a zone without a subnet", {"systemNodes.zone": "us-west-2d"}, "systemNodes.zone", ["no subnet"]),
    (
        "system nodes too small for what is placed there",
        {"systemNodes": {"instanceType": "m7i.large", "count": 2}},
        "systemNodes",
        ["With one node down, 1 x m7i.large", "karpenter 2000m", "raise systemNodes.count"],
    ),
    # storage
    ("a bucket name with capitals", {"storage.buckets.0.existing": "Data"}, "storage.buckets[0].existing", ["form"]),
    (
        "a bucket name that is an address",
        {"storage.buckets.0.existing": "10.0.0.1"},
        "storage.buckets[0].existing",
        ["address"],
    ),
    (
        "a bucket name with two dots",
        {"storage.buckets.0.existing": "a..b"},
        "storage.buckets[0].existing",
        ["two dots"],
    ),
]


@pytest.mark.parametrize(("changes", "path", "words"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_it_is_refused_with_path_accepted_set_and_two_ways_out_and_nothing_else_is(problems_of, changes, path, words):
    found = problems_of(changed(changes))
    assert [problem.path for problem in found if not problem.path.startswith(path)] == []
    [problem] = found
    text = "\n".join(problem.lines())
    assert [word for word in words if word not in text] == []
    assert problem.accepted
    assert problem.ways_out[0] != problem.ways_out[1]


@pytest.mark.parametrize(
    "changes",
    [
        THEIRS,
        NO_NAT,
        {"network.natGateways": "perZone", "network.flowLogs": None},
        {"network.natZone": "us-west-2c", "network.endpoints": "private"},
        {"iam": {"permissionsBoundaryArn": "arn:aws:iam::111122223333:policy/a/b", "rolePath": "/ml/x/"}},
        {"cluster.encryption": {"kmsKey": KEY}, "cluster.serviceCidr": "10.100.0.0/16"},
        {"cluster.addonVersions": {"vpc-cni": "v1.20.4-eksbuild.2"}, "systemNodes.zone": "us-west-2b"},
        {"cluster.addonVersions": {"aws-fsx-csi-driver": "v1.9.0-eksbuild.1"}},
        {"storage.buckets.0.existing": "research.datasets-4711"},
    ],
    ids=[
        "existing VPC",
        "no NAT",
        "NAT per zone",
        "NAT placed",
        "ground rules",
        "key",
        "add-on",
        "add-on of storage",
        "existing bucket",
    ],
)
def test_what_a_company_may_ask_for_is_taken(changes):
    assert load(changed(changes), region=REGION, stack="dev")
