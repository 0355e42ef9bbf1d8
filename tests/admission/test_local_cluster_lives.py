"""The local Kubernetes for real: workloads become ready, and every wait ends."""

import copy
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.admission.support import Sandbox, eventually, system_group

pytestmark = pytest.mark.admission

POD = {"terminationGracePeriodSeconds": 30, "containers": [{"name": "main", "image": "nowhere.invalid/image:1"}]}
NODE_CLASS = {
    "apiVersion": "karpenter.k8s.aws/v1",
    "kind": "EC2NodeClass",
    "metadata": {"name": "whole"},
    "spec": {
        "role": "nodes",
        "amiSelectorTerms": [{"alias": "al2023@v20261023"}],
        "subnetSelectorTerms": [{"id": "subnet-1"}],
        "securityGroupSelectorTerms": [{"id": "sg-1"}],
        "networkInterfaces": [
            {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
            *({"networkCardIndex": card, "deviceIndex": 1, "interfaceType": "efa-only"} for card in range(32)),
        ],
    },
}
POOL = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "whole"},
    "spec": {
        "limits": {"nvidia.com/gpu": "16"},
        "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "1h"},
        "template": {
            "metadata": {"labels": {"eks-training-platform/pool": "whole"}},
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "whole"},
                "expireAfter": "Never",
                "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2b"]},
                ],
            },
        },
    },
}


def of(api: str, kind: str, namespace: str | None, name: str, **parts: Any) -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **parts}


def workload(name: str, **pod: Any) -> dict[str, Any]:
    labels = {"app": name}
    return {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": POD | pod}}


def claim(namespace: str, name: str, storage_class: str, mode: str = "ReadWriteOnce") -> dict[str, Any]:
    spec = {
        "storageClassName": storage_class,
        "accessModes": [mode],
        "resources": {"requests": {"storage": "5Gi"}},
    }
    return of("v1", "PersistentVolumeClaim", namespace, name, spec=spec)


@pytest.fixture
def namespace(sandbox: Sandbox) -> Iterator[str]:
    """A namespace of the test's own; its removal is asked for but not awaited, which takes seconds each time."""
    name = f"t-{time.monotonic_ns()}"
    sandbox.kubectl("create", "namespace", name)
    yield name
    sandbox.kubectl("delete", "namespace", name, "--wait=false")


def wait(sandbox: Sandbox, namespace: str, what: str, condition: str) -> None:
    sandbox.kubectl("wait", "-n", namespace, what, f"--for={condition}", "--timeout=60s")


def test_a_deployment_a_job_and_a_daemonset_become_ready(sandbox: Sandbox, namespace: str) -> None:
    sandbox.apply(
        of("apps/v1", "Deployment", namespace, "web", spec=workload("web") | {"replicas": 3}),
        of("apps/v1", "DaemonSet", namespace, "agent", spec=workload("agent", tolerations=[{"operator": "Exists"}])),
        of("batch/v1", "Job", namespace, "once", spec={"template": {"spec": POD | {"restartPolicy": "Never"}}}),
    )
    wait(sandbox, namespace, "deployment/web", "condition=Available")
    wait(sandbox, namespace, "job/once", "condition=Complete")
    sandbox.kubectl("rollout", "status", "-n", namespace, "daemonset/agent", "--timeout=60s")
    agents = sandbox.get("daemonset", "agent", "-n", namespace)["status"]
    assert agents["numberReady"] == len(sandbox.get("nodes")["items"])


def test_claims_are_bound_and_their_volumes_go_with_them(sandbox: Sandbox, namespace: str) -> None:
    driver = {"provisioner": "ebs.csi.aws.com"}
    sandbox.apply(
        of("storage.k8s.io/v1", "StorageClass", None, "now", volumeBindingMode="Immediate", **driver),
        of("storage.k8s.io/v1", "StorageClass", None, "later", volumeBindingMode="WaitForFirstConsumer", **driver),
        claim(namespace, "now", "now"),
        claim(namespace, "later", "later"),
        claim(namespace, "nowhere", "no-such-class"),
    )
    wait(sandbox, namespace, "pvc/now", "jsonpath={.status.phase}=Bound")
    # A claim that waits for its consumer stays pending without one, as on EKS.
    assert sandbox.get("pvc", "later", "-n", namespace)["status"]["phase"] == "Pending"
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "later"}}]
    sandbox.apply(of("v1", "Pod", namespace, "consumer", spec=POD | {"volumes": volumes}))
    wait(sandbox, namespace, "pod/consumer", "condition=Ready")
    assert sandbox.get("pvc", "later", "-n", namespace)["status"]["phase"] == "Bound"
    assert sandbox.get("pvc", "nowhere", "-n", namespace)["status"]["phase"] == "Pending"
    sandbox.kubectl("delete", "-n", namespace, "pod/consumer", "pvc/now", "pvc/later", "--timeout=60s")

    def volumes_left() -> list[str]:
        claims = [item["spec"]["claimRef"] for item in sandbox.get("pv")["items"]]
        return [reference["name"] for reference in claims if reference["namespace"] == namespace]

    eventually(lambda: not volumes_left(), "no volume is left")


