"""User data of nodes that mount Lustre over EFA: what Karpenter and cloud-init make of it, and what its script does."""

import email
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from components.capacity.user_data import client_script, lustre_over_efa, set_up_script
from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.lustre import efa_interfaces
from policies.user_data import clock_settings, floating_installers

pytestmark = pytest.mark.unit

P5 = INSTANCE_TYPES["p5.48xlarge"]
COMMANDS = {
    "modinfo": 'case "$3" in efa) echo "${EFA_VERSION:-2.17.3g}";; kefalnd) echo "${KEFALND_VERSION-1.2.2}";; esac',
    "modprobe": 'echo "modprobe $*"',
    "lnetctl": 'echo "lnetctl $*"',
    "ip": 'echo "default via 10.0.64.1 dev ens32 proto dhcp src 10.0.64.7 metric 512"',
}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the script of a type on a pretended node: so many EFA devices, and stand-ins for the node's commands."""

    def on_node(of: str = "p5.48xlarge", *, devices: int = 32, **environment: str) -> subprocess.CompletedProcess[str]:
        sys_class, programs = tmp_path / "infiniband", tmp_path / "bin"
        sys_class.mkdir()
        programs.mkdir()
        for number in range(devices):
            add_device(sys_class, f"rdmap{number:02}s0", "efa")
        # A card of another maker, as some types have it for storage.
        add_device(sys_class, "mlx5_0", "mlx5_core")
        for name, body in COMMANDS.items():
            (programs / name).write_text(f"#!/bin/bash\n{environment.pop(name, body)}\n")
            (programs / name).chmod(0o755)
        script = client_script(INSTANCE_TYPES[of]).replace("/sys/class/infiniband", str(sys_class))
        return subprocess.run(
            ["/bin/bash"],
            input=script,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={"PATH": f"{programs}:/usr/bin:/bin", **environment},
        )

    return on_node


def add_device(sys_class: Path, name: str, driver: str) -> None:
    drivers = sys_class.parent / "drivers" / driver
    drivers.mkdir(parents=True, exist_ok=True)
    (sys_class / name / "device").mkdir(parents=True)
    (sys_class / name / "device" / "driver").symlink_to(drivers)


def devices_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [line.split()[6] for line in done.stdout.splitlines() if line.startswith("lnetctl net add --net efa")]


def test_karpenter_gets_an_archive_of_one_shell_part_before_its_own() -> None:
    archive = email.message_from_string(lustre_over_efa(P5))
    assert archive.get_content_type() == "multipart/mixed"
    [part] = archive.get_payload()
    assert part.get_content_type() == "text/x-shellscript"
    assert part.get_payload() == set_up_script(P5)


@pytest.mark.parametrize("of", ["p5.48xlarge", "p6-b200.48xlarge", "g6e.12xlarge"])
@pytest.mark.parametrize("script", [set_up_script, client_script], ids=["set-up", "client"])
def test_bash_understands_the_script(script, of: str) -> None:
    done = subprocess.run(
        ["/bin/bash", "-n"], input=script(INSTANCE_TYPES[of]), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_packs_own_rules_accept_it() -> None:
    assert list(floating_installers(lustre_over_efa(P5))) == []
    assert clock_settings(lustre_over_efa(P5)) == []


def test_nothing_is_fetched_but_the_client_of_the_images_own_release() -> None:
    text = lustre_over_efa(P5)
    assert "http" not in text
    assert [line for line in text.splitlines() if "install" in line and "Install]" not in line] == [
        "dnf install -y --releasever=\"$(rpm -q --qf '%{VERSION}' system-release)\" 'lustre-client-2.15*'"
    ]


def test_modules_are_loaded_and_efa_is_preferred_in_the_order_of_the_guide(run: Run) -> None:
    done = run(devices=1)
    assert done.stdout.splitlines() == [
        "modprobe lnet",
        "modprobe kefalnd ipif_name=ens32",
        "modprobe ksocklnd",
        "lnetctl lnet configure",
        "lnetctl net del --net tcp",
        "lnetctl net add --net tcp --if ens32",
        "lnetctl net add --net efa --if rdmap00s0 --peer-credits 32",
        "lnetctl set discovery 1",
        "lnetctl udsp add --src efa --priority 0",
        "modprobe lustre",
        "lnetctl net show",
    ]


def test_on_the_largest_types_eight_devices_carry_lustre_spread_over_all(run: Run) -> None:
    assert devices_of(run(devices=32)) == [f"rdmap{number:02}s0" for number in range(0, 32, 4)]


def test_fewer_devices_than_wanted_are_all_used(run: Run) -> None:
    assert devices_of(run(devices=3)) == ["rdmap00s0", "rdmap01s0", "rdmap02s0"]


@pytest.mark.parametrize(
    ("of", "count"),
    [("p5.48xlarge", 8), ("p5en.48xlarge", 8), ("p6-b200.48xlarge", 8), ("p4d.24xlarge", 2), ("g6e.8xlarge", 1)],
)
def test_the_number_of_devices_is_the_one_of_the_fsx_guide(of: str, count: int) -> None:
    assert efa_interfaces(INSTANCE_TYPES[of]) == count


@pytest.mark.parametrize(
    ("of", "environment", "message"),
    [
        ("p5.48xlarge", {"EFA_VERSION": "2.10.0"}, "kernel module efa is version 2.10.0 and EFA for Lustre needs 2.12"),
        ("p6-b200.48xlarge", {"KEFALND_VERSION": "1.0.4"}, "kernel module kefalnd is version 1.0.4"),
        ("p5.48xlarge", {"modinfo": "exit 1"}, "the image has no kernel module efa"),
    ],
    ids=["old EFA driver", "old EFA module of Lustre", "no driver"],
)
def test_a_node_that_cannot_use_efa_says_so_and_touches_nothing(
    run: Run, of: str, environment: dict[str, str], message: str
) -> None:
    done = run(of, **environment)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Lustre stays on TCP" in done.stderr
    assert done.stdout == ""


def test_a_node_without_efa_devices_says_so(run: Run) -> None:
    done = run(devices=0)
    assert (done.returncode, done.stdout) == (1, "")
    assert "this node has no EFA device: Lustre stays on TCP" in done.stderr


def test_before_p6_no_version_of_the_module_is_asked_for(run: Run) -> None:
    assert len(devices_of(run(devices=8, KEFALND_VERSION=""))) == 8
