"""The six processes of the local Kubernetes: command line, port, health check, and the order in which they end."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scripts.sandboxing.cluster import health
from scripts.sandboxing.cluster.credentials import Credentials
from scripts.sandboxing.cluster.pids import MARK
from scripts.sandboxing.cluster.ports import LOOPBACK, POD_NETWORK, SERVICE_NETWORK

PORT_NAMES = ("etcd", "etcd-peer", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
PROCESS_NAMES = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "companion")
END_ORDER = (
    # Each group gets TERM together and has so many seconds until KILL.
    (("companion", "kwok", "kube-scheduler", "kube-controller-manager"), 3.0),
    # It drains watches for up to a minute on TERM; nobody needs that here.
    (("kube-apiserver",), 1.5),
    (("etcd",), 5.0),
)
STAGES = Path(__file__).with_name("stages")
_REPOSITORY = Path(__file__).parents[3]
_COMPANION = Path(__file__).with_name("companion")

POLICY_CHECKS = "validatingadmissionpolicy-status-controller"
"""Checks the types in the expressions of admission policies: 20 CPU seconds for ours here. A test runs it."""

# Off because what they need is missing here: a signer's key, node networks, a cloud, metrics, an attaching CSI driver.
_CONTROLLERS_OFF = (
    "certificatesigningrequest-signing-controller",
    "node-ipam-controller",
    "node-route-controller",
    "service-lb-controller",
    "cloud-node-lifecycle-controller",
    "horizontal-pod-autoscaler-controller",
    "persistentvolume-attach-detach-controller",
    POLICY_CHECKS,
)


class ClusterBinaries(Protocol):
    """The programs that a local cluster runs; `scripts.engine_build.Binaries` is one."""

    @property
    def etcd(self) -> Path: ...
    @property
    def kube_apiserver(self) -> Path: ...
    @property
    def kube_controller_manager(self) -> Path: ...
    @property
    def kube_scheduler(self) -> Path: ...
    @property
    def kwok(self) -> Path: ...


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """How to run one process. A change in `sources`, files that it reads once at its start, asks for a restart."""

    name: str
    command: tuple[str, ...]
    healthy: health.Check
    port: int | None = None
    sources: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are in the folder of one cluster."""

    folder: Path

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def credentials(self) -> Path:
        return self.folder / "pki"

    @property
    def etcd_data(self) -> Path:
        return self.folder / "data" / "etcd"

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def home(self) -> Path:
        """The home of the children, so that kwok does not read the user's own ~/.kwok/kwok.yaml."""
        return self.folder / "home"

    @property
    def ports(self) -> Path:
        return self.folder / "ports.json"

    @property
    def heartbeat(self) -> Path:
        return self.run / "companion.heartbeat"

    def log(self, name: str) -> Path:
        return self.folder / "logs" / f"{name}.log"


def all_specs(
    layout: Layout, binaries: ClusterBinaries, ports: dict[str, int], credentials: Credentials, account: Path
) -> list[ProcessSpec]:
    """The processes in the order of their start; the reverse is the order of their end."""
    return [
        _etcd(layout, binaries.etcd, ports, credentials),
        _api_server(binaries.kube_apiserver, ports, credentials),
        _controller_manager(layout, binaries.kube_controller_manager, ports["kube-controller-manager"], credentials),
        _scheduler(layout, binaries.kube_scheduler, ports["kube-scheduler"], credentials),
        _kwok(layout, binaries.kwok, ports["kwok"]),
        _companion(layout, account),
    ]


def _etcd(layout: Layout, binary: Path, ports: dict[str, int], credentials: Credentials) -> ProcessSpec:
    client, peer = (f"https://{LOOPBACK}:{ports[name]}" for name in ("etcd", "etcd-peer"))
    command = (
        str(binary),
        "--name=sandbox",
        f"--data-dir={layout.etcd_data}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=sandbox={peer}",
        *(
            f"--{prefix}{flag}"
            for prefix in ("", "peer-")
            for flag in (
                f"cert-file={credentials.certificate}",
                f"key-file={credentials.key}",
                f"trusted-ca-file={credentials.ca}",
                "client-cert-auth",
            )
        ),
        # A killed process loses nothing by this, only a machine that loses power; it saves most of the disk waits.
        "--unsafe-no-fsync",
        "--log-level=warn",
    )
    return ProcessSpec("etcd", command, health.over_https(ports["etcd"], "/health", credentials), ports["etcd"])


