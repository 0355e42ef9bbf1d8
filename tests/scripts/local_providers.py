"""Support for the tests of the sandbox's local providers: the servicer called in-process, and a monitor that uses
it."""

from collections.abc import Mapping
from typing import Any

import grpc
from pulumi.runtime import mocks
from pulumi.runtime.proto import provider_pb2, resource_pb2

from scripts.sandboxing.aws import values
from scripts.sandboxing.aws.server import LocalAws

REGION = "us-west-2"
VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"


class Refused(Exception):  # noqa: N818 - reads better in `pytest.raises`
    """What the engine would show for a failed call."""


class _Context:
    def abort(self, code: grpc.StatusCode, details: str) -> None:
        raise Refused(f"{code.name}: {details}")


CONTEXT: Any = _Context()


def urn_of(token: str, name: str = "x", stack: str = "dev") -> str:
    return f"urn:pulumi:{stack}::project::{token}::{name}"


class Aws:
    """The local AWS as the engine would drive it, for one resource at a time."""

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self.servicer = LocalAws()
        arguments = values.to_struct({"region": REGION} if config is None else config)
        self.servicer.Configure(provider_pb2.ConfigureRequest(args=arguments), CONTEXT)

    def check(
        self,
        token: str,
        news: Mapping[str, Any],
        olds: Mapping[str, Any] | None = None,
        *,
        name: str = "x",
        **more: Any,
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """The checked inputs, and the failures by property path."""
        request = provider_pb2.CheckRequest(
            urn=urn_of(token, name), type=token, news=values.to_struct(news), olds=values.to_struct(olds or {}), **more
        )
        response = self.servicer.Check(request, CONTEXT)
        return values.from_struct(response.inputs), {f.property: f.reason for f in response.failures}

    def create(
        self, token: str, news: Mapping[str, Any], *, name: str = "x", preview: bool = False
    ) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """Id, inputs and outputs of a resource that must pass the check."""
        inputs, failures = self.check(token, news, name=name)
        assert not failures
        request = provider_pb2.CreateRequest(
            urn=urn_of(token, name), type=token, properties=values.to_struct(inputs), preview=preview
        )
        response = self.servicer.Create(request, CONTEXT)
        return response.id, inputs, values.from_struct(response.properties)

    def diff(
        self,
        token: str,
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        *,
        identifier: str = "id",
        outputs: Mapping[str, Any] | None = None,
        ignored: tuple[str, ...] = (),
    ) -> Any:
        request = provider_pb2.DiffRequest(
            id=identifier,
            urn=urn_of(token),
            type=token,
            olds=values.to_struct(old if outputs is None else outputs),
            old_inputs=values.to_struct(old),
            news=values.to_struct(new),
            ignoreChanges=ignored,
        )
        return self.servicer.Diff(request, CONTEXT)

    def update(
        self,
        token: str,
        identifier: str,
        outputs: Mapping[str, Any],
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        *,
        preview: bool = False,
    ) -> dict[str, Any]:
        request = provider_pb2.UpdateRequest(
            id=identifier,
            urn=urn_of(token),
            type=token,
            olds=values.to_struct(outputs),
            old_inputs=values.to_struct(old),
            news=values.to_struct(new),
            preview=preview,
        )
        return values.from_struct(self.servicer.Update(request, CONTEXT).properties)

    def delete(self, token: str, identifier: str) -> None:
        self.servicer.Delete(provider_pb2.DeleteRequest(id=identifier, urn=urn_of(token), type=token), CONTEXT)

    def read(self, token: str, identifier: str, state: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        request = provider_pb2.ReadRequest(
            id=identifier, urn=urn_of(token), type=token, properties=values.to_struct(state or {})
        )
        response = self.servicer.Read(request, CONTEXT)
        return response.id, values.from_struct(response.properties)

    def invoke(self, token: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        request = provider_pb2.InvokeRequest(tok=token, args=values.to_struct(arguments))
        return values.from_struct(getattr(self.servicer.Invoke(request, CONTEXT), "return"))


class LocalMonitor(mocks.MockMonitor):
    """An engine in a nutshell: AWS resources are checked and created by the local AWS, everything else is echoed."""

    def __init__(self, *, preview: bool) -> None:
        super().__init__(mocks=None)  # type: ignore[arg-type]  # nothing is mocked
        self.preview = preview
        self.aws = Aws()
        self.registered: list[dict[str, Any]] = []

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - name of the RPC
        urn = self.make_urn(request.parent, request.type, request.name)
        inputs = values.from_struct(request.object)
        self.registered.append(
            {
                "type": request.type,
                "name": request.name,
                "parent": request.parent.rpartition("::")[2],
                "custom": request.custom,
                "inputs": inputs,
                "ignored": list(request.ignoreChanges),
                "depends_on": sorted(dependency.rpartition("::")[2] for dependency in request.dependencies),
            }
        )
        identifier, outputs = "", inputs
        if request.type.startswith("aws:"):
            identifier, _, outputs = self.aws.create(request.type, inputs, name=request.name, preview=self.preview)
        elif request.custom:
            identifier = f"{request.name}-id"
        self.resources[urn] = mocks.MockMonitor.ResourceRegistration(urn, identifier, outputs)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=identifier, object=values.to_struct(outputs))

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - name of the RPC
        if request.tok == "pulumi:pulumi:getResource":
            return super().Invoke(request)
        answer = values.to_struct(self.aws.invoke(request.tok, values.from_struct(request.args)))
        return resource_pb2.ResourceInvokeResponse(**{"return": answer})

    def named(self, type_: str, name: str) -> dict[str, Any]:
        found = [r for r in self.registered if (r["type"], r["name"]) == (type_, name)]
        assert len(found) == 1, f"{len(found)} of {type_} {name} in {sorted(r['name'] for r in self.registered)}"
        return found[0]
