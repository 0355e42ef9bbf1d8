"""What the sandbox writes, and what it keeps out: copies of the configuration, charts, locks, the environment."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.catalog.pins import KARPENTER, KARPENTER_CRDS, VOLCANO
from scripts.sandboxing import charts, engine, leftovers, project, stand_in
from scripts.sandboxing.state import SandboxError, State, environments, exclusive, state_of

pytestmark = pytest.mark.scripts


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    monkeypatch.setenv("EKS_SANDBOX_HOME", str(tmp_path))
    return state_of("sandbox")


# the copy of the configuration

ENCRYPTED: dict[str, Any] = {
    "secretsprovider": "awskms://alias/pulumi?region=us-west-2",
    "encryptedkey": "AQID",
    "encryptionsalt": "v1:salt",
    "config": {
        "aws:region": "us-west-2",
        "eks-training-platform:token": {"secure": "AAABBB"},
        project.ENVIRONMENT_KEY: {
            "owner": "ml-platform",
            "artifacts": {"charts": "oci://registry.example/charts", "images": "registry.example"},
            "list": [{"secure": "CCC"}],
        },
    },
}


def test_the_copy_names_no_secrets_provider_and_holds_no_ciphertext() -> None:
    copy = project.sandboxed(ENCRYPTED, charts="/charts")
    assert set(copy) == {"config"}
    assert copy["config"]["eks-training-platform:token"] == "sandbox-throw-away"
    assert copy["config"][project.ENVIRONMENT_KEY]["list"] == ["sandbox-throw-away"]
    assert "AAABBB" not in json.dumps(copy)


def test_the_copy_takes_charts_from_the_folder_and_leaves_the_rest_alone() -> None:
    environment = project.sandboxed(ENCRYPTED, charts="/charts")["config"][project.ENVIRONMENT_KEY]
    assert environment["artifacts"] == {"charts": "/charts", "images": "registry.example"}
    assert environment["owner"] == "ml-platform"


def test_an_environment_without_artifacts_gets_them() -> None:
    copy = project.sandboxed({"config": {project.ENVIRONMENT_KEY: {"owner": "me"}}}, charts="/charts")
    assert copy["config"][project.ENVIRONMENT_KEY] == {"owner": "me", "artifacts": {"charts": "/charts"}}


def test_a_second_copy_keeps_the_salt_of_the_first(state: State) -> None:
    project.write_copies(state)
    content = yaml.safe_load(state.config_file.read_text())
    assert "encryptionsalt" not in content
    state.config_file.write_text(yaml.safe_dump(content | {"encryptionsalt": "v1:abc"}))
    project.write_copies(state)
    assert yaml.safe_load(state.config_file.read_text())["encryptionsalt"] == "v1:abc"


def test_the_copy_of_the_project_names_no_folder_for_stack_files(state: State) -> None:
    project.write_copies(state)
    assert "stackConfigDir" not in yaml.safe_load((state.project / "Pulumi.yaml").read_text())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("config:\n  a: [", r"Pulumi\.broken\.yaml is not valid YAML \(line"),
        ("", r"Pulumi\.broken\.yaml has no `config:` mapping"),
        ("config: 3", r"Pulumi\.broken\.yaml has no `config:` mapping"),
    ],
)
def test_a_stack_file_that_cannot_be_read_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.broken.yaml").write_text(text)
    monkeypatch.setattr(project, "ROOT", tmp_path)
    with pytest.raises(SandboxError, match=says):
        project.stack_config("broken")


# environments and locks


def test_an_unknown_environment_is_refused_with_those_that_exist() -> None:
    with pytest.raises(SandboxError, match=r"no environment 'production': stacks/ has .*sandbox") as error:
        state_of("production")
    assert "add stacks/Pulumi.production.yaml" in str(error.value)


def test_the_sandbox_and_dev_environments_exist() -> None:
    assert {"sandbox", "dev"} <= set(environments())


def test_a_second_command_on_the_same_sandbox_is_refused(state: State) -> None:
    says = r"Another \./scripts/sandbox command is at work on 'sandbox'"
    with exclusive(state), pytest.raises(SandboxError, match=says), exclusive(state):
        pass


def test_two_environments_do_not_wait_for_each_other(state: State) -> None:
    with exclusive(state), exclusive(state_of("dev")):
        pass


def lock(state: State, pid: int) -> Path:
    path = state.backend / ".pulumi" / "locks" / "organization" / "eks-training-platform" / "sandbox" / "1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"pid": pid, "username": "me", "hostname": "here"}))
    return path


def test_the_lock_of_a_killed_pulumi_is_removed(state: State) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    path = lock(state, gone.pid)
    said: list[str] = []
    leftovers.clear(state, said.append)
    assert not path.exists()
    assert said == ["pulumi  removing the lock of an earlier run that was killed"]


def test_a_lock_whose_number_another_program_has_now_is_removed(state: State) -> None:
    path = lock(state, os.getppid())
    leftovers.clear(state, print)
    assert not path.exists()


def test_the_lock_of_a_pulumi_that_works_is_respected(state: State, tmp_path: Path) -> None:
    program = tmp_path / "pulumi"
    program.write_text("#!/bin/sh\nsleep 60 & wait\n")
    program.chmod(0o755)
    working = subprocess.Popen([str(program)], start_new_session=True)
    try:
        while not Path(f"/proc/{working.pid}/cmdline").read_bytes():
            time.sleep(0.01)  # the kernel shows the command line a moment after the program has started
        path = lock(state, working.pid)
        with pytest.raises(
            SandboxError, match=rf"process {working.pid}\) still works on 'sandbox'.*kill {working.pid}"
        ):
            leftovers.clear(state, print)
        assert path.exists()
    finally:
        os.killpg(working.pid, 9)
        working.wait()


# the environment of child processes

USERS: Mapping[str, str] = {
    "HOME": "/home/me",
    "PATH": "/usr/bin",
    "AWS_PROFILE": "prod",
    "AWS_ACCESS_KEY_ID": "not-a-key",
    "AWS_SESSION_TOKEN": "not-a-token",
    "AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/x",
    "PULUMI_ACCESS_TOKEN": "not-a-token",
    "PULUMI_BACKEND_URL": "s3://company-state",
    "PULUMI_STACK": "prod",
    "KUBECONFIG": "/home/me/.kube/config",
    "HELM_KUBECONTEXT": "prod",
    "PYTHONPATH": "/elsewhere",
}


def test_nothing_of_the_users_accounts_reaches_the_sandbox(state: State) -> None:
    environment = engine.child_environment(state, USERS)
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "AWS_ROLE_ARN", "PULUMI_ACCESS_TOKEN"):
        assert name not in environment
    for name in ("PULUMI_STACK", "HELM_KUBECONTEXT", "PYTHONPATH"):
        assert name not in environment
    assert environment["PULUMI_BACKEND_URL"] == f"file://{state.backend}?metadata=skip", "no second file to tear"
    assert environment["KUBECONFIG"] == str(state.kubeconfig)
    assert environment["AWS_EC2_METADATA_DISABLED"] == "true"
    assert environment["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull
    assert environment["HOME"] == "/home/me"


def test_the_sandboxes_own_tools_come_first_on_path(state: State) -> None:
    path = engine.child_environment(state, USERS)["PATH"].split(os.pathsep)
    assert path[0] == str(state.bin)
    assert path[-1] == "/usr/bin"


# charts


def chart_folder(folder: Path, name: str, version: str) -> Path:
    (folder / name / "templates").mkdir(parents=True)
    (folder / name / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: {version}\n")
    (folder / name / "templates" / "a.yaml").write_text("a: 1\n")
    return folder


@pytest.fixture
def no_registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No ../shared, and a registry that answers nothing."""
    monkeypatch.setattr(charts, "SHARED", tmp_path / "absent")
    monkeypatch.setattr(charts, "_pull", lambda *_: False)
    monkeypatch.setattr(charts, "CHARTS", {VOLCANO.name: VOLCANO})


