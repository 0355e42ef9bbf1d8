"""How the local cluster starts, and the one line that a person gets when it cannot."""

import errno
import fcntl
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from scripts.sandboxing.cluster import credentials, errors, pids
from scripts.sandboxing.cluster.errors import ClusterError, PortTakenError
from scripts.sandboxing.cluster.local_cluster import LocalCluster
from scripts.sandboxing.cluster.lock import folder_lock
from scripts.sandboxing.cluster.process_specs import PORT_NAMES, STAGES, Layout, all_specs, child_environment

pytestmark = pytest.mark.scripts

BINARIES = SimpleNamespace(
    etcd=Path("/b/etcd"),
    kube_apiserver=Path("/b/kube-apiserver"),
    kube_controller_manager=Path("/b/kube-controller-manager"),
    kube_scheduler=Path("/b/kube-scheduler"),
    kwok=Path("/b/kwok"),
)


def program(folder: Path, name: str, code: str) -> Path:
    """A program of that name that runs this Python code, whatever its arguments."""
    file = folder / name
    file.write_text(f"#!{sys.executable}\n{code}\n")
    file.chmod(0o755)
    return file


def binaries_with(folder: Path, etcd: str) -> SimpleNamespace:
    other = program(folder, "other", "import time; time.sleep(600)")
    return SimpleNamespace(
        etcd=program(folder, "etcd", etcd),
        kube_apiserver=other,
        kube_controller_manager=other,
        kube_scheduler=other,
        kwok=other,
    )


def test_every_server_listens_on_loopback_only(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    chosen = dict.fromkeys(PORT_NAMES, 4711)
    specs = all_specs(layout, BINARIES, chosen, credentials.Credentials(tmp_path), tmp_path)
    commands = {spec.name: " ".join(spec.command) for spec in specs}
    for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        assert "--bind-address=127.0.0.1" in commands[name]
    assert "--listen-client-urls=https://127.0.0.1:4711" in commands["etcd"]
    assert "--client-cert-auth" in commands["etcd"]
    assert "--server-address=127.0.0.1:4711" in commands["kwok"]
    assert not any("0.0.0.0:" in command.replace("127.0.0.1:", "") for command in commands.values())


def test_the_api_server_keeps_validating_policies_and_drops_only_webhooks(tmp_path: Path) -> None:
    specs = all_specs(
        Layout(tmp_path), BINARIES, dict.fromkeys(PORT_NAMES, 1), credentials.Credentials(tmp_path), tmp_path
    )
    [flag] = [part for part in specs[1].command if part.startswith("--disable-admission-plugins=")]
    assert flag == "--disable-admission-plugins=ValidatingAdmissionWebhook,MutatingAdmissionWebhook"
    assert "--authorization-mode=RBAC" in specs[1].command


def test_every_stage_file_is_one_stage_that_says_where_it_comes_from() -> None:
    files = sorted(STAGES.glob("*.yaml"))
    assert [file.stem for file in files] == [
        "node-heartbeat",
        "node-ready",
        "pod-complete-hook",
        "pod-complete-job",
        "pod-delete",
        "pod-ready",
    ]
    for file in files:
        [stage] = yaml.safe_load_all(file.read_text())
        assert stage["metadata"]["name"] == file.stem
        assert "kwok v0.8.0 (Apache-2.0)" in file.read_text()


def test_children_have_a_home_of_their_own(tmp_path: Path) -> None:
    environment = child_environment(Layout(tmp_path), "kwok")
    assert environment["HOME"] == str(tmp_path / "home")
    assert environment[pids.MARK] == f"{tmp_path}::kwok"


def test_a_missing_program_is_named_with_its_path_before_anything_starts(tmp_path: Path) -> None:
    cluster = LocalCluster(tmp_path / "cluster", BINARIES, account=tmp_path)
    with pytest.raises(ClusterError, match="etcd is not an executable file at /b/etcd: run"):
        cluster.start()
    assert not (tmp_path / "cluster").exists()


def test_a_failed_start_quotes_the_log_and_leaves_no_process(tmp_path: Path) -> None:
    cluster = LocalCluster(
        tmp_path / "cluster", binaries_with(tmp_path, "print('disk quota of nobody'); exit(3)"), account=tmp_path
    )
    with pytest.raises(ClusterError, match=r"(?s)etcd ended while it was starting.*disk quota of nobody"):
        cluster.start()
    assert pids.marked(Path(os.path.realpath(tmp_path / "cluster"))) == []


def test_a_start_that_hangs_ends_at_its_timeout_and_leaves_no_process(tmp_path: Path) -> None:
    cluster = LocalCluster(
        tmp_path / "cluster", binaries_with(tmp_path, "import time; time.sleep(600)"), account=tmp_path
    )
    with pytest.raises(ClusterError, match="etcd was not healthy after 1 s"):
        cluster.start(timeout=1)
    assert pids.marked(Path(os.path.realpath(tmp_path / "cluster"))) == []


def test_ctrl_c_in_mid_start_leaves_no_process(tmp_path: Path) -> None:
    def interrupt(line: str) -> None:
        if "kube-apiserver" in line:
            raise KeyboardInterrupt

    cluster = LocalCluster(
        tmp_path / "cluster", binaries_with(tmp_path, "import time; time.sleep(600)"), account=tmp_path, say=interrupt
    )
    # etcd is taken for healthy here, so that the interruption comes while it runs.
    cluster._processes.wait_healthy = lambda *_: None  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        cluster.start(timeout=30)
    assert pids.marked(Path(os.path.realpath(tmp_path / "cluster"))) == []


def test_a_port_lost_in_the_moment_of_the_start_is_replaced_three_times_at_most(tmp_path: Path) -> None:
    counter = tmp_path / "starts"
    code = f"open({str(counter)!r}, 'a').write('x'); print('bind: address already in use'); exit(1)"
    cluster = LocalCluster(tmp_path / "cluster", binaries_with(tmp_path, code), account=tmp_path)
    with pytest.raises(PortTakenError, match=r"port \d+ of etcd was taken by another program"):
        cluster.start()
    assert counter.read_text() == "xxx"


def test_a_full_disk_in_a_log_is_said_as_such(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "etcd.log"
    log.parent.mkdir()
    log.write_text("panic: write /x/wal: no space left on device\n")
    assert "is full" in str(errors.died_at_start("etcd", 1, log))
    assert "is full" in str(errors.not_healthy_in_time("etcd", 1, log))


def test_a_full_disk_in_our_own_writing_is_said_as_such(tmp_path: Path) -> None:
    message = str(errors.from_os_error(OSError(errno.ENOSPC, "No space left on device"), tmp_path))
    assert f"the disk that holds {tmp_path} is full" in message
    assert "EKS_SANDBOX_STATE" in message


def test_a_nearly_full_disk_is_refused_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=5 * 2**20))
    cluster = LocalCluster(tmp_path / "cluster", binaries_with(tmp_path, "exit(1)"), account=tmp_path)
    with pytest.raises(ClusterError, match="5 MiB free, 300 MiB needed"):
        cluster.start()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "cluster").write_text("a file where the folder should be")
    cluster = LocalCluster(tmp_path / "cluster", binaries_with(tmp_path, "exit(1)"), account=tmp_path)
    with pytest.raises(ClusterError, match=r"cannot use .*/cluster: File exists"):
        cluster.start()


