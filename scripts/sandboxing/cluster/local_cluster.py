"""The local Kubernetes as one thing: start, stop, status."""

from __future__ import annotations

import errno
import http.client
import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scripts.sandboxing.cluster import credentials, definitions, errors, pids, ports, process_specs
from scripts.sandboxing.cluster.lock import folder_lock
from scripts.sandboxing.cluster.process_specs import ClusterBinaries, Layout, ProcessSpec
from scripts.sandboxing.cluster.processes import Processes, check_executable, uninterrupted

_FREE_BYTES_NEEDED = 300 * 1024 * 1024
_SECOND_LOOK_SECONDS = 10.0
_PORT_ATTEMPTS = 3
_LOCK_PATIENCE_SECONDS = 150.0  # longer than the default timeout of the start that may hold it


@dataclass(frozen=True, slots=True)
class ProcessStatus:
    """One process of the cluster; `pid` is None when it does not run, `port` when it listens nowhere."""

    name: str
    pid: int | None
    alive: bool
    port: int | None
    healthy: bool


class LocalCluster:
    """A Kubernetes control plane in one folder, with everything it owns: data, logs, pid files and `kubeconfig`.

    Several clusters live side by side, one per folder. All methods are idempotent and safe against a crash of an
    earlier run; `start` and `stop` exclude each other across processes.
    """

    kubeconfig: Path

    def __init__(
        self,
        folder: Path,
        binaries: ClusterBinaries | None,
        *,
        account: Path,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`account` is the folder in which the local AWS keeps its records; `say` gets one line per step.

        Without `binaries` a cluster can be stopped and looked at, not started.
        """
        self._layout = Layout(Path(os.path.realpath(folder)))
        self._binaries = binaries
        self._account = Path(os.path.realpath(account))
        self._say = say
        self._processes = Processes(self._layout)
        self.kubeconfig = self._layout.kubeconfig

    def start(self, timeout: float = 120) -> None:
        """Bring the cluster up within `timeout` seconds; a healthy one stays, a half dead one restarts with its data.

        Raises ClusterError with what to do. After any failure, Ctrl-C included, no process of the cluster is left.
        """
        _check(self._binaries)
        try:
            self._make_folders()
            with folder_lock(self._layout.folder, _LOCK_PATIENCE_SECONDS, self._say):
                if self._is_healthy():
                    return
                began = time.monotonic()
                self._start_locked(began + timeout, timeout)
                took = time.monotonic() - began
                server = ports.recorded(self._layout.ports)["kube-apiserver"]
                self._say(f"Kubernetes: ready in {took:.1f} s at https://{ports.LOOPBACK}:{server}")
        except OSError as error:
            raise errors.from_os_error(error, self._layout.folder) from error

    def stop(self, *, wipe: bool = False) -> None:
        """End every process of the cluster; `wipe` removes its data, logs, keys and kubeconfig as well."""
        if not self._layout.folder.is_dir():
            # The folder may have been deleted under running processes: those still carry its mark.
            self._end_processes()
            return
        try:
            with folder_lock(self._layout.folder, _LOCK_PATIENCE_SECONDS, self._say):
                self._end_processes()
                if wipe:
                    self._wipe()
        except OSError as error:
            raise errors.from_os_error(error, self._layout.folder) from error

    def status(self) -> list[ProcessStatus]:
        """One entry per process in the order of their start, each checked for health within two seconds."""
        with ThreadPoolExecutor(len(process_specs.PROCESS_NAMES)) as pool:
            return list(pool.map(self._status_of, self._known_specs() or process_specs.PROCESS_NAMES))

    def dead(self) -> list[str]:
        """Names of the processes that do not run: a cheap look, nobody is asked for health."""
        return [name for name in process_specs.PROCESS_NAMES if self._processes.recorded(name) is None]

    def _status_of(self, spec: ProcessSpec | str) -> ProcessStatus:
        name = spec if isinstance(spec, str) else spec.name
        record = self._processes.recorded(name)
        if record is None or isinstance(spec, str):
            return ProcessStatus(name, record.pid if record else None, record is not None, None, healthy=False)
        return ProcessStatus(name, record.pid, alive=True, port=spec.port, healthy=spec.healthy())

    def _is_healthy(self) -> bool:
        """Whether all runs as wanted. A slow machine gets a second look; a missing process needs none."""
        specs = self._known_specs()
        deadline = time.monotonic() + _SECOND_LOOK_SECONDS
        while specs and all(self._processes.runs(spec) for spec in specs):
            # Looked at twice: a process that was just killed may still have answered, or left a fresh heartbeat.
            if all(status.healthy for status in self.status()) and all(self._processes.runs(spec) for spec in specs):
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.5)
        return False

    def _start_locked(self, deadline: float, timeout: float) -> None:
        if pids.marked(self._layout.folder):
            self._say("Kubernetes: an earlier run left processes behind; they are ended, the data is kept")
        self._end_processes()
        for attempt in range(1, _PORT_ATTEMPTS + 1):
            try:
                self._bring_up(deadline, timeout, new_ports=attempt > 1)
            except BaseException as problem:
                self._end_processes()
                if isinstance(problem, errors.PortTakenError) and attempt < _PORT_ATTEMPTS:
                    continue
                raise
            return

    def _bring_up(self, deadline: float, timeout: float, *, new_ports: bool) -> None:
        self._check_space()
        known = ports.recorded(self._layout.ports)
        chosen = ports.choose(self._layout.ports, process_specs.PORT_NAMES, forget=new_ports)
        if known and known != chosen:
            self._say("Kubernetes: another program uses a port of ours: new ones were picked, the kubeconfig changed")
        keys = credentials.ensure(self._layout.credentials)
        server = f"https://{ports.LOOPBACK}:{chosen['kube-apiserver']}"
        credentials.write_kubeconfig(self._layout.kubeconfig, keys, server)
        self._layout.heartbeat.unlink(missing_ok=True)
        specs = process_specs.all_specs(self._layout, _check(self._binaries), chosen, keys, self._account)
        first, last = specs[:2], specs[2:]
        for spec in first:
            self._say(f"Kubernetes: starting {spec.name}")
            self._processes.launch(spec)
            self._processes.wait_healthy(spec, deadline, timeout)
        self._say(f"Kubernetes: starting {', '.join(spec.name for spec in last)}")
        for spec in last:
            self._processes.launch(spec)
        for spec in last:
            self._processes.wait_healthy(spec, deadline, timeout)
        self._establish_definitions(chosen["kube-apiserver"], keys)

    def _establish_definitions(self, port: int, keys: credentials.Credentials) -> None:
        try:
            half = definitions.establish(port, keys)
        except http.client.HTTPException as problem:
            raise errors.ClusterError(
                f"The API server broke off an answer ({problem!r}): run the same command again, or start afresh with "
                "`./scripts/sandbox down`."
            ) from problem
        if half:
            self._say(f"Kubernetes: {', '.join(half)} had been accepted and not established; looked at again")

    def _end_processes(self) -> None:
        with uninterrupted():
            self._processes.end_all()

    def _known_specs(self) -> list[ProcessSpec]:
        """The processes as the last start made them; empty before the first start."""
        known = ports.recorded(self._layout.ports)
        keys = credentials.Credentials(self._layout.credentials)
        if self._binaries is None or set(known) != set(process_specs.PORT_NAMES) or not keys.token_list.is_file():
            return []
        return process_specs.all_specs(self._layout, self._binaries, known, keys, self._account)

    def _make_folders(self) -> None:
        for folder in (self._layout.folder, self._layout.run, self._layout.home, self._layout.log("etcd").parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._layout.etcd_data.parent.mkdir(mode=0o700, exist_ok=True)

    def _check_space(self) -> None:
        free = shutil.disk_usage(self._layout.folder).free
        if free < _FREE_BYTES_NEEDED:
            raise errors.full_disk(self._layout.folder, f"{free // 2**20} MiB free, 300 MiB needed to start")

    def _wipe(self) -> None:
        for entry in self._layout.folder.iterdir():
            if entry.name == "lock":
                continue  # held by us; another command may already wait on this very file
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                try:
                    entry.unlink()
                except OSError as error:
                    if error.errno != errno.ENOENT:
                        raise


def _check(binaries: ClusterBinaries | None) -> ClusterBinaries:
    if binaries is None:
        raise errors.ClusterError(
            "The local Kubernetes has no binaries to start: run ./scripts/sandbox up, which finds or builds them."
        )
    for name, path in (
        ("etcd", binaries.etcd),
        ("kube-apiserver", binaries.kube_apiserver),
        ("kube-controller-manager", binaries.kube_controller_manager),
        ("kube-scheduler", binaries.kube_scheduler),
        ("kwok", binaries.kwok),
    ):
        check_executable(name, path)
    return binaries