@pytest.mark.usefixtures("no_registry")
def test_a_chart_of_another_version_gets_the_pin_and_is_reported(state: State, tmp_path: Path) -> None:
    mirror = chart_folder(tmp_path / "mirror", "volcano", "1.14.0")
    said: list[str] = []
    [found] = charts.prepare(state, str(mirror), said.append)
    assert yaml.safe_load((state.charts / "volcano" / "Chart.yaml").read_text())["version"] == VOLCANO.version
    assert yaml.safe_load((mirror / "volcano" / "Chart.yaml").read_text())["version"] == "1.14.0", "never the original"
    assert f"contents 1.14.0, pin {VOLCANO.version}" in found.line
    assert found.line in said[0]


@pytest.mark.usefixtures("no_registry")
def test_a_chart_of_the_pinned_version_is_not_reported_as_different(state: State, tmp_path: Path) -> None:
    mirror = chart_folder(tmp_path / "mirror", "volcano", VOLCANO.version)
    [found] = charts.prepare(state, str(mirror), print)
    assert "contents" not in found.line


@pytest.mark.usefixtures("no_registry")
def test_the_mirror_comes_before_the_shared_folder(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charts, "SHARED", chart_folder(tmp_path / "shared", "volcano", "1.0.0"))
    mirror = chart_folder(tmp_path / "mirror", "volcano", "2.0.0")
    [found] = charts.prepare(state, str(mirror), print)
    assert found.contents == "2.0.0"