def test_a_second_command_waits_for_the_first_and_then_names_it(tmp_path: Path) -> None:
    said: list[str] = []
    with (tmp_path / "lock").open("w") as held:
        held.write("4711")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        with (
            pytest.raises(ClusterError, match=r"another sandbox command \(pid 4711\)"),
            folder_lock(tmp_path, 0.3, said.append),
        ):
            pytest.fail("got the lock that another holds")
    assert said == ["Kubernetes: waiting for another sandbox command (pid 4711)"]


def test_the_lock_of_a_command_that_ended_is_free(tmp_path: Path) -> None:
    for _ in range(2):
        with folder_lock(tmp_path, 0.1, lambda _: None):
            assert (tmp_path / "lock").read_text() == str(os.getpid())


def test_stopping_what_never_started_is_no_error(tmp_path: Path) -> None:
    LocalCluster(tmp_path / "cluster", BINARIES, account=tmp_path).stop(wipe=True)
    assert not (tmp_path / "cluster").exists()


def test_the_status_of_what_never_started_says_so_for_every_process(tmp_path: Path) -> None:
    status = LocalCluster(tmp_path / "cluster", BINARIES, account=tmp_path).status()
    assert [process.name for process in status][0:2] == ["etcd", "kube-apiserver"]
    assert len(status) == 6
    assert not any(process.alive or process.healthy or process.pid for process in status)


def test_wiping_keeps_only_the_lock(tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    (folder / "data" / "etcd").mkdir(parents=True)
    (folder / "kubeconfig").write_text("x")
    LocalCluster(folder, BINARIES, account=tmp_path).stop(wipe=True)
    assert [entry.name for entry in folder.iterdir()] == ["lock"]
