"""Every resource type of the SDK works in the local AWS: a minimal resource is accepted, and its outputs fit their
types."""

from typing import Any

import pytest

from scripts.sandboxing.aws import check, naming, resources, shapes, values
from scripts.sandboxing.aws.context import ProviderConfig
from scripts.sandboxing.aws.shapes import Type

pytestmark = pytest.mark.scripts

CONFIG = ProviderConfig("us-west-2")
# What this stack is made of, always swept in full; of the rest every fortieth module, because reading all takes a
# minute.
OURS = {"cloudwatch", "ec2", "eks", "fsx", "iam", "kms", "s3", "secretsmanager", "sqs", "vpc"}


def module_of(token: str) -> str:
    return token.split(":", 2)[1].partition("/")[0]


def sampled() -> list[str]:
    modules = sorted({module_of(token) for token in shapes.classes()})
    chosen = OURS | set(modules[::40])
    return [token for token in shapes.classes() if module_of(token) in chosen]


def minimal(kind: Type) -> Any:
    """A value of `kind` with nothing in it that is not required."""
    simple: dict[str, Any] = {"string": "x", "integer": 1, "number": 1, "boolean": True, "any": "x"}
    if kind.kind == "list":
        return [minimal(kind.item or Type("any"))]
    if kind.kind == "map":
        return {"key": minimal(kind.item or Type("any"))}
    if kind.kind == "object":
        return {f.name: minimal(f.type) for f in shapes.fields(kind.cls or object).values() if f.required}
    if kind.kind == "union":
        return minimal(kind.options[0])
    if kind.kind == "asset":
        return {values.SIGNATURE: min(values.ASSETS), "text": "x"}
    return simple[kind.kind]


def misfits(kind: Type, value: Any, path: str) -> list[str]:
    """Where `value` is not of `kind`."""
    expected = {"string": str, "integer": int, "boolean": bool, "list": list, "map": dict, "object": dict}.get(
        kind.kind
    )
    if kind.kind == "number":
        expected = (int, float)  # type: ignore[assignment]
    if expected is not None and not isinstance(value, expected):
        return [f"{path}: {value!r} is no {kind.kind}"]
    if kind.kind == "list":
        return [m for i, item in enumerate(value) for m in misfits(kind.item or Type("any"), item, f"{path}[{i}]")]
    if kind.kind == "map":
        return [m for key, item in value.items() for m in misfits(kind.item or Type("any"), item, f"{path}.{key}")]
    if kind.kind == "object":
        nested = shapes.fields(kind.cls or object)
        found = [f"{path}.{key}: unknown" for key in value if key not in nested]
        return found + [m for k, v in value.items() if k in nested for m in misfits(nested[k].type, v, f"{path}.{k}")]
    return []


def faults(token: str) -> list[str]:
    shape = shapes.shape(token)
    urn = f"urn:pulumi:dev::project::{token}::x"
    required = {f.name: minimal(f.type) for f in shape.inputs.values() if f.required}
    inputs = naming.with_name(shape, urn, required, {})
    found = [f"refused: {problem.path}: {problem.reason}" for problem in check.problems(shape, inputs)]
    identifier, outputs = resources.create(shape, CONFIG, urn, inputs, preview=False)
    if not identifier:
        found.append("no id")
    if (identifier, outputs) != resources.create(shape, CONFIG, urn, inputs, preview=False):
        found.append("not stable")
    always = {name for name in shape.computed if shape.outputs[name].required}
    found += [f"{name}: no value" for name in sorted(always - outputs.keys())]
    for name, value in outputs.items():
        if name in shape.outputs:
            found += misfits(shape.outputs[name].type, value, name)
    empty_id, planned = resources.create(shape, CONFIG, urn, inputs, preview=True)
    known = {name for name in shape.computed if name in planned and not values.has_unknown(planned[name])}
    if empty_id or known - {"tagsAll", "region"}:
        found.append(f"known in a preview: {sorted(known)}")
    return [f"{token}: {fault}" for fault in found]


def test_the_registration_table_of_the_sdk_is_read_whole() -> None:
    assert len(shapes.classes()) > 1700
    assert shapes.classes()["aws:ec2/vpc:Vpc"] == ("pulumi_aws.ec2", "Vpc")


def test_a_sample_of_all_resource_types_works() -> None:
    assert [fault for token in sampled() for fault in faults(token)] == []


@pytest.mark.soak
def test_every_resource_type_works() -> None:
    assert [fault for token in shapes.classes() for fault in faults(token)] == []


def test_inputs_come_from_the_init_args_where_the_sdk_has_them() -> None:
    # `ManagedPrefixListEntryArgs` is the entry nested in a list: it does not say which list.
    entry = shapes.shape("aws:ec2/managedPrefixListEntry:ManagedPrefixListEntry")
    assert entry.inputs["prefixListId"].required


def test_computed_outputs_are_no_inputs_and_filled_inputs_are_optional() -> None:
    vpc = shapes.shape("aws:ec2/vpc:Vpc")
    assert {"arn", "tagsAll", "defaultSecurityGroupId"} <= vpc.computed
    assert not vpc.computed & vpc.inputs.keys()
    assert "cidrBlock" in vpc.filled
    assert "enableDnsSupport" not in vpc.filled
    subnet = shapes.shape("aws:ec2/subnet:Subnet")
    assert subnet.inputs["vpcId"].required
    assert "vpcId" not in subnet.filled


def test_nested_types_are_known_to_the_bottom() -> None:
    config = shapes.shape("aws:eks/cluster:Cluster").inputs["vpcConfig"].type
    assert config.kind == "object"
    assert config.cls is not None
    assert str(shapes.fields(config.cls)["subnetIds"].type) == "list of string"


def test_a_token_that_the_sdk_does_not_have_is_refused() -> None:
    with pytest.raises(shapes.UnknownTokenError, match="aws:ec2/vcp:Vcp"):
        shapes.shape("aws:ec2/vcp:Vcp")