@pytest.mark.usefixtures("no_registry")
def test_the_shared_folder_comes_before_the_registry_and_may_be_read_only(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = chart_folder(tmp_path / "shared", "volcano", VOLCANO.version)
    for path in shared.rglob("*"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    monkeypatch.setattr(charts, "SHARED", shared)
    [found] = charts.prepare(state, None, print)
    assert found.source == "../shared/charts"
    assert os.access(state.charts / "volcano" / "Chart.yaml", os.W_OK)


@pytest.mark.usefixtures("no_registry")
def test_without_any_source_a_labelled_stand_in_takes_its_place(state: State) -> None:
    [found] = charts.prepare(state, None, print)
    assert found.line.startswith(f"volcano {VOLCANO.version}: STAND-IN, its contents are not tested")
    workload = yaml.safe_load((state.charts / "volcano" / "templates" / "workload.yaml").read_text())
    assert workload["metadata"]["labels"][stand_in.LABEL] == "true"
    assert workload["spec"]["template"]["metadata"]["labels"][stand_in.LABEL] == "true"


@pytest.mark.usefixtures("no_registry")
def test_karpenters_controller_is_a_stand_in_though_its_definitions_are_real(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charts, "CHARTS", {KARPENTER.name: KARPENTER})
    [found] = charts.prepare(state, None, print)
    assert "STAND-IN" in found.line
    assert yaml.safe_load((state.charts / "karpenter" / "Chart.yaml").read_text())["version"] == KARPENTER.version
    workload = yaml.safe_load((state.charts / "karpenter" / "templates" / "workload.yaml").read_text())
    assert workload["metadata"]["name"] == "karpenter"


@pytest.mark.usefixtures("no_registry")
def test_karpenters_crds_come_from_its_library_when_no_chart_is_at_hand(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "karpenter-crds"
    program.write_text('#!/bin/sh\necho "kind: CustomResourceDefinition" > "$1/nodepools.yaml"\n')
    program.chmod(0o755)
    monkeypatch.setattr(charts, "CHARTS", {KARPENTER_CRDS.name: KARPENTER_CRDS})
    monkeypatch.setattr(charts.engine_build, "karpenter_crds", lambda _: program)
    [found] = charts.prepare(state, None, print)
    assert found.line == f"karpenter-crd {KARPENTER_CRDS.version} (Karpenter's Go library)"
    assert (state.charts / "karpenter-crd" / "templates" / "nodepools.yaml").exists()


@pytest.mark.usefixtures("no_registry")
def test_a_chart_that_is_there_at_its_pin_is_not_fetched_again(state: State, tmp_path: Path) -> None:
    mirror = chart_folder(tmp_path / "mirror", "volcano", VOLCANO.version)
    charts.prepare(state, str(mirror), print)
    said: list[str] = []
    [found] = charts.prepare(state, None, said.append)
    assert found.source == str(mirror)
    assert said == []
    assert charts.prepare(state, None, print) == [found]