def test_a_load_balancer_gets_an_address(sandbox: Sandbox, namespace: str) -> None:
    sandbox.apply(of("v1", "Service", namespace, "web", spec={"type": "LoadBalancer", "ports": [{"port": 80}]}))
    wait(sandbox, namespace, "service/web", "jsonpath={.status.loadBalancer.ingress[0].hostname}")
    service = sandbox.get("service", "web", "-n", namespace)
    assert service["status"]["loadBalancer"]["ingress"] == [{"hostname": f"web.{namespace}.elb.sandbox.invalid"}]


def test_a_namespace_full_of_things_is_gone_within_a_minute(sandbox: Sandbox, namespace: str) -> None:
    doomed = f"{namespace}-doomed"
    pod = POD | {"restartPolicy": "Never"}
    sandbox.kubectl("create", "namespace", doomed)
    sandbox.apply(
        of("storage.k8s.io/v1", "StorageClass", None, "doomed", provisioner="ebs.csi.aws.com"),
        claim(doomed, "data", "doomed"),
        of("apps/v1", "StatefulSet", doomed, "db", spec=workload("db") | {"serviceName": "db"}),
        of("batch/v1", "Job", doomed, "once", spec={"template": {"spec": pod}}),
        of("v1", "Service", doomed, "web", spec={"type": "LoadBalancer", "ports": [{"port": 80}]}),
    )
    wait(sandbox, doomed, "pvc/data", "jsonpath={.status.phase}=Bound")
    wait(sandbox, doomed, "job/once", "condition=Complete")
    sandbox.kubectl("delete", "namespace", doomed, "--timeout=60s")


def test_service_accounts_get_tokens_that_rbac_judges(sandbox: Sandbox, namespace: str) -> None:
    token = sandbox.kubectl("create", "token", "default", "-n", namespace).strip()
    denied = sandbox.run("kubectl", f"--token={token}", "get", "secrets", "-n", namespace)
    assert denied.returncode != 0
    # The administrator's token is in the kubeconfig and wins over --token, so the refusal proves whose token was used.
    assert f"system:serviceaccount:{namespace}:default" in denied.stderr


def test_a_helm_release_with_hooks_and_waits_installs_tests_and_uninstalls(
    sandbox: Sandbox, namespace: str, tmp_path: Path
) -> None:
    templates = tmp_path / "probe" / "templates"
    templates.mkdir(parents=True)
    (templates.parent / "Chart.yaml").write_text("apiVersion: v2\nname: probe\nversion: 1.0.0\n")
    container = 'containers: [{name: main, image: "nowhere.invalid/image:1"}]'
    (templates / "hook.yaml").write_text(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: before\n"
        '  annotations: {"helm.sh/hook": "pre-install,pre-delete"}\n'
        f"spec:\n  template:\n    spec: {{restartPolicy: Never, {container}}}\n"
    )
    (templates / "test.yaml").write_text(
        'apiVersion: v1\nkind: Pod\nmetadata:\n  name: check\n  annotations: {"helm.sh/hook": test}\n'
        f"spec: {{restartPolicy: Never, {container}}}\n"
    )
    (templates / "web.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n"
        f"  template:\n    metadata: {{labels: {{app: web}}}}\n    spec: {{{container}}}\n"
    )
    for arguments in (
        ("install", "probe", str(templates.parent), "--wait", "--wait-for-jobs", "--timeout=60s"),
        ("test", "probe", "--timeout=60s"),
        ("uninstall", "probe", "--wait", "--timeout=60s"),
    ):
        done = sandbox.run("helm", *arguments, "-n", namespace)
        assert done.returncode == 0, f"helm {arguments[0]}: {done.stdout}{done.stderr}"


