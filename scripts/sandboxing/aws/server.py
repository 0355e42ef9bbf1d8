"""The gRPC face of the local AWS: Pulumi's ResourceProvider service, raw, so that unknown values and secrets pass
untouched."""

from __future__ import annotations

import difflib
import importlib.metadata
import json
import traceback
from collections.abc import Callable, Mapping
from concurrent import futures
from functools import wraps
from typing import Any, TypeVar, cast

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from . import check, diff, naming, resources, values
from .context import ProviderConfig
from .invokes import UnansweredError, answer
from .lives import LIVES
from .shapes import Shape, UnknownTokenError, classes, shape

_MESSAGE_LIMIT = 400 * 1024 * 1024  # what Pulumi itself allows; gRPC's own 4 MB are too few for a large state
_WORKERS = 16
_KINDS = {"add": "ADD", "delete": "DELETE", "update": "UPDATE"}
_Method = TypeVar("_Method", bound=Callable[..., Any])


class RefusedError(ValueError):
    """A request that cannot be served; the text is for the person at the terminal."""


def _served(method: _Method) -> _Method:
    """Turns errors into gRPC statuses: a refusal as its text alone, a fault of ours with its trace."""

    @wraps(method)
    def serve(self: Any, request: Any, context: grpc.ServicerContext) -> Any:
        try:
            return method(self, request, context)
        except (RefusedError, UnansweredError) as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except Exception:
            context.abort(
                grpc.StatusCode.INTERNAL,
                f"The sandbox's local AWS failed, which is a bug of ours:\n{traceback.format_exc()}",
            )
        return None

    return cast(_Method, serve)