def _api_server(binary: Path, ports: dict[str, int], credentials: Credentials) -> ProcessSpec:
    port = ports["kube-apiserver"]
    command = (
        str(binary),
        f"--etcd-servers=https://{LOOPBACK}:{ports['etcd']}",
        f"--etcd-cafile={credentials.ca}",
        f"--etcd-certfile={credentials.certificate}",
        f"--etcd-keyfile={credentials.key}",
        f"--bind-address={LOOPBACK}",
        # Given, because else a machine without a network has no address to advertise and the server refuses to start;
        # and no endpoints are kept for it, because those must not be loopback addresses.
        f"--advertise-address={LOOPBACK}",
        "--endpoint-reconciler-type=none",
        f"--secure-port={port}",
        f"--tls-cert-file={credentials.certificate}",
        f"--tls-private-key-file={credentials.key}",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        f"--token-auth-file={credentials.token_list}",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={credentials.service_account_key}",
        f"--service-account-signing-key-file={credentials.service_account_key}",
        f"--service-cluster-ip-range={SERVICE_NETWORK}",
        "--allow-privileged=true",
        # Webhooks of operators have no pods behind them here; ValidatingAdmissionPolicy needs none and stays on.
        "--disable-admission-plugins=ValidatingAdmissionWebhook,MutatingAdmissionWebhook",
        # Fairness between tenants only costs time with a single user.
        "--enable-priority-and-fairness=false",
        "--max-requests-inflight=800",
        "--max-mutating-requests-inflight=400",
        "--profiling=false",
    )
    return ProcessSpec("kube-apiserver", command, health.over_https(port, "/readyz", credentials, token=True), port)


def _served_by(layout: Layout, port: int, credentials: Credentials) -> tuple[str, ...]:
    return (
        f"--kubeconfig={layout.kubeconfig}",
        "--leader-elect=false",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={port}",
        f"--tls-cert-file={credentials.certificate}",
        f"--tls-private-key-file={credentials.key}",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        "--profiling=false",
    )


def _controller_manager(layout: Layout, binary: Path, port: int, credentials: Credentials) -> ProcessSpec:
    command = (
        str(binary),
        *_served_by(layout, port, credentials),
        f"--root-ca-file={credentials.ca}",
        f"--service-account-private-key-file={credentials.service_account_key}",
        "--controllers=*," + ",".join(f"-{name}" for name in _CONTROLLERS_OFF),
        # kwok is the heartbeat of every node: after a suspend of the machine they must not all be evicted at once.
        "--node-monitor-grace-period=5m",
    )
    return ProcessSpec("kube-controller-manager", command, health.over_https(port, "/healthz", credentials), port)


def _scheduler(layout: Layout, binary: Path, port: int, credentials: Credentials) -> ProcessSpec:
    command = (str(binary), *_served_by(layout, port, credentials))
    return ProcessSpec("kube-scheduler", command, health.over_https(port, "/healthz", credentials), port)


def _kwok(layout: Layout, binary: Path, port: int) -> ProcessSpec:
    stages = tuple(sorted(STAGES.glob("*.yaml")))
    command = (
        str(binary),
        f"--kubeconfig={layout.kubeconfig}",
        *(f"--config={stage}" for stage in stages),
        "--manage-all-nodes=true",
        f"--cidr={POD_NETWORK}",
        f"--server-address={LOOPBACK}:{port}",
        # Without node leases (a heartbeat stage stands in): a killed kwok would leave its leases behind, and its
        # successor would touch no pod until they run out.
        "--node-lease-duration-seconds=0",
    )
    return ProcessSpec("kwok", command, health.over_http(port, "/healthz"), port, stages)


def _companion(layout: Layout, account: Path) -> ProcessSpec:
    command = (
        sys.executable,
        "-m",
        "scripts.sandboxing.cluster.companion",
        f"--kubeconfig={layout.kubeconfig}",
        f"--account={account}",
        f"--heartbeat={layout.heartbeat}",
    )
    sources = tuple(sorted(_COMPANION.glob("*.py")))
    return ProcessSpec("companion", command, health.by_heartbeat(layout.heartbeat), sources=sources)


def child_environment(layout: Layout, name: str) -> dict[str, str]:
    """All that a child sees of the environment: no proxies, no cloud credentials, no settings of the user."""
    return {
        MARK: f"{layout.folder}::{name}",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(layout.home),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(_REPOSITORY),
        "PYTHONUNBUFFERED": "1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