def test_a_validating_policy_refuses_with_its_own_message(sandbox: Sandbox, namespace: str) -> None:
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]
    name = f"no-secrets-here-{namespace}"
    sandbox.apply(
        of(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
            None,
            name,
            spec={
                "matchConstraints": {"resourceRules": rules},
                "validations": [{"expression": "!('password' in object.data)", "message": "keep passwords elsewhere"}],
            },
        ),
        of(
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicyBinding",
            None,
            name,
            spec={
                "policyName": name,
                "validationActions": ["Deny"],
                "matchResources": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}},
            },
        ),
    )

    def refused() -> bool:
        create = ("create", "configmap", "probe", "--from-literal=password=x", "-n", namespace, "--dry-run=server")
        return "keep passwords elsewhere" in sandbox.run("kubectl", *create).stderr

    eventually(refused, "the policy is in force")
    sandbox.kubectl("create", "configmap", "probe", "--from-literal=name=x", "-n", namespace)


def nodes_of(sandbox: Sandbox, selector: str) -> dict[str, dict[str, Any]]:
    return {node["metadata"]["name"]: node for node in sandbox.get("nodes", "-l", selector)["items"]}


def test_a_node_group_scales_with_its_record(sandbox: Sandbox) -> None:
    role = "eks-training-platform/role=system"
    eventually(lambda: set(nodes_of(sandbox, role)) == {"system-0", "system-1", "system-2"}, "three nodes")
    sandbox.record("eks-nodeGroup", "system", system_group(4))
    try:
        eventually(lambda: len(nodes_of(sandbox, role)) == 4, "a fourth node")
    finally:
        sandbox.record("eks-nodeGroup", "system", system_group(3))
    eventually(lambda: len(nodes_of(sandbox, role)) == 3, "the fourth node is gone")
    sandbox.kubectl("wait", "node", "-l", role, "--for=condition=Ready", "--timeout=30s")
    zones = {node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes_of(sandbox, role).values()}
    assert zones == {"us-west-2a", "us-west-2b", "us-west-2c"}


def taints_of(sandbox: Sandbox, selector: str) -> set[str]:
    return {taint["key"] for node in nodes_of(sandbox, selector).values() for taint in node["spec"].get("taints", [])}


def test_nodes_of_a_pool_take_pods_once_the_drivers_that_they_wait_for_are_installed(
    sandbox: Sandbox, namespace: str
) -> None:
    pool = copy.deepcopy(POOL)
    pool["metadata"]["name"] = pool["spec"]["template"]["spec"]["nodeClassRef"]["name"] = "waits"
    keys = ["ebs.csi.aws.com/agent-not-ready", "fsx.csi.aws.com/agent-not-ready"]
    pool["spec"]["template"]["spec"]["startupTaints"] = [{"key": key, "effect": "NoExecute"} for key in keys]
    selector = "karpenter.sh/nodepool=waits"
    initialized = f"{selector},karpenter.sh/initialized=true"
    try:
        sandbox.apply({**NODE_CLASS, "metadata": {"name": "waits"}}, pool)
        eventually(lambda: len(nodes_of(sandbox, selector)) == 2, "two nodes")
        sandbox.kubectl("wait", "node", "-l", selector, "--for=condition=Ready", "--timeout=30s")
        eventually(
            lambda: taints_of(sandbox, selector) == {"nvidia.com/gpu", keys[1]}, "EBS is lifted, since it is installed"
        )
        spec = POD | {
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
            "nodeSelector": {"karpenter.sh/nodepool": "waits"},
        }
        sandbox.apply(of("v1", "Pod", namespace, "train", spec=spec))
        wait(sandbox, namespace, "pod/train", "condition=PodScheduled=false")
        [condition] = sandbox.get("pod", "train", "-n", namespace)["status"]["conditions"]
        assert "untolerated taint" in condition["message"]
        assert nodes_of(sandbox, initialized) == {}
        log = (sandbox.cluster.kubeconfig.parent / "logs" / "companion.log").read_text()
        assert f"startup taint {keys[1]} stays: its add-on aws-fsx-csi-driver is not in the account" in log
        sandbox.record("eks-addon", "fsx", {"id": "train:fsx", "inputs": {"addonName": "aws-fsx-csi-driver"}})
        wait(sandbox, namespace, "pod/train", "condition=Ready")
        eventually(lambda: len(nodes_of(sandbox, initialized)) == 2, "both nodes are initialized")
        assert taints_of(sandbox, selector) == {"nvidia.com/gpu"}
    finally:
        sandbox.kubectl("delete", "nodepool", "waits", "--cascade=foreground", "--timeout=60s")
        sandbox.kubectl("delete", "ec2nodeclass", "waits", "--timeout=60s")
        eventually(lambda: not nodes_of(sandbox, selector), "the pool's nodes are gone")
        if (sandbox.account / "eks-addon" / "fsx.json").exists():
            sandbox.record("eks-addon", "fsx", None)
    assert taints_of(sandbox, "eks-training-platform/role=system") == set(), "system nodes wait for nothing"