class LocalAws(provider_pb2_grpc.ResourceProviderServicer):
    """One provider instance, configured once and then called from many threads."""

    def __init__(self) -> None:
        self._config = ProviderConfig()
        self._generations = resources.Generations()

    @_served
    def GetPluginInfo(self, request: Any, context: Any) -> plugin_pb2.PluginInfo:  # noqa: N802, ARG002
        """The version of the SDK that all shapes come from."""
        return plugin_pb2.PluginInfo(version=importlib.metadata.version("pulumi-aws"))

    @_served
    def GetSchema(self, request: Any, context: Any) -> provider_pb2.GetSchemaResponse:  # noqa: N802, ARG002
        """A schema with the package's name only: programs use the published SDK."""
        schema = {"name": "aws", "version": importlib.metadata.version("pulumi-aws")}
        return provider_pb2.GetSchemaResponse(schema=json.dumps(schema))

    @_served
    def CheckConfig(self, request: provider_pb2.CheckRequest, context: Any) -> provider_pb2.CheckResponse:  # noqa: N802, ARG002
        """Asks for the region, the one setting without which nothing can be said."""
        news = values.from_struct(request.news)
        failures = []
        if values.opened(news.get("region")) in {None, ""}:
            reason = (
                "The AWS region is not set. Put `aws:region: us-west-2` into stacks/Pulumi.<env>.yaml, or pass region= "
                "to aws.Provider."
            )
            failures.append(provider_pb2.CheckFailure(property="region", reason=reason))
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    @_served
    def DiffConfig(self, request: provider_pb2.DiffRequest, context: Any) -> provider_pb2.DiffResponse:  # noqa: N802, ARG002
        """Another region is another provider; anything else changes in place."""
        old, new = values.from_struct(request.old_inputs), values.from_struct(request.news)
        moved = values.plain(old.get("region")) != values.plain(new.get("region")) and bool(old)
        same = values.plain(old) == values.plain(new)
        kind = provider_pb2.DiffResponse.DIFF_NONE if same else provider_pb2.DiffResponse.DIFF_SOME
        return provider_pb2.DiffResponse(changes=kind, replaces=["region"] if moved else [])

    @_served
    def Configure(self, request: provider_pb2.ConfigureRequest, context: Any) -> provider_pb2.ConfigureResponse:  # noqa: N802, ARG002
        """Takes region and default tags. References arrive as ids, as at the real provider; secrets arrive and stay
        secret."""
        arguments = values.from_struct(request.args) or {
            key.rpartition(":")[2]: value for key, value in request.variables.items()
        }
        self._config = ProviderConfig.parse(arguments)
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True,
            supportsPreview=True,
            acceptResources=False,
            acceptOutputs=False,
            supports_autonaming_configuration=True,
        )

    @_served
    def Check(self, request: provider_pb2.CheckRequest, context: Any) -> provider_pb2.CheckResponse:  # noqa: N802, ARG002
        """Judges the inputs, all problems at once, and names the resource."""
        found = _shape(request.urn, request.type)
        news, olds = values.from_struct(request.news), values.from_struct(request.olds)
        self._generations.saw(request.urn, "name", _autoname(found, olds))
        proposed = _proposed(request)
        taken = self._generations.before(request.urn, "name") if not olds else ""
        if proposed is None:
            inputs = {**news, naming.DEFAULTS: []}
        else:
            inputs = naming.with_name(found, request.urn, news, olds, taken=taken, proposed=proposed)
        inputs = _with_json_text(found, inputs)
        failures = [provider_pb2.CheckFailure(property=p.path, reason=p.reason) for p in check.problems(found, inputs)]
        return provider_pb2.CheckResponse(inputs=values.to_struct(inputs), failures=failures)

    @_served
    def Diff(self, request: provider_pb2.DiffRequest, context: Any) -> provider_pb2.DiffResponse:  # noqa: N802, ARG002
        """Compares inputs, and the tags that the provider's configuration adds."""
        found = _shape(request.urn, request.type)
        self._generations.saw(request.urn, "id", request.id)
        old, new, olds = (values.from_struct(part) for part in (request.old_inputs, request.news, request.olds))
        changes = list(diff.changes(found, old, new, request.ignoreChanges))
        tags = values.plain(resources.all_tags(self._config, new.get("tags")))
        if "tagsAll" in found.outputs and not changes and values.plain(olds.get("tagsAll", {})) != tags:
            changes.append(diff.Change("tagsAll", "update", replace=False))
        replace = [change.path for change in changes if change.replace]
        detailed = {
            change.path: provider_pb2.PropertyDiff(
                kind=provider_pb2.PropertyDiff.Kind.Value(_KINDS[change.kind] + ("_REPLACE" if change.replace else "")),
                inputDiff=change.path != "tagsAll",
            )
            for change in changes
        }
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if changes else provider_pb2.DiffResponse.DIFF_NONE,
            replaces=sorted({_top(path) for path in replace}),
            diffs=sorted({_top(change.path) for change in changes}),
            detailedDiff=detailed,
            hasDetailedDiff=True,
            deleteBeforeReplace=bool(replace) and diff.deletes_first(found, old, new),
        )

    @_served
    def Create(self, request: provider_pb2.CreateRequest, context: Any) -> provider_pb2.CreateResponse:  # noqa: N802, ARG002
        """Makes the resource: unknown outputs in a preview, stable ones else."""
        found = _shape(request.urn, request.type)
        inputs = values.from_struct(request.properties)
        replaced = self._generations.before(request.urn, "id")
        identifier, outputs = resources.create(
            found, self._config, request.urn, inputs, replaced=replaced, preview=request.preview
        )
        if not request.preview:
            self._generations.saw(request.urn, "id", identifier)
            self._generations.saw(request.urn, "made", identifier)
            if found.token in LIVES:
                LIVES[found.token].on_create(identifier, request.urn, inputs, outputs)
        return provider_pb2.CreateResponse(id=identifier, properties=values.to_struct(outputs))

    @_served
    def Update(self, request: provider_pb2.UpdateRequest, context: Any) -> provider_pb2.UpdateResponse:  # noqa: N802, ARG002
        """Changes the resource in place; id and what AWS decided stay."""
        found = _shape(request.urn, request.type)
        olds, old, new = (values.from_struct(part) for part in (request.olds, request.old_inputs, request.news))
        outputs = resources.update(
            found, self._config, request.urn, request.id, olds=olds, old_inputs=old, inputs=new, preview=request.preview
        )
        if not request.preview and found.token in LIVES:
            LIVES[found.token].on_update(request.id, request.urn, new, outputs)
        return provider_pb2.UpdateResponse(properties=values.to_struct(outputs))

    @_served
    def Read(self, request: provider_pb2.ReadRequest, context: Any) -> provider_pb2.ReadResponse:  # noqa: N802, ARG002
        """The state as it is: nothing drifts here. An id without state gets made-up outputs."""
        found = _shape(request.urn, request.type)
        state = values.from_struct(request.properties)
        if not state:
            state = resources.read(found, self._config, request.urn, request.id)
            inputs = {key: value for key, value in state.items() if key in found.inputs}
            return provider_pb2.ReadResponse(
                id=request.id, properties=values.to_struct(state), inputs=values.to_struct(inputs)
            )
        return provider_pb2.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)

    @_served
    def Delete(self, request: provider_pb2.DeleteRequest, context: Any) -> empty_pb2.Empty:  # noqa: N802, ARG002
        """Forgets the resource."""
        token = _token(request.urn, request.type)
        # A replacement made just now may bear the same id (its name was kept): that life goes on.
        lives_on = self._generations.before(request.urn, "made") == request.id
        self._generations.saw(request.urn, "id", request.id)
        if token in LIVES and not lives_on:
            LIVES[token].on_delete(request.id, request.urn)
        return empty_pb2.Empty()

    @_served
    def Invoke(self, request: provider_pb2.InvokeRequest, context: Any) -> provider_pb2.InvokeResponse:  # noqa: N802, ARG002
        """Answers from a short table."""
        result = answer(request.tok, values.plain(values.from_struct(request.args)), self._config)
        # `return` is a keyword, so the field can only be reached by its name as text.
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(values.to_struct(result))
        return response

    @_served
    def Cancel(self, request: Any, context: Any) -> empty_pb2.Empty:  # noqa: N802, ARG002
        """Nothing takes long enough to be cancelled."""
        return empty_pb2.Empty()


