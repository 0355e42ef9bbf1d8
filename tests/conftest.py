"""Shared by all tiers: a Pulumi monitor that records registrations, so that options and outputs can be asserted."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# An Output in an f-string raises instead of printing a warning.
os.environ["PULUMI_ERROR_OUTPUT_STRING"] = "1"

import pulumi
import pytest
from google.protobuf import json_format
from pulumi.runtime import mocks, rpc

from tests.support import PROJECT


@dataclass(frozen=True)
class Registration:
    """One resource as the engine would see it: type, name, inputs in camelCase, and the options."""

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    request: Any

    @property
    def parent(self) -> str:
        return str(self.request.parent).rsplit("::", 1)[-1]

    @property
    def depends_on(self) -> list[str]:
        """Names of the resources that must be there first."""
        return [urn.rsplit("::", 1)[-1] for urn in self.request.dependencies]

    def input_depends_on(self, name: str) -> list[str]:
        """Names of the resources that an input's value comes from."""
        return [urn.rsplit("::", 1)[-1] for urn in self.request.propertyDependencies[name].urns]


class _Answers(mocks.Mocks):
    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:
        # Components must not look anything up: what they need comes in through their arguments.
        raise AssertionError(f"unexpected call of {args.token}")

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        state = dict(args.inputs)
        state.setdefault("arn", f"arn:aws:mock:::{args.name}")
        state.setdefault("name", args.name)
        if args.typ == "aws:ec2/launchTemplate:LaunchTemplate":
            state["latestVersion"] = 1
        if args.typ == "aws:rds/instance:Instance":
            state["address"], state["endpoint"] = "db.example.com", "db.example.com:3306"
            state["masterUserSecrets"] = [{"secretArn": f"arn:aws:mock:::secret:{args.name}"}]
        return f"{args.name}-id", state


def _without_references(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_references(item) for item in value]
    if isinstance(value, dict):
        if value.get(rpc._special_sig_key) == rpc._special_resource_sig:
            return value.get("id") or value["urn"]
        return {key: _without_references(item) for key, item in value.items()}
    return value


class Recorder(mocks.MockMonitor):
    """A monitor that remembers requests and registered outputs, and plays the part of pulumi-eks' remote cluster."""

    def __init__(self) -> None:
        super().__init__(_Answers())
        self.registrations: list[Registration] = []
        self.outputs: dict[str, dict[str, Any]] = {}
        self.exports: dict[str, Any] = {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - name of the RPC
        inputs = json_format.MessageToDict(request.object)
        urn = self.make_urn(request.parent, request.type, request.name)
        self.registrations.append(Registration(urn, request.type, request.name, inputs, request))
        bare = type(request)()
        bare.CopyFrom(request)
        # The stock monitor would open references to resources in a thread whose loop never runs, and hang.
        bare.object.Clear()
        json_format.ParseDict(_without_references(inputs), bare.object)
        response = super().RegisterResource(bare)
        if request.type == "eks:index:Cluster":
            self._answer_as_eks(urn, request.name, inputs, response)
        return response

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - name of the RPC
        self.outputs[request.urn.rsplit("::", 1)[-1]] = json_format.MessageToDict(request.outputs)
        return super().RegisterResourceOutputs(request)

    def _answer_as_eks(self, parent: str, name: str, inputs: Mapping[str, Any], response: Any) -> None:
        token = "aws:eks/cluster:Cluster"  # noqa: S105 - a type token
        urn = self.make_urn(parent, token, f"{name}-eksCluster")
        arn = f"arn:aws:eks:us-west-2:111122223333:cluster/{inputs['name']}"
        state = {"name": inputs["name"], "endpoint": "https://cluster.example", "arn": arn}
        self.resources[urn] = mocks.MockMonitor.ResourceRegistration(urn, "cluster-id", state)
        reference = {rpc._special_sig_key: rpc._special_resource_sig, "urn": urn, "id": "cluster-id"}
        response.object.update(
            {"eksCluster": reference, "kubeconfigJson": "{}", "clusterSecurityGroupId": "sg-made-by-eks"}
        )

    def named(self, name: str) -> Registration:
        """The one resource of that name; several of one name need `of_type` too."""
        return self._one([r for r in self.registrations if r.name == name], f"named {name}")

    def of_type(self, type_: str, name: str | None = None) -> list[Registration]:
        return [r for r in self.registrations if r.type == type_ and name in (None, r.name)]

    def only(self, type_: str, name: str | None = None) -> Registration:
        return self._one(self.of_type(type_, name), f"of type {type_}")

    def _one(self, found: list[Registration], what: str) -> Registration:
        assert len(found) == 1, f"{len(found)} resources {what}; there are {sorted(r.name for r in self.registrations)}"
        return found[0]


@pytest.fixture(scope="session")
def build() -> Iterator[Callable[..., Recorder]]:
    """Run a program under a fresh recorder and return the recorder, once every registration has arrived."""

    def run(program: Callable[[], Any], *, stack: str = "test", config: Mapping[str, str] | None = None) -> Recorder:
        recorder = Recorder()
        # A root left from an earlier program would take this one's exports.
        pulumi.runtime.settings.set_root_resource(None)
        pulumi.runtime.set_mocks(recorder.mocks, project=PROJECT, stack=stack, preview=False, monitor=recorder)
        pulumi.runtime.set_all_config(dict(config or {}))

        @pulumi.runtime.test
        def whole() -> pulumi.Output[Any]:
            program()
            root = pulumi.runtime.get_root_resource()
            return pulumi.Output.from_input(dict(getattr(root, "outputs", {}))).apply(recorder.exports.update)

        whole()
        return recorder

    yield run
    pulumi.runtime.set_all_config({})
