"""A Kubernetes provider that believes what it is told: previews are recorded with it, where no cluster can be started.

Run as Pulumi runs a plugin: `python -m tests.scripts.echoing_kubernetes`. It keeps nothing: the state of a resource is
its inputs. `ECHO_DRIFT` names a JSON file `{name of a resource: {path/with/slashes: value}}`:
a refresh reads these, and an empty path as a deletion.
"""

from __future__ import annotations

import json
import os
from concurrent import futures
from importlib import metadata
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc, resource_pb2, resource_pb2_grpc

NAMES = ("metadata.name", "metadata.namespace")
FIXED = {
    "PersistentVolume": ("spec.csi",),
    "PersistentVolumeClaim": ("spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"),
    "StorageClass": ("parameters", "provisioner"),
    "Job": ("spec.completions", "spec.parallelism", "spec.selector", "spec.template"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
}
"""A change of these makes a new object, as with the real provider: its path below the inputs, by kind."""

LIMIT = [("grpc.max_receive_message_length", 400 * 1024 * 1024)]


class Echo(provider_pb2_grpc.ResourceProviderServicer):
    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version=metadata.version("pulumi-kubernetes"))

    def GetSchema(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.GetSchemaResponse(schema=json.dumps({"name": "kubernetes", "version": "0.0.0"}))

    def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.ConfigureResponse(acceptSecrets=True, acceptResources=True, supportsPreview=True)

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        olds, news = request.old_inputs.fields, request.news.fields
        changed = sorted(key for key in {*olds, *news} if key not in olds or key not in news or olds[key] != news[key])
        fixed = FIXED.get(request.urn.split("::")[2].rsplit(":", 1)[-1], ())
        replaces = [path for path in (*NAMES, *fixed) if _at(request.old_inputs, path) != _at(request.news, path)]
        kind = provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(
            changes=kind, diffs=changed, replaces=replaces, deleteBeforeReplace=bool(replaces)
        )

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        name = "" if request.preview else request.urn.rsplit("::", 1)[-1]
        return provider_pb2.CreateResponse(id=name, properties=request.properties)

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.UpdateResponse(properties=request.news)

    def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        found = request.properties
        for path, value in _drift().get(request.urn.rsplit("::", 1)[-1], {}).items():
            if not path:
                return provider_pb2.ReadResponse()
            *way, last = path.split("/")
            target = found
            for step in way:
                target = target[step]
            target[last] = value
        return provider_pb2.ReadResponse(id=request.id, properties=found, inputs=found)

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def Construct(self, request: Any, context: Any) -> Any:  # noqa: N802
        """A chart without its objects: their number says nothing to a report."""
        channel = grpc.insecure_channel(request.monitorEndpoint, options=LIMIT)
        made = resource_pb2_grpc.ResourceMonitorStub(channel).RegisterResource(
            resource_pb2.RegisterResourceRequest(type=request.type, name=request.name, parent=request.parent)
        )
        return provider_pb2.ConstructResponse(urn=made.urn)


def _at(inputs: Any, path: str) -> Any:
    for step in path.split("."):
        if not hasattr(inputs, "keys") or step not in inputs:
            return None
        inputs = inputs[step]
    return inputs


def _drift() -> dict[str, dict[str, Any]]:
    path = os.environ.get("ECHO_DRIFT")
    return dict(json.loads(Path(path).read_text())) if path else {}


def main() -> None:
    server = grpc.server(futures.ThreadPoolExecutor(16), options=LIMIT)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Echo(), server)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
