"""Every admission rule before the real API server: good examples are accepted, bad ones refused with their message.

Server-side dry runs, so nothing is stored. An example of a bad object begins with `# refused: <part of the message>`.
The kinds of operators that the platform does not install are stubs without a schema of their own.
"""

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.catalog.labels import SYSTEM_NAMESPACE, WORKLOADS_LABEL
from components.platform.admission import CHART
from policies.constraints import admission_ids
from scripts.sandboxing.cluster.process_specs import POLICY_CHECKS
from scripts.verifying.bandwidth_job import default_image
from scripts.verifying.bandwidth_job import job as bandwidth_job
from tests.admission.support import Sandbox, eventually
from tests.examples import ADMISSION_BAD as BAD
from tests.examples import ADMISSION_GOOD as GOOD
from tests.examples import EXAMPLES, example_pools, label, promised
from tests.examples import POOLS as TABLE

pytestmark = pytest.mark.admission

FOLDER = CHART / "rules"
RULES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
ENFORCED = admission_ids()
KINDS = {
    "MPIJob": ("kubeflow.org", "v2beta1", "mpijobs"),
    "PyTorchJob": ("kubeflow.org", "v1", "pytorchjobs"),
    "TrainJob": ("trainer.kubeflow.org", "v1alpha1", "trainjobs"),
    "Job": ("batch.volcano.sh", "v1alpha1", "jobs"),
    "JobSet": ("jobset.x-k8s.io", "v1alpha2", "jobsets"),
    "RayCluster": ("ray.io", "v1", "rayclusters"),
    "RayJob": ("ray.io", "v1", "rayjobs"),
    "NodeSet": ("slinky.slurm.net", "v1beta1", "nodesets"),
    "Controller": ("slinky.slurm.net", "v1beta1", "controllers"),
    "LoginSet": ("slinky.slurm.net", "v1beta1", "loginsets"),
    "Application": ("argoproj.io", "v1alpha1", "applications"),
    # Kinds of older releases, which a cluster keeps as long as nobody deletes their definitions.
    "SlurmCluster": ("slinky.slurm.net", "v1alpha1", "slurmclusters"),
    "SlurmNodeSet": ("slinky.slurm.net", "v1alpha1", "slurmnodesets"),
    "SlurmPartition": ("slinky.slurm.net", "v1beta1", "slurmpartitions"),
}
OLD_VERSIONS = {
    "mpijobs.kubeflow.org": "v1",
    "nodesets.slinky.slurm.net": "v1alpha1",
    "controllers.slinky.slurm.net": "v1alpha1",
    "rayclusters.ray.io": "v1alpha1",
}
"""Versions that an older operator served: the rule, not the missing version, has to say what is wrong."""


def stub(kind: str, group: str, version: str, plural: str) -> dict[str, Any]:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    versions = [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions},
    }


def namespace(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def serve_also(sandbox: Sandbox, definition: str, version: str) -> None:
    found = sandbox.get("customresourcedefinition", definition)["spec"]["versions"]
    if version in {each["name"] for each in found}:
        return
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    added = {"name": version, "served": True, "storage": False, "schema": {"openAPIV3Schema": anything}}
    patch = [{"op": "add", "path": "/spec/versions/-", "value": added}]
    sandbox.kubectl("patch", "customresourcedefinition", definition, "--type=json", "-p", json.dumps(patch))
    kind, group = definition.split(".", 1)
    eventually(
        lambda: f'"{version}"' in sandbox.run("kubectl", "get", "--raw", f"/apis/{group}").stdout,
        f"{kind} {version} is served",
    )


def verdicts(sandbox: Sandbox, paths: list[Path]) -> Mapping[Path, str]:
    """What the API server says of each file; an empty text where it accepts. One call: kubectl starts slowly."""
    arguments = ["create", "--dry-run=server", "--validate=strict"]
    for path in paths:
        arguments += ["-f", str(path)]
    done = sandbox.run("kubectl", *arguments)
    # Advice about one file cannot be told from advice about another: that is asked for one by one.
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("Warning: ")]
    found = {path: next((line for line in lines if f'"{path}"' in line), "") for path in paths}
    strange = [line for line in lines if line not in found.values()]
    assert strange == [], f"kubectl says something else: {strange}"
    accepted = [path for path, said in found.items() if not said]
    objects = sum(1 for path in accepted for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each)
    assert done.stdout.count("(server dry run)") >= objects
    return found


