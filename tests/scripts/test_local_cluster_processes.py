"""Which processes the local cluster takes for its own, and that it ends those and no others."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.sandboxing.cluster import pids
from scripts.sandboxing.cluster.errors import ClusterError
from scripts.sandboxing.cluster.local_cluster import LocalCluster
from scripts.sandboxing.cluster.process_specs import Layout, ProcessSpec
from scripts.sandboxing.cluster.processes import Processes, uninterrupted

pytestmark = pytest.mark.scripts

SLEEPER = "import time; time.sleep(600)"
# Says when it is deaf to TERM, so that the test does not race with the interpreter's start.
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "cluster")
    for folder in (layout.run, layout.home, layout.log("etcd").parent):
        folder.mkdir(parents=True)
    return layout


@pytest.fixture
def processes(layout: Layout) -> Iterator[Processes]:
    processes = Processes(layout)
    yield processes
    processes.end_all()


def spec_of(code: str, name: str = "etcd", *, healthy: bool = True) -> ProcessSpec:
    return ProcessSpec(name, (sys.executable, "-c", code), lambda: healthy, port=4711)


def launched(processes: Processes, layout: Layout, code: str = SLEEPER, name: str = "etcd") -> pids.ProcessRecord:
    processes.launch(spec_of(code, name))
    record = processes.recorded(name)
    assert record is not None
    if code == DEAF:
        wait_until(lambda: "deaf" in layout.log(name).read_text())
    return record


def wait_until(condition, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_a_process_that_was_started_is_known_to_a_later_command(processes: Processes, layout: Layout) -> None:
    record = launched(processes, layout)
    assert Processes(layout).recorded("etcd") == record


def test_a_pid_that_another_process_got_since_is_not_killed(processes: Processes, layout: Layout) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", SLEEPER])
    try:
        started = pids.started_at(stranger.pid)
        assert started is not None
        # What a crashed run leaves behind when the kernel has handed its pid to somebody else.
        pids.write_record(layout.run, pids.ProcessRecord("etcd", stranger.pid, started - 1, pids.boot_id()))
        assert processes.recorded("etcd") is None
        processes.end_all()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize(
    ("state", "threads", "lives"), [("S", 9, True), ("Z", 9, True), ("Z", 1, False), ("X", 9, False)]
)
def test_a_process_lives_until_its_last_thread_has_let_go_of_its_ports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, threads: int, lives: bool
) -> None:
    monkeypatch.setattr(pids, "_PROC", tmp_path)
    (tmp_path / "4711").mkdir()
    before = " ".join(["0"] * 16)
    (tmp_path / "4711" / "stat").write_text(f"4711 (kube (x) server) {state} {before} {threads} 0 1234 0 0\n")
    assert pids.started_at(4711) == (1234 if lives else None)


def test_a_pid_file_of_an_earlier_boot_names_no_process_of_ours(processes: Processes, layout: Layout) -> None:
    record = launched(processes, layout)
    pids.write_record(layout.run, replace(record, boot="another boot"))
    assert processes.recorded("etcd") is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', "4711"])
def test_a_damaged_pid_file_counts_as_none(processes: Processes, layout: Layout, content: str) -> None:
    (layout.run / "etcd.pid").write_text(content)
    assert processes.recorded("etcd") is None


def test_a_process_whose_pid_file_was_lost_is_found_by_its_mark_and_ended(layout: Layout, processes: Processes) -> None:
    record = launched(processes, layout)
    (layout.run / "etcd.pid").unlink()
    assert [found.pid for found in pids.marked(layout.folder)] == [record.pid]
    processes.end_all()
    assert not pids.is_alive(record)


def test_the_mark_of_a_neighbour_whose_folder_begins_alike_is_not_ours(layout: Layout, processes: Processes) -> None:
    launched(processes, layout)
    assert pids.marked(layout.folder.with_name("clust")) == []


def test_a_process_that_is_deaf_to_term_is_killed(processes: Processes, layout: Layout) -> None:
    record = launched(processes, layout, DEAF)
    assert pids.terminate([record], patience=0.2) == []
    assert not pids.is_alive(record)


def test_ending_twice_is_no_error_and_leaves_no_pid_file(processes: Processes, layout: Layout) -> None:
    launched(processes, layout)
    processes.end_all()
    processes.end_all()
    assert list(layout.run.iterdir()) == []


def test_an_early_end_is_explained_with_the_last_lines_of_the_log(processes: Processes, layout: Layout) -> None:
    spec = spec_of("print('one'); print('flag provided but not defined'); raise SystemExit(2)", healthy=False)
    processes.launch(spec)
    with pytest.raises(
        ClusterError, match=r"(?s)etcd ended while it was starting.*sandbox down.*flag provided but not"
    ):
        processes.wait_healthy(spec, time.monotonic() + 10, 10)


def test_a_process_that_never_gets_healthy_is_named_with_the_time_it_had(processes: Processes, layout: Layout) -> None:
    spec = spec_of(SLEEPER, healthy=False)
    processes.launch(spec)
    with pytest.raises(ClusterError, match="etcd was not healthy after 7 s"):
        processes.wait_healthy(spec, time.monotonic(), 7)


def test_health_that_another_program_answers_for_is_not_taken_for_ours(processes: Processes, layout: Layout) -> None:
    spec = spec_of("raise SystemExit(1)")
    processes.launch(spec)
    wait_until(lambda: processes.recorded("etcd") is None)
    with pytest.raises(ClusterError, match="etcd ended"):
        processes.wait_healthy(spec, time.monotonic() + 5, 5)


def test_a_rebuilt_program_or_another_flag_asks_for_a_restart(
    processes: Processes, layout: Layout, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.symlink_to(sys.executable)
    source = tmp_path / "source"
    source.write_text("a")
    spec = ProcessSpec("etcd", (str(program), "-c", SLEEPER), lambda: True, sources=(source,))
    processes.launch(spec)
    assert processes.runs(spec)
    assert not processes.runs(replace(spec, command=(*spec.command, "--more")))
    source.write_text("ab")
    assert not processes.runs(spec)


def test_children_see_nothing_of_the_callers_credentials(
    processes: Processes, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
    launched(processes, layout, "import os; print(sorted(os.environ), flush=True); import time; time.sleep(600)")
    wait_until(lambda: "HOME" in layout.log("etcd").read_text())
    shown = layout.log("etcd").read_text()
    assert "AWS_PROFILE" not in shown
    assert "HTTPS_PROXY" not in shown


def test_ctrl_c_waits_until_the_block_is_done() -> None:
    steps = []

    def interrupted() -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            steps.append("went on")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert steps == ["went on"]


def test_stop_ends_processes_whose_folder_was_deleted_under_them(processes: Processes, layout: Layout) -> None:
    record = launched(processes, layout)
    for entry in sorted(layout.folder.rglob("*"), reverse=True):
        entry.rmdir() if entry.is_dir() else entry.unlink()
    layout.folder.rmdir()
    LocalCluster(layout.folder, NoBinaries(), account=layout.folder).stop()
    assert not pids.is_alive(record)


class NoBinaries:
    etcd = kube_apiserver = kube_controller_manager = kube_scheduler = kwok = Path("/nonexistent/program")
