"""Slurm before the real API server: real definitions, real charts (1.2.1, the ones at hand), real scheduler.

The operator's pods are simulated, so what they would make does not appear: the test stamps pods from the NodeSets as
the operator does (v1.2.1, internal/builder/workerbuilder/worker_app.go) and looks where the scheduler puts them.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from components.catalog.pins import SLURM, SLURM_OPERATOR, SLURM_OPERATOR_CRDS
from components.catalog.slurm import API_VERSION
from components.platform.platform_namespaces import PlatformNamespaces, PlatformNamespacesArgs
from components.platform.slinky_values import slinky_values
from components.platform.slurm_node_sets import node_set_spec
from components.platform.slurm_values import AccountingDatabase, SlurmSurroundings, slurm_values
from scripts.sandboxing.charts import SHARED
from stacks.node_pools import NodePool
from stacks.platform import Platform
from stacks.slurm_node_set_rules import node_set_name
from tests.admission.fleet import POOLS as FLEET
from tests.admission.fleet import Fleet
from tests.admission.landing import Landings, devices_of, placed, remove
from tests.admission.support import Sandbox, objects_of
from tests.unit.slurm_examples import POOLS, cluster

pytestmark = [
    pytest.mark.admission,
    pytest.mark.skipif(not (SHARED / SLURM.name).exists(), reason="the charts are not at hand"),
]

NAMESPACE = SLURM.namespace
SPEC = cluster()
AROUND = SlurmSurroundings(
    zone="us-west-2a",
    claim="slurm-statesave",
    sssd_secret="slurm-sssd",  # noqa: S106 - a name
    database=AccountingDatabase(
        host="db.example.com",
        port=3306,
        database="slurm_acct_db",
        username="slurm",
        password_secret_name="slurm-accounting",  # noqa: S106 - a name
        password_secret_key="password",  # noqa: S106 - a key's name
    ),
    rotation="slurmKey=unknown",
    images=None,
)


def node_set(pool: NodePool, **changes: Any) -> dict[str, Any]:
    """The object of a pool's NodeSet as the component makes it."""
    entry = next(entry for entry in SPEC.node_sets if entry.pool == pool.name)
    return {
        "apiVersion": API_VERSION,
        "kind": "NodeSet",
        "metadata": {"name": node_set_name(SPEC.name, pool.name), "namespace": NAMESPACE},
        "spec": {**node_set_spec(SPEC, entry, pool, None), **changes},
    }


def helm(sandbox: Sandbox, *arguments: str) -> str:
    done = sandbox.run("helm", *arguments)
    assert done.returncode == 0, f"helm {' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def slinky(fleet: Fleet, build: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The definitions, the cluster's release and its node sets, beside the fleet's nodes."""
    sandbox = fleet.sandbox
    sandbox.store_definitions(sandbox.rendered(SLURM_OPERATOR_CRDS, {}))
    spaces = PlatformNamespacesArgs(platform=Platform(slurm=SPEC), protect=False)
    [namespace] = objects_of(build(lambda: PlatformNamespaces("platform", spaces)))
    assert namespace["metadata"]["name"] == NAMESPACE
    assert sandbox.verdict([namespace]) == ""
    values = tmp_path_factory.mktemp("slurm") / "values.json"
    values.write_text(json.dumps(slurm_values(SPEC, POOLS, AROUND)))
    helm(sandbox, "install", SLURM.name, str(SHARED / SLURM.name), "-n", NAMESPACE, "-f", str(values), "--wait")
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "shared", "namespace": NAMESPACE},
        "spec": {
            "storageClassName": "slurm-test",
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "5Gi"}},
        },
    }
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "slurm-test"},
        "provisioner": "ebs.csi.aws.com",
        "volumeBindingMode": "Immediate",
    }
    assert sandbox.verdict([storage_class, claim, *map(node_set, POOLS)]) == ""
    yield sandbox
    helm(sandbox, "uninstall", SLURM.name, "-n", NAMESPACE)
    remove(fleet, NAMESPACE, "--all")
    sandbox.kubectl("delete", "namespace", NAMESPACE, "--wait=false")
    sandbox.kubectl("delete", "storageclass", "slurm-test")