@pytest.fixture(scope="module")
def installed(sandbox: Sandbox, definitions: frozenset[str]) -> Iterator[Sandbox]:
    """The shared cluster with every rule in force, and a namespace for training beside one that is not."""
    stubs = [stub(kind, *names) for kind, names in KINDS.items()]
    sandbox.store_definitions(thing for thing in stubs if thing["metadata"]["name"] not in definitions)
    for definition, version in OLD_VERSIONS.items():
        serve_also(sandbox, definition, version)
    sandbox.apply(namespace("training", **{WORKLOADS_LABEL: "true"}), namespace("elsewhere"))
    values = {"namespaceLabels": {WORKLOADS_LABEL: "true"}, "pools": TABLE, "elsewhere": True}
    where = ("--namespace", SYSTEM_NAMESPACE, "--values", "-")
    done = sandbox.run("helm", "install", CHART.name, str(CHART), *where, stdin=json.dumps(values))
    assert done.returncode == 0, done.stderr

    # The API server learns of rules a moment after they are stored; each is in force once it refuses something.
    def all_in_force() -> bool:
        said = "\n".join(verdicts(sandbox, DENIED).values())
        return all(f"ValidatingAdmissionPolicy '{rule}'" in said for rule in RULES if not rule.endswith("-advice"))

    eventually(all_in_force, "every rule refuses an example", seconds=60)
    yield sandbox
    assert sandbox.run("helm", "uninstall", CHART.name, "--namespace", SYSTEM_NAMESPACE).returncode == 0
    sandbox.kubectl("delete", "namespace", "training", "elsewhere", "--wait=false")


ADVICE = {path for path in BAD if all(rule.endswith("-advice") for rule in ENFORCED[path.parent.name])}
DENIED = [path for path in BAD if path not in ADVICE]


@pytest.fixture(scope="module")
def judged(installed: Sandbox) -> Mapping[Path, str]:
    return {**verdicts(installed, GOOD), **verdicts(installed, DENIED), **advice(installed, ADVICE)}


def advice(sandbox: Sandbox, paths: Iterable[Path]) -> Mapping[Path, str]:
    """What the API server warns of in each file that it accepts."""
    found = {}
    for path in paths:
        done = sandbox.run("kubectl", "create", "--dry-run=server", "--validate=strict", "-f", str(path))
        assert done.returncode == 0, done.stderr
        found[path] = done.stderr
    return found


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.startswith("workloads-")])
def test_rules_about_workloads_begin_with_the_standard_block(rule: str) -> None:
    standard = yaml.safe_load((CHART / "standard" / "workloads.yaml").read_text(encoding="utf-8"))
    spec = next(iter(yaml.safe_load_all((FOLDER / f"{rule}.yaml").read_text(encoding="utf-8"))))["spec"]
    assert spec["variables"][: len(standard["variables"])] == standard["variables"]
    assert {key: spec[key] for key in standard if key != "variables"} == {
        key: standard[key] for key in standard if key != "variables"
    }


@pytest.mark.parametrize("constraint", sorted(ENFORCED))
def test_a_constraint_has_a_good_and_a_bad_example(constraint: str) -> None:
    for examples in (GOOD, BAD):
        assert constraint in {path.parent.name for path in examples}, f"{constraint} has no such example"


@pytest.mark.parametrize("path", GOOD, ids=label)
def test_a_good_example_is_accepted(judged: Mapping[Path, str], path: Path) -> None:
    assert judged[path] == ""


@pytest.mark.parametrize("path", BAD, ids=label)
def test_a_bad_example_is_refused_with_its_message_and_two_ways_out(judged: Mapping[Path, str], path: Path) -> None:
    said = judged[path]
    verb = "Validation failed for" if path in ADVICE else "denied request"
    assert any(f"'{rule}' with binding '{rule}'" in said for rule in ENFORCED[path.parent.name])
    assert verb in said
    assert promised(path, "refused") in said
    assert ", or " in said
    assert f"[{path.parent.name}]" in said, "the message names its constraint"


def binding_of(rule: str) -> dict[str, Any]:
    *_, binding = yaml.safe_load_all((FOLDER / f"{rule}.yaml").read_text(encoding="utf-8"))
    return dict(binding)


