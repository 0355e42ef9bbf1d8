"""The whole program, built for every stack file under the recorder."""

import copy
import json
import runpy
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from tests.support import ENVIRONMENT_KEY, ROOT, StackFile, stack_files
from tests.unit.programs import run_stack

pytestmark = pytest.mark.unit

DEV = next(stack for stack in stack_files() if stack.name == "dev")

every_stack = pytest.mark.parametrize("stack", stack_files(), ids=lambda stack: stack.name)


@pytest.fixture(scope="module")
def built(build) -> Callable[[StackFile], Any]:
    """The program of a stack file, built once however many tests look at it."""
    recorders = {}

    def once(stack: StackFile) -> Any:
        if stack.name not in recorders:
            recorders[stack.name] = run_stack(build, stack)
        return recorders[stack.name]

    return once


@every_stack
def test_every_custom_resource_names_its_provider(built, stack):
    """Default providers are switched off in the stack files, so a resource without one would stop the deployment."""
    recorder = built(stack)
    bare = [
        r.name
        for r in recorder.registrations
        if (r.request.custom or r.request.remote) and not r.type.startswith("pulumi:") and not r.request.provider
    ]
    assert bare == []


@every_stack
def test_every_resource_belongs_to_a_component(built, stack):
    recorder = built(stack)
    top = {r.type.split(":")[0] for r in recorder.registrations if r.parent == f"eks-training-platform-{stack.name}"}
    assert top <= {"ekstraining", "pulumi"}


@every_stack
def test_every_component_registers_its_outputs(built, stack):
    recorder = built(stack)
    components = {r.name for r in recorder.registrations if r.type.startswith("ekstraining:")}
    assert components <= set(recorder.outputs)


@every_stack
def test_a_person_is_told_what_comes_next(built, stack):
    exports = built(stack).exports
    assert exports["clusterName"] == f"training-{stack.name}"
    assert exports["kubeconfigCommand"] == (
        f"aws eks update-kubeconfig --name training-{stack.name} --region {stack.region}"
    )
    pools = [pool["name"] + ("-fixed" if "fixed" in pool["nodes"] else "") for pool in stack.environment["nodePools"]]
    assert exports["nodePools"] == [*pools, *(pool["name"] for pool in stack.environment["generalPools"])]
    assert set(exports["buckets"]) == {bucket["name"] for bucket in stack.environment["storage"]["buckets"]}
    assert exports["kubeconfigCommand"] in exports["nextSteps"]


@every_stack
def test_kubernetes_objects_wait_for_the_system_nodes_and_pools_for_their_definitions(built, stack):
    recorder = built(stack)
    pools = stack.environment["nodePools"]
    for component in ("karpenter", "volcano", *(f"pool-{pool['name']}" for pool in pools)):
        assert "cluster-system-us-west-2a" in recorder.named(component).depends_on
        assert "cluster-coredns" in recorder.named(component).depends_on
    needed = {"karpenter-crds-chart", "karpenter-node-access", "karpenter-controller-release"}
    for pool in pools:
        assert needed <= set(recorder.named(f"pool-{pool['name']}").depends_on)
    created = {f"placement-{pool['name']}" for pool in pools if pool["placementGroup"] == "create"}
    groups = {"efa-in-self", "efa-out-self"} | created
    assert groups <= set(recorder.named("karpenter").depends_on), "groups must outlive the controller"


def test_without_a_line_only_rules_and_device_plugins_are_installed(build):
    environment = copy.deepcopy(DEV.environment)
    del environment["platform"]
    recorder = run_stack(build, DEV, environment)
    assert {release.name for release in recorder.of_type("kubernetes:helm.sh/v3:Release")} == {
        "admission-rules",
        "karpenter-controller-release",
        "nvidia-release",
        "neuron-release",
        "efa-release",
    }
    assert not any("queues" in step for step in recorder.exports["nextSteps"])


def test_a_bad_environment_stops_the_program_with_its_problems_before_any_resource(build):
    environment = copy.deepcopy(DEV.environment)
    environment["nodePools"][0]["efa"] = "on"
    environment["storage"]["bukets"] = []
    with pytest.raises(pulumi.RunError) as stopped:
        run_stack(build, DEV, environment)
    assert "nodePools[0].efa" in str(stopped.value)
    assert "storage.bukets" in str(stopped.value)
    assert stopped.value.__suppress_context__


def test_the_nat_gateway_stands_where_most_nodes_of_the_pools_can_run(built):
    recorder = built(DEV)
    nat = recorder.only("aws:ec2/natGateway:NatGateway")
    assert nat.input_depends_on("subnetId") == ["network-public-us-west-2b"]


@every_stack
def test_every_role_obeys_the_companys_ground_rules(build, stack):
    boundary = "arn:aws:iam::111122223333:policy/boundary"
    environment = copy.deepcopy(stack.environment)
    environment["iam"] = {"permissionsBoundaryArn": boundary, "rolePath": "/ml/"}
    roles = run_stack(build, stack, environment).of_type("aws:iam/role:Role")
    assert len(roles) >= 6
    free = [r.name for r in roles if (r.inputs.get("permissionsBoundary"), r.inputs["path"]) != (boundary, "/ml/")]
    assert free == []
    # pulumi-eks would make a role of its own, without either.
    assert "serviceRole" in run_stack(build, stack, environment).only("eks:index:Cluster").inputs


def test_in_an_existing_vpc_with_an_existing_bucket_neither_is_made(build):
    environment = copy.deepcopy(DEV.environment)
    subnets = {zone: f"subnet-0123456789abcdef{n}" for n, zone in enumerate(environment["network"]["zones"])}
    existing = {"vpcId": "vpc-0123456789abcdef0", "cidr": "10.41.0.0/16", "privateSubnets": subnets}
    environment["network"] = {"existing": existing, "zones": list(subnets)}
    environment["storage"]["buckets"][1]["existing"] = "research-datasets"
    recorder = run_stack(build, DEV, environment)
    for kind in (
        "vpc:Vpc",
        "subnet:Subnet",
        "natGateway:NatGateway",
        "routeTable:RouteTable",
        "vpcEndpoint:VpcEndpoint",
    ):
        assert recorder.of_type(f"aws:ec2/{kind}") == []
    assert {g.inputs["vpcId"] for g in recorder.of_type("aws:ec2/securityGroup:SecurityGroup")} == {existing["vpcId"]}
    assert recorder.only("eks:index:Cluster").inputs["privateSubnetIds"] == list(subnets.values())
    assert [b.name for b in recorder.of_type("aws:s3/bucket:Bucket")] == ["training-dev-checkpoints"]
    assert recorder.exports["buckets"]["datasets"] == "research-datasets"


def test_the_aws_provider_takes_the_region_the_account_and_the_tags_of_the_stack(build):
    config = {
        "aws:region": DEV.region,
        "aws:allowedAccountIds": '["111122223333"]',
        ENVIRONMENT_KEY: json.dumps(DEV.environment),
    }
    recorder = build(lambda: runpy.run_path(str(ROOT / "__main__.py")), stack="dev", config=config)
    provider = recorder.named("aws").inputs
    assert provider["region"] == DEV.region
    # Providers take anything but text as JSON.
    assert json.loads(provider["allowedAccountIds"]) == ["111122223333"]
    assert json.loads(provider["defaultTags"])["tags"] == {
        "owner": "ml-platform",
        "environment": "dev",
        "costCenter": "4711",
    }
