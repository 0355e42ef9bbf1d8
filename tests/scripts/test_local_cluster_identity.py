"""What a local cluster keeps over restarts: its ports, keys, tokens and kubeconfig."""

import json
import socket
import ssl
import stat
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from scripts.sandboxing.cluster import credentials, ports
from scripts.sandboxing.cluster.process_specs import PORT_NAMES

pytestmark = pytest.mark.scripts


def test_ports_are_different_free_and_the_same_next_time(tmp_path: Path) -> None:
    first = ports.choose(tmp_path / "ports.json", PORT_NAMES)
    assert len(set(first.values())) == len(PORT_NAMES)
    assert all(ports.is_free(port) for port in first.values())
    assert ports.choose(tmp_path / "ports.json", PORT_NAMES) == first


def test_ports_lie_below_those_of_outgoing_connections(tmp_path: Path) -> None:
    """A connection of any program may take a port of the ephemeral range while a part of the cluster restarts."""
    chosen = ports.choose(tmp_path / "ports.json", [f"part-{number}" for number in range(50)])
    assert len(set(chosen.values())) == 50
    assert all(ports.FIRST <= port <= ports.LAST < 32768 for port in chosen.values())


def test_only_the_port_that_got_busy_is_picked_anew(tmp_path: Path) -> None:
    first = ports.choose(tmp_path / "ports.json", PORT_NAMES)
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", first["kwok"]))
        stranger.listen()
        second = ports.choose(tmp_path / "ports.json", PORT_NAMES)
    assert {name for name in PORT_NAMES if first[name] != second[name]} == {"kwok"}


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"kwok": "x"}', '{"kwok": 0}', '{"kwok": 70000}'])
def test_a_damaged_port_file_is_replaced(tmp_path: Path, content: str) -> None:
    file = tmp_path / "ports.json"
    file.write_text(content)
    chosen = ports.choose(file, PORT_NAMES)
    assert json.loads(file.read_text()) == chosen


def test_two_names_never_share_a_recorded_port(tmp_path: Path) -> None:
    file = tmp_path / "ports.json"
    port = ports.choose(file, ["etcd"])["etcd"]
    file.write_text(json.dumps({"etcd": port, "kwok": port}))
    chosen = ports.choose(file, ["etcd", "kwok"])
    assert chosen["etcd"] == port
    assert chosen["kwok"] != port


def test_keys_and_tokens_stay_over_a_restart_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    made = credentials.ensure(tmp_path / "pki")
    before = made.token, made.ca.read_bytes()
    again = credentials.ensure(tmp_path / "pki")
    assert (again.token, again.ca.read_bytes()) == before
    modes = {stat.S_IMODE(file.stat().st_mode) for file in made.folder.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(made.folder.stat().st_mode) == 0o700


def test_two_clusters_have_different_tokens(tmp_path: Path) -> None:
    assert credentials.ensure(tmp_path / "a").token != credentials.ensure(tmp_path / "b").token


def test_a_set_of_keys_with_one_lost_is_made_anew_as_a_whole(tmp_path: Path) -> None:
    made = credentials.ensure(tmp_path / "pki")
    before = made.ca.read_bytes()
    made.key.unlink()
    assert credentials.ensure(tmp_path / "pki").ca.read_bytes() != before
    assert made.key.is_file()


def test_the_certificate_passes_a_strict_verification_for_loopback(tmp_path: Path) -> None:
    made = credentials.ensure(tmp_path / "pki")
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(made.certificate, made.key)
    client_context = ssl.create_default_context(cafile=str(made.ca))
    client_context.verify_flags |= ssl.VERIFY_X509_STRICT
    client_in, client_out, server_in, server_out = (ssl.MemoryBIO() for _ in range(4))
    client = client_context.wrap_bio(client_in, client_out, server_hostname="127.0.0.1")
    server = server_context.wrap_bio(server_in, server_out, server_side=True)
    for _ in range(4):
        for side, outgoing, peer in ((client, client_out, server_in), (server, server_out, client_in)):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
            peer.write(outgoing.read())
    assert client.version() in ("TLSv1.2", "TLSv1.3")


def test_the_kubeconfig_points_to_loopback_and_is_private(tmp_path: Path) -> None:
    made = credentials.ensure(tmp_path / "pki")
    file = tmp_path / "kubeconfig"
    credentials.write_kubeconfig(file, made, "https://127.0.0.1:6443")
    content = yaml.safe_load(file.read_text())
    assert content["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:6443"
    assert content["users"][0]["user"]["token"] == made.token
    assert "insecure-skip-tls-verify" not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_unchanged_kubeconfig_is_not_touched(tmp_path: Path) -> None:
    made = credentials.ensure(tmp_path / "pki")
    file = tmp_path / "kubeconfig"
    credentials.write_kubeconfig(file, made, "https://127.0.0.1:6443")
    before = file.stat().st_ino
    credentials.write_kubeconfig(file, made, "https://127.0.0.1:6443")
    assert file.stat().st_ino == before
