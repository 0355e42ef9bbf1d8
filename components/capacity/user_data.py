"""User data of nodes that mount FSx for Lustre over EFA: the Lustre client, and LNet with the node's EFA devices.

The steps and their order are those of the EKS user guide, "Optimize Amazon FSx for Lustre performance on nodes (EFA)"
(fsx-csi-tuning-efa), with the versions, the number of interfaces and the service on reboot of the FSx for Lustre guide,
"Configuring EFA clients" (configure-efa-clients); both read 2026-11-29. AWS's own script for this comes as a zip file
without a version, so its steps are written out here instead: nothing is fetched but one package. Every AL2023 image is
locked to one release of its package repository ("Deterministic upgrades", AL2023 user guide, read 2026-11-29), so that
the pinned image decides the version. The kernel modules, EFA's among them, are in the image: `install-efa.sh` of
awslabs/amazon-eks-ami (81fec2e, 2026-07-23) runs in the NVIDIA and EFA builds, and the Lustre modules are part of the
AL2023 kernel. The package lies in the region's AL2023 bucket: an S3 endpoint policy must let nodes read it.

Shape: Karpenter 1.15 puts the parts of a MIME archive before the NodeConfig that it writes itself, and takes a text
that is no archive for a NodeConfig whenever it parses as YAML (pkg/providers/amifamily/bootstrap/nodeadm.go, 1d92708,
read 2026-11-29). So this is an archive of one shell part, which cloud-init runs before nodeadm starts the kubelet.

If a step fails, the node joins all the same and mounts over TCP, several times slower; the service is then failed and
its journal says why. Not run on a node: no machine with EFA was at hand. What tests know: both scripts parse, and with
stand-ins for the commands the second takes as many devices as the guide says and names what is missing.
"""

from components.catalog.instance_types import InstanceType
from components.catalog.lustre import efa_interfaces

SCRIPT = "/usr/local/sbin/lustre-over-efa"
SERVICE = "lustre-over-efa.service"
LUSTRE_CLIENT = "lustre-client-2.15*"
"""The server's version; an older client cannot use EFA (configure-efa-clients)."""

_SERVICE_UNIT = f"""[Unit]
Description=LNet over EFA for FSx for Lustre
After=network-online.target
Wants=network-online.target
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={SCRIPT}

[Install]
WantedBy=multi-user.target
"""


def client_script(facts: InstanceType) -> str:
    """What runs at each boot: load the modules, give LNet its TCP interface and the EFA devices, prefer EFA."""
    # On P6 the first versions of the EFA module for Lustre do not work (AWS's client set-up, in pcluster-diag 2026).
    kefalnd = "1.1.1" if facts.family.startswith("p6") else "''"
    return rf"""#!/bin/bash
set -euo pipefail

stay_on_tcp() {{
  echo "$1: Lustre stays on TCP" >&2
  exit 1
}}

require() {{ # kernel module, least version
  local found
  found=$(modinfo -F version "$1" | sed 's/[^0-9.].*//') || stay_on_tcp "the image has no kernel module $1"
  if [[ $(printf '%s\n' "$2" "$found" | sort -V | head -n1) != "$2" ]]; then
    stay_on_tcp "kernel module $1 is version $found and EFA for Lustre needs $2, as a newer image has it"
  fi
}}
require efa 2.12.1
require kefalnd {kefalnd}

devices=()
for path in /sys/class/infiniband/*; do
  [[ -e $path/device/driver ]] || continue
  if [[ $(basename "$(realpath "$path/device/driver")") == efa ]]; then devices+=("$(basename "$path")"); fi
done
(( ${{#devices[@]}} > 0 )) || stay_on_tcp "this node has no EFA device"

ethernet=$(ip -o -4 route show to default | awk '{{print $5; exit}}')
modprobe lnet
modprobe kefalnd ipif_name="$ethernet"
modprobe ksocklnd
lnetctl lnet configure
lnetctl net del --net tcp || true
lnetctl net add --net tcp --if "$ethernet"
# Spread over all devices, and so over the CPU sockets that they hang on.
wanted={efa_interfaces(facts)}
count=$(( ${{#devices[@]}} < wanted ? ${{#devices[@]}} : wanted ))
for (( i = 0; i < count; i++ )); do
  lnetctl net add --net efa --if "${{devices[$(( i * ${{#devices[@]}} / count ))]}}" --peer-credits 32
done
lnetctl set discovery 1
lnetctl udsp add --src efa --priority 0
modprobe lustre
lnetctl net show
"""


def set_up_script(facts: InstanceType) -> str:
    """What cloud-init runs at the first boot: write the service down, install the client, start the service."""
    return rf"""#!/bin/bash
set -euo pipefail

cat > {SCRIPT} <<'SCRIPT'
{client_script(facts)}SCRIPT
chmod 0755 {SCRIPT}
cat > /etc/systemd/system/{SERVICE} <<'UNIT'
{_SERVICE_UNIT}UNIT

# The image's own release: the same package on every node of a pool.
dnf install -y --releasever="$(rpm -q --qf '%{{VERSION}}' system-release)" '{LUSTRE_CLIENT}'
systemctl enable {SERVICE}
systemctl start {SERVICE}
"""


def lustre_over_efa(facts: InstanceType) -> str:
    """`userData` of an EC2NodeClass whose nodes mount an EFA-enabled file system.

    Args:
        facts: the pool's instance type, which decides how many EFA devices Lustre uses.
    """
    boundary = "lustre-over-efa"
    return (
        f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{boundary}"\n\n--{boundary}\n'
        f'Content-Type: text/x-shellscript; charset="us-ascii"\n\n{set_up_script(facts)}\n--{boundary}--\n'
    )