def test_a_claim_of_lustre_gets_its_volume_once_the_driver_is_installed(sandbox: Sandbox, namespace: str) -> None:
    sandbox.apply(
        of("storage.k8s.io/v1", "StorageClass", None, f"lustre-{namespace}", provisioner="fsx.csi.aws.com"),
        claim(namespace, "scratch", f"lustre-{namespace}", mode="ReadWriteMany"),
    )
    log = sandbox.cluster.kubeconfig.parent / "logs" / "companion.log"
    line = f"claim {namespace}/scratch gets no volume: fsx.csi.aws.com is not installed"
    eventually(lambda: line in log.read_text(), "the log says why the claim waits")
    assert sandbox.get("pvc", "scratch", "-n", namespace)["status"]["phase"] == "Pending"
    sandbox.record("eks-addon", "fsx", {"id": "train:fsx", "inputs": {"addonName": "aws-fsx-csi-driver"}})
    try:
        wait(sandbox, namespace, "pvc/scratch", "jsonpath={.status.phase}=Bound")
    finally:
        sandbox.record("eks-addon", "fsx", None)
    bound = sandbox.get("pvc", "scratch", "-n", namespace)
    assert bound["status"]["accessModes"] == ["ReadWriteMany"]
    assert "nodeAffinity" not in sandbox.get("pv", bound["spec"]["volumeName"])["spec"]


def test_a_node_pool_gets_nodes_on_which_a_full_node_job_runs_and_takes_them_along(
    sandbox: Sandbox, namespace: str
) -> None:
    sandbox.apply(NODE_CLASS, POOL)
    selector = "karpenter.sh/nodepool=whole"
    eventually(lambda: len(nodes_of(sandbox, selector)) == 2, "two p5 nodes")
    sandbox.kubectl("wait", "nodepool/whole", "ec2nodeclass/whole", "--for=condition=Ready", "--timeout=30s")
    whole_node = {"limits": {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}}
    pod = {
        "restartPolicy": "Never",
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
        "nodeSelector": {"karpenter.sh/nodepool": "whole"},
        "containers": [{"name": "main", "image": "nowhere.invalid/image:1", "resources": whole_node}],
    }
    job = {"completions": 2, "parallelism": 2, "template": {"spec": pod}}
    sandbox.apply(of("batch/v1", "Job", namespace, "train", spec=job))
    wait(sandbox, namespace, "job/train", "condition=Complete")
    ran_on = {item["spec"]["nodeName"] for item in sandbox.get("pods", "-n", namespace)["items"]}
    assert ran_on == set(nodes_of(sandbox, selector)) == {"karpenter-whole-0", "karpenter-whole-1"}
    # Foreground, as the stack deletes pools; the class last, as its pools refer to it.
    sandbox.kubectl("delete", "nodepool", "whole", "--cascade=foreground", "--timeout=60s")
    sandbox.kubectl("delete", "ec2nodeclass", "whole", "--timeout=60s")
    eventually(lambda: not nodes_of(sandbox, selector), "the pool's nodes are gone")
