"""Slurm before the real API server: real definitions, real charts (1.2.1, the ones at hand), real scheduler.

The operator's pods are simulated, so what they would make does not appear: the test stamps pods from the NodeSets as
the operator does (v1.2.1, internal/builder/workerbuilder/worker_app.go) and looks where the scheduler puts them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.catalog.pins import SLURM, SLURM_OPERATOR, SLURM_OPERATOR_CRDS
from components.platform.slinky_values import slinky_values
from components.platform.slurm_node_sets import API_VERSION, node_set_spec
from components.platform.slurm_values import AccountingDatabase, SlurmSurroundings, slurm_values
from scripts.sandboxing.charts import SHARED
from stacks.node_pools import NodePool, Nodes
from stacks.slurm_node_set_rules import node_set_name
from tests.admission.support import Sandbox, eventually
from tests.admission.test_pools_accepted import objects
from tests.unit.slurm_examples import POOLS, cluster

pytestmark = [
    pytest.mark.admission,
    pytest.mark.skipif(not (SHARED / SLURM.name).exists(), reason="the charts are not at hand"),
]

NAMESPACE = SLURM.namespace
SPEC = cluster()
# Two nodes each, so that a third pod has to wait; the simulated pool starts all that it may.
SMALL = [pool.model_copy(update={"nodes": Nodes(max=2)}) for pool in POOLS]
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


def strictly(sandbox: Sandbox, *things: dict[str, Any], dry: bool = True) -> str:
    """Apply on the server's side with every field checked; returns what the server says against it."""
    done = sandbox.run(
        "kubectl",
        *("apply", "--server-side", "--validate=strict", "-f", "-", *(["--dry-run=server"] if dry else [])),
        stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": things}),
    )
    return done.stderr if done.returncode else ""


@pytest.fixture(scope="module")
def slinky(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The definitions, the cluster's release and its node sets, on pools with simulated nodes."""
    crds = helm(sandbox, "template", SLURM_OPERATOR_CRDS.name, str(SHARED / SLURM_OPERATOR_CRDS.name))
    sandbox.kubectl("apply", "--server-side", "-f", "-", stdin=crds)
    sandbox.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    sandbox.kubectl("create", "namespace", NAMESPACE)
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
    pools = [thing for pool in SMALL for thing in objects(pool)]
    assert strictly(sandbox, *pools, storage_class, claim, *map(node_set, POOLS), dry=False) == ""
    yield sandbox
    helm(sandbox, "uninstall", SLURM.name, "-n", NAMESPACE)
    sandbox.kubectl("delete", "namespace", NAMESPACE, "--timeout=120s")
    for pool in SMALL:
        sandbox.kubectl("delete", "nodepool", pool.node_pool_name, "--cascade=foreground", "--timeout=60s")
        sandbox.kubectl("delete", "ec2nodeclass", pool.name, "--timeout=60s")
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


def nodes_of(sandbox: Sandbox, pool: NodePool) -> dict[str, dict[str, Any]]:
    selector = f"eks-training-platform/pool={pool.name}"
    return {node["metadata"]["name"]: node for node in sandbox.get("nodes", "-l", selector)["items"]}


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
        ({"nodeTemplate": {"instanceType": "p5.48xlarge"}}, 'unknown field "nodeTemplate"'),
        ({"updateStrategy": {"type": "ScheduledUpdate"}}, "startTime"),
    ],
    ids=["a mode that is none", "two lines of a partition", "an instance type", "a schedule without a time"],
)
def test_a_wrong_node_set_is_refused(slinky: Sandbox, changes: dict[str, Any], message: str) -> None:
    assert message in strictly(slinky, node_set(POOLS[0], **changes))


def test_replicas_are_scaled_by_hand_through_the_scale_subresource(slinky: Sandbox) -> None:
    slinky.kubectl("scale", "nodeset/slurm-worker-g6", "-n", NAMESPACE, "--replicas=2")
    assert slinky.get("nodeset", "slurm-worker-g6", "-n", NAMESPACE)["spec"]["replicas"] == 2


@pytest.mark.parametrize("pool", SMALL, ids=lambda pool: pool.name)
def test_slurm_nodes_land_one_each_on_nodes_of_their_pool_with_all_devices(slinky: Sandbox, pool: NodePool) -> None:
    count = 2
    eventually(lambda: len(nodes_of(slinky, pool)) == count, f"{count} nodes of {pool.name}")
    pods = [stamped(slinky, pool, ordinal) for ordinal in range(count + 1)]
    assert strictly(slinky, *pods, dry=False) == ""
    names = [pod["metadata"]["name"] for pod in pods]
    selector = f"app.kubernetes.io/instance={node_set_name(SPEC.name, pool.name)}"

    def placed() -> dict[str, str]:
        found = slinky.get("pods", "-n", NAMESPACE, "-l", selector)["items"]
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in found}

    eventually(lambda: sum(bool(node) for node in placed().values()) == count, f"{count} pods of {pool.name} placed")
    where = placed()
    assert sorted(node for node in where.values() if node) == sorted(nodes_of(slinky, pool))
    assert [name for name in names if not where[name]] != []
    limits = pods[0]["spec"]["containers"][0]["resources"]["limits"]
    for node in nodes_of(slinky, pool).values():
        offered = node["status"]["allocatable"]
        devices = {key: amount for key, amount in limits.items() if "/" in key}
        assert devices == {key: offered[key] for key in devices}
        assert pool.type_facts.name == node["metadata"]["labels"]["node.kubernetes.io/instance-type"]
    slinky.kubectl("delete", "pods", "-n", NAMESPACE, "-l", selector, "--wait=false")


def test_the_operators_objects_are_accepted_and_look_at_slurm_only(sandbox: Sandbox, tmp_path: Path) -> None:
    values = tmp_path / "values.json"
    values.write_text(json.dumps(slinky_values(replicas=2, images=None)))
    chart = str(SHARED / SLURM_OPERATOR.name)
    where = ("-n", "default", "--kube-version", "1.36.0")
    rendered = helm(sandbox, "template", SLURM_OPERATOR.name, chart, *where, "-f", str(values))
    made = [thing for thing in yaml.safe_load_all(rendered) if thing]
    certificates = [thing for thing in made if thing["apiVersion"].startswith("cert-manager.io/")]
    assert {thing["kind"] for thing in certificates} == {"Issuer", "Certificate"}
    hooks = [thing for thing in made if "helm.sh/hook" in thing["metadata"].get("annotations", {})]
    rest = [thing for thing in made if thing not in certificates and thing not in hooks]
    assert strictly(sandbox, *rest) == ""
    budgets = [thing["spec"] for thing in rest if thing["kind"] == "PodDisruptionBudget"]
    assert len(budgets) == 2
    webhooks = [
        webhook for thing in rest if thing["kind"].endswith("WebhookConfiguration") for webhook in thing["webhooks"]
    ]
    scopes = [webhook["namespaceSelector"]["matchExpressions"] for webhook in webhooks]
    only = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["slurm"]}
    assert scopes
    assert [scope for scope in scopes if only not in scope] == []