def stamped(slinky: Sandbox, pool: NodePool, ordinal: int) -> dict[str, Any]:
    """A pod of the set that stands in the cluster, as the operator would make it."""
    name = node_set_name(SPEC.name, pool.name)
    spec = slinky.get("nodeset", name, "-n", NAMESPACE)["spec"]
    pod = dict(spec["template"]["spec"])
    labels = {"app.kubernetes.io/name": "slurmd", "app.kubernetes.io/instance": name}
    pod["hostname"] = f"{pod['hostname']}{ordinal}"
    pod["containers"] = [{"name": "slurmd", **spec["slurmd"], "securityContext": {"privileged": True}}]
    pod["initContainers"] = [{"name": "logfile", "restartPolicy": "Always", **spec["logfile"]}]
    alone = {
        "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "slurmd"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [alone]}}
    metadata = {**spec["template"]["metadata"], "name": f"{name}-{ordinal}", "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}


def test_the_lists_of_slurm_objects_are_ours(slinky: Sandbox, summary: list[str]) -> None:
    listed = slinky.kubectl("get", "controllers,nodesets,restapis,loginsets,accountings", "-n", NAMESPACE, "-o", "name")
    assert sorted(listed.split()) == [
        "accounting.slinky.slurm.net/slurm",
        "controller.slinky.slurm.net/slurm",
        "loginset.slinky.slurm.net/slurm-login-main",
        "nodeset.slinky.slurm.net/slurm-worker-g6",
        "nodeset.slinky.slurm.net/slurm-worker-p5",
        "nodeset.slinky.slurm.net/slurm-worker-trn1",
        "restapi.slinky.slurm.net/slurm",
    ]
    summary.append(f"slurm  {len(listed.split())} objects of ours stand in namespace {NAMESPACE}")


def test_the_controller_has_our_keys_our_volume_and_our_lines(slinky: Sandbox) -> None:
    spec = slinky.get("controller", "slurm", "-n", NAMESPACE)["spec"]
    assert spec["clusterName"] == "slurm"
    assert spec["slurmKeyRef"] == {"name": "slurm-auth-slurm", "key": "slurm.key"}
    assert spec["persistence"]["existingClaim"] == "slurm-statesave"
    assert spec["inplaceReconfigure"] is True
    assert spec["accountingRef"] == {"name": "slurm"}
    lines = spec["extraConf"].splitlines()
    assert "GresTypes=gpu,neuron" in lines
    assert "PartitionName=all Nodes=ALL Default=NO MaxTime=UNLIMITED State=UP" in lines
    files = slinky.get("configmap", "slurm-config-extra", "-n", NAMESPACE)["data"]
    assert files["gres.conf"].splitlines()[0] == "NodeName=p5-[0-7] AutoDetect=nvidia"


def test_the_chart_made_no_secret_and_no_load_balancer(slinky: Sandbox) -> None:
    kinds = [secret["type"] for secret in slinky.get("secrets", "-n", NAMESPACE)["items"]]
    assert [kind for kind in kinds if kind != "helm.sh/release.v1"] == []
    service = slinky.get("loginset", "slurm-login-main", "-n", NAMESPACE)["spec"]["service"]
    assert service["spec"] == {"type": "ClusterIP"}


def test_the_rest_apis_budget_is_accepted(slinky: Sandbox) -> None:
    budget = slinky.get("pdb", "-n", NAMESPACE)["items"][0]["spec"]
    assert budget["minAvailable"] == 1
    assert "maxUnavailable" not in budget


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scalingMode": "Elastic"}, "Unsupported value"),
        ({"partition": {"enabled": True, "config": "Default=YES\nNodes=x"}}, "should match"),
        ({"nodeTemplate": {"instanceType": "p5.48xlarge"}}, ".spec.nodeTemplate: field not declared in schema"),
        ({"updateStrategy": {"type": "ScheduledUpdate"}}, "startTime"),
    ],
    ids=["a mode that is none", "two lines of a partition", "an instance type", "a schedule without a time"],
)
def test_a_wrong_node_set_is_refused(slinky: Sandbox, changes: dict[str, Any], message: str) -> None:
    assert message in slinky.verdict([node_set(POOLS[0], **changes)], "--dry-run=server")


def test_replicas_are_scaled_by_hand_through_the_scale_subresource(slinky: Sandbox) -> None:
    slinky.kubectl("scale", "nodeset/slurm-worker-g6", "-n", NAMESPACE, "--replicas=2")
    assert slinky.get("nodeset", "slurm-worker-g6", "-n", NAMESPACE)["spec"]["replicas"] == 2


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: pool.name)
def test_slurm_nodes_land_one_each_on_nodes_of_their_pool_with_all_devices(
    slinky: Sandbox, fleet: Fleet, landed: Landings, pool: NodePool
) -> None:
    nodes = fleet.nodes[pool.name]
    count = len(nodes)
    pods = [stamped(slinky, pool, ordinal) for ordinal in range(count + 1)]
    names = [pod["metadata"]["name"] for pod in pods]
    assert slinky.verdict(pods) == ""
    where = placed(fleet, NAMESPACE, names, count)
    assert sorted(where.values()) == sorted(nodes)
    asked = devices_of(pods[0])
    assert asked
    for node in nodes.values():
        assert asked == {key: int(node["status"]["allocatable"][key]) for key in asked}
        assert pool.type_facts.name == node["metadata"]["labels"]["node.kubernetes.io/instance-type"]
    for name in names:
        landed.add(f"NodeSet {pool.name}: {name}", where.get(name, "none free: waits"), asked)
    remove(fleet, NAMESPACE, *names)


def test_the_examples_of_slurm_are_pools_of_the_fleet() -> None:
    unlike = {"nodes"}
    for pool in POOLS:
        assert pool.model_dump(exclude=unlike) == FLEET[pool.name].model_dump(exclude=unlike)


def test_the_operators_objects_are_accepted_and_look_at_slurm_only(sandbox: Sandbox) -> None:
    values = slinky_values(replicas=2, images=None)
    made = sandbox.rendered(SLURM_OPERATOR, values, "-n", "default", "--kube-version", "1.36.0")
    certificates = [thing for thing in made if thing["apiVersion"].startswith("cert-manager.io/")]
    assert {thing["kind"] for thing in certificates} == {"Issuer", "Certificate"}
    hooks = [thing for thing in made if "helm.sh/hook" in thing["metadata"].get("annotations", {})]
    rest = [thing for thing in made if thing not in certificates and thing not in hooks]
    assert sandbox.verdict(rest, "--dry-run=server") == ""
    budgets = [thing["spec"] for thing in rest if thing["kind"] == "PodDisruptionBudget"]
    assert len(budgets) == 2
    webhooks = [
        webhook for thing in rest if thing["kind"].endswith("WebhookConfiguration") for webhook in thing["webhooks"]
    ]
    scopes = [webhook["namespaceSelector"]["matchExpressions"] for webhook in webhooks]
    only = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["slurm"]}
    assert scopes
    assert [scope for scope in scopes if only not in scope] == []