def test_elsewhere_rules_of_namespaces_let_in_and_warn(installed: Sandbox, tmp_path: Path) -> None:
    bindings = {rule: binding_of(rule)["spec"] for rule in RULES}
    everywhere = {rule for rule, spec in bindings.items() if "matchResources" not in spec}
    bound = [path for path in BAD if not everywhere.intersection(ENFORCED[path.parent.name])]
    moved = [path for path in bound if "namespace: training" in path.read_text(encoding="utf-8")]
    copies = [tmp_path / f"{path.parent.name}.{path.name}" for path in moved]
    for path, copy in zip(moved, copies, strict=True):
        copy.write_text(path.read_text(encoding="utf-8").replace("namespace: training", "namespace: elsewhere"))
    assert len(copies) > 20
    assert set(verdicts(installed, copies).values()) == {""}
    warned = [path for path in copies if path.name.startswith(("efa-no-blind-nccl-overrides.", "job-no-podip-"))]
    assert len(warned) > 2
    for path, said in advice(installed, warned).items():
        if promised(path, "refused"):
            assert promised(path, "refused") in said
            assert "-elsewhere'" in said


@pytest.fixture
def type_checks(installed: Sandbox) -> Iterator[None]:
    """The controller that checks expressions, which the sandbox does without."""
    manager = subprocess.Popen(
        [
            installed.binaries.kube_controller_manager,
            f"--kubeconfig={installed.cluster.kubeconfig}",
            f"--controllers={POLICY_CHECKS}",
            "--leader-elect=false",
            "--secure-port=0",
        ],
        stderr=subprocess.DEVNULL,
    )
    yield
    manager.kill()
    manager.wait()


@pytest.mark.usefixtures("type_checks")
def test_the_api_server_finds_no_mistake_in_the_expressions(installed: Sandbox) -> None:
    def checked() -> bool:
        return all("observedGeneration" in policy.get("status", {}) for policy in policies())

    def policies() -> list[dict[str, Any]]:
        found = installed.get("validatingadmissionpolicies")["items"]
        return [policy for policy in found if policy["metadata"]["name"] in RULES]

    eventually(checked, "the controller has checked every expression", seconds=120)
    warnings = {
        p["metadata"]["name"]: p["status"].get("typeChecking", {}).get("expressionWarnings") for p in policies()
    }
    assert {name: found for name, found in warnings.items() if found} == {}


BOUND = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "bound", "namespace": "training"},
    "spec": {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "lustre-made",
        "resources": {"requests": {"storage": "1Gi"}},
    },
}


def test_a_dynamic_claim_can_still_bind(installed: Sandbox) -> None:
    installed.apply(BOUND)
    bound = {"spec": {"volumeName": "pvc-0123"}}
    try:
        # Kubernetes writes the volume beside the class when a claim binds.
        installed.kubectl("patch", "pvc", "bound", "-n", "training", "--type=merge", "-p", json.dumps(bound))
    finally:
        installed.kubectl("delete", "pvc", "bound", "-n", "training", "--wait=false")


def test_what_stood_before_a_rule_can_still_be_annotated_and_deleted(installed: Sandbox) -> None:
    name = "ckpt-no-imaginary-manager"
    job = yaml.safe_load((EXAMPLES / name / "bad-job.yaml").read_text(encoding="utf-8"))
    binding = binding_of(name)
    job["spec"]["suspend"] = True
    job["metadata"]["name"] = "stood-before"
    installed.kubectl("delete", "validatingadmissionpolicybinding", name)
    try:
        create = ("create", "-f", "-")
        eventually(
            lambda: installed.run("kubectl", *create, stdin=json.dumps(job)).returncode == 0,
            "the rule is no longer there",
        )
    finally:
        installed.apply(binding)
    probe = ("create", "--dry-run=server", "-f", str(EXAMPLES / name / "bad-pod.yaml"))
    eventually(lambda: "denied request" in installed.run("kubectl", *probe).stderr, "the rule is in force again")
    installed.kubectl("annotate", "job", "stood-before", "-n", "training", "seen=true")
    changed = installed.run(
        "kubectl", "patch", "job", "stood-before", "-n", "training", "-p", '{"spec":{"suspend":false}}'
    )
    assert "no such program exists" in changed.stderr
    installed.kubectl("delete", "job", "stood-before", "-n", "training", "--timeout=30s")


@pytest.mark.parametrize("pool", ["p5", "p4d", "trn1", "g5"])
def test_the_job_that_verify_measures_with_breaks_no_rule(installed: Sandbox, pool: str) -> None:
    [found] = [each for each in example_pools() if each.name == pool]
    made = bandwidth_job(found, default_image(found, None) or "registry.example.com/nccom-test:1.0.0")
    made["metadata"]["namespace"] = "training"
    assert installed.verdict([made], "--dry-run=server") == ""