def serve(server_started: Callable[[int], None]) -> None:
    """Serves on a free loopback port until the process ends; `server_started` hears the port."""
    options = [("grpc.max_receive_message_length", _MESSAGE_LIMIT), ("grpc.max_send_message_length", _MESSAGE_LIMIT)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=_WORKERS), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(LocalAws(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    server_started(port)
    server.wait_for_termination()


def _token(urn: str, token: str) -> str:
    # A nested resource's type carries its parents' in front: eks:index:Cluster$aws:eks/cluster:Cluster.
    return token or urn.split("::")[2].rpartition("$")[2]


def _shape(urn: str, token: str) -> Shape:
    token = _token(urn, token)
    try:
        return shape(token)
    except UnknownTokenError as error:
        near = difflib.get_close_matches(token, classes(), n=1, cutoff=0.6)
        advice = f' The nearest known type is "{near[0]}".' if near else ""
        raise RefusedError(
            f'pulumi-aws {importlib.metadata.version("pulumi-aws")} has no resource type "{token}".{advice} Correct '
            "the type, or pin a pulumi-aws in pyproject.toml that has it."
        ) from error


def _autoname(found: Shape, olds: Mapping[str, Any]) -> str:
    field = naming.name_field(found)
    name = values.opened(olds.get(field)) if field and field in olds.get(naming.DEFAULTS, ()) else None
    return name if isinstance(name, str) else ""


def _proposed(request: provider_pb2.CheckRequest) -> str | None:
    """The name that the stack's autonaming configuration asks for; empty for none, None where it switches autonames
    off."""
    if not request.HasField("autonaming"):
        return ""
    if request.autonaming.mode == provider_pb2.CheckRequest.AutonamingOptions.DISABLE:
        return None
    return str(request.autonaming.proposed_name)


def _with_json_text(found: Shape, inputs: dict[str, Any]) -> dict[str, Any]:
    """Policies given as objects become the JSON text that AWS takes, as at the real provider."""
    for name, value in inputs.items():
        kind = found.inputs[name].type if name in found.inputs else None
        takes_text = (
            kind is not None and kind.kind == "union" and any(option.kind == "string" for option in kind.options)
        )
        if takes_text and isinstance(values.opened(value), dict) and not values.has_unknown(value):
            # Sorted, because the wire does not keep the order of keys and another text would be a change.
            text = json.dumps(values.plain(value), separators=(",", ":"), sort_keys=True)
            inputs = {**inputs, name: values.secret(text) if values.is_secret(value) else text}
    return inputs


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
