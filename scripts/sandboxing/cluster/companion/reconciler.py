"""One pass of the companion: look at the cluster and the account, do what EKS, Karpenter and a provisioner would."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Mapping
from urllib.parse import quote

from components.catalog.instance_types import InstanceType
from scripts.sandboxing.cluster.companion import load_balancers, node_groups, node_pools, nodes, startup, volumes
from scripts.sandboxing.cluster.companion.api import Api, ApiError, Object
from scripts.sandboxing.cluster.companion.node_groups import Account, HalfWrittenRecordError
from scripts.sandboxing.cluster.companion.nodes import Machine

_POOLS = "/apis/karpenter.sh/v1/nodepools"
_NODE_CLASSES = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses"
_STORAGE_CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
_TRANSIENT = (ApiError, HalfWrittenRecordError, OSError, http.client.HTTPException)


class Reconciler:
    """Holds nothing between passes but what was last said, so that a restart at any moment is harmless."""

    def __init__(
        self, api: Api, account: Account, catalog: Mapping[str, InstanceType], say: Callable[[str], None]
    ) -> None:
        self._api = api
        self._account = account
        self._catalog = catalog
        self._log = say
        self._said: dict[str, str] = {}
        self._version = ""

    def one_pass(self) -> bool:
        """Run every step, each shielded from the failure of the others; whether all of them succeeded."""
        steps: dict[str, Callable[[], None]] = {
            "nodes": self._nodes,
            "startup": self._startup,
            "claims": self._claims,
            "load balancers": self._load_balancers,
        }
        succeeded = True
        for name, step in steps.items():
            try:
                step()
            except _TRANSIENT as error:
                succeeded = False
                self._say_once(name, f"{name}: {type(error).__name__}: {error}; trying again")
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                # An object of a shape that was not foreseen: it must not stop the other steps.
                self._say_once(name, f"{name}: cannot make sense of an object: {type(error).__name__}: {error}")
            else:
                self._said.pop(name, None)
        return succeeded

    def _nodes(self) -> None:
        self._version = self._version or self._api.server_version()
        actual = self._api.list("/api/v1/nodes", labelSelector=f"{nodes.SIMULATED}=true")
        changes = nodes.changes(self._wanted_machines(), actual, self._version)
        for name in changes.remove:
            self._remove_node(name)
        for node in changes.create:
            self._create_node(node)

    def _create_node(self, node: Object) -> None:
        name, labels = node["metadata"]["name"], node["metadata"]["labels"]
        try:
            created = self._api.create("/api/v1/nodes", node)
        except ApiError as error:
            if error.status != 422:
                raise
            # Nobody else's nodes wait for a pool of which the API server takes none, such as one that taints twice.
            self._say_once(f"node {name}", f"node {name} cannot be made: {error}")
            return
        if created:
            self._log(f"node {name} ({labels[nodes.INSTANCE_TYPE]}) created")

    def _wanted_machines(self) -> list[Machine]:
        zones = self._account.subnet_zones()
        wanted = []
        for record in self._account.records("eks-nodeGroup"):
            wanted += node_groups.machines(record, zones, self._catalog, self._say_of("node group", record.get("id")))
        classes = {item["metadata"]["name"]: item for item in self._api.list(_NODE_CLASSES, missing_ok=True)}
        for pool in self._api.list(_POOLS, missing_ok=True):
            name = pool["metadata"]["name"]
            node_class = classes.get(pool["spec"]["template"]["spec"]["nodeClassRef"]["name"])
            known = sorted(set(zones.values()))
            made = node_pools.machines(pool, node_class, known, self._catalog, self._say_of("node pool", name))
            wanted += made
            self._report(_POOLS, pool, nodes=len(made))
        for node_class in classes.values():
            self._report(_NODE_CLASSES, node_class)
        return wanted

    def _report(self, path: str, thing: Object, **extra: object) -> None:
        status = None if "deletionTimestamp" in thing["metadata"] else node_pools.ready_status(thing, **extra)
        if status is not None:
            self._api.patch(f"{path}/{thing['metadata']['name']}/status", status)

    def _remove_node(self, name: str) -> None:
        if self._api.delete(f"/api/v1/nodes/{name}"):
            self._log(f"node {name} removed")
        # No kubelet is left to confirm their end; the pod garbage collector would take a minute to notice.
        for pod in self._api.list("/api/v1/pods", fieldSelector=f"spec.nodeName={name}"):
            metadata = pod["metadata"]
            path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
            self._api.delete(path, gracePeriodSeconds="0")

    def _startup(self) -> None:
        addons = self._account.addons()
        kept: dict[str, str] = {}
        for node in self._api.list("/api/v1/nodes", labelSelector=f"{nodes.SIMULATED}=true,{startup.POOL}"):
            name, pool = node["metadata"]["name"], node["metadata"]["labels"][startup.POOL]
            for key in startup.waiting_for(node):
                if startup.is_ready(node) and (reason := startup.nothing_lifts(key, addons)):
                    kept[f"{pool} {key}"] = (
                        f"node pool {pool}: startup taint {reason}, and only pods that tolerate it run there"
                    )
            patch = startup.next_step(node, addons)
            if patch is not None and self._patch_unless_changed(f"/api/v1/nodes/{name}", patch):
                done = "startup taints lifted" if "spec" in patch else "initialized"
                self._log(f"node {name} {done}")
        self._say_all("startup taint", kept)

    def _patch_unless_changed(self, path: str, patch: Object) -> bool:
        """Whether the patch applied; one of an object that has changed since is left to the next pass."""
        try:
            return self._api.patch(path, patch)
        except ApiError as error:
            if error.status == 409:
                return False
            raise

    def _claims(self) -> None:
        addons = self._account.addons()
        refused: dict[str, str] = {}
        claims = self._api.list("/api/v1/persistentvolumeclaims")
        if any(claim.get("status", {}).get("phase") == "Pending" for claim in claims):
            classes = {item["metadata"]["name"]: item for item in self._api.list(_STORAGE_CLASSES)}
            zones = {
                node["metadata"]["name"]: node["metadata"].get("labels", {}).get(volumes.ZONE, "")
                for node in self._api.list("/api/v1/nodes")
            }
            for claim in claims:
                name = f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
                if reason := volumes.refused(claim, classes, addons):
                    refused[name] = f"claim {name} gets no volume: {reason}"
                    continue
                volume = volumes.volume_for(claim, classes, zones)
                if volume is not None and self._api.create("/api/v1/persistentvolumes", volume):
                    self._log(f"claim {name}: volume created")
        self._say_all("claim", refused)
        for volume in self._api.list("/api/v1/persistentvolumes"):
            name = volume["metadata"]["name"]
            if volumes.is_to_be_removed(volume) and self._api.delete(f"/api/v1/persistentvolumes/{name}"):
                self._log(f"volume {name} removed")

    def _load_balancers(self) -> None:
        for service in self._api.list("/api/v1/services"):
            status = load_balancers.status_for(service)
            if status is not None:
                metadata = service["metadata"]
                name = f"{metadata['namespace']}/services/{quote(metadata['name'])}"
                self._api.patch(f"/api/v1/namespaces/{name}/status", status)
                self._log(f"service {metadata['namespace']}/{metadata['name']}: load balancer address updated")

    def _say_of(self, kind: str, name: object) -> Callable[[str], None]:
        return lambda text: self._say_once(f"{kind} {name}", text)

    def _say_all(self, kind: str, lines: Mapping[str, str]) -> None:
        """Say each line once for as long as it stays true; one that comes back later is said again."""
        for topic in [topic for topic in self._said if topic.startswith(f"{kind} ")]:
            if topic.removeprefix(f"{kind} ") not in lines:
                del self._said[topic]
        for topic, text in lines.items():
            self._say_once(f"{kind} {topic}", text)

    def _say_once(self, topic: str, text: str) -> None:
        """A pass runs each second: the same problem is worth one line, not one per second."""
        if self._said.get(topic) != text:
            self._said[topic] = text
            self._log(text)
