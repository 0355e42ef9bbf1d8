"""The kubeconfig of a cluster whose private API is reached through `./scripts/tunnel`."""

import json
from urllib.parse import urlsplit

from stacks.cluster import TUNNEL_PORT


def through_tunnel(kubeconfig: str) -> str:
    """The same kubeconfig, led to the tunnel's end on this machine.

    The certificate is still that of the API's own name, which the client is told to expect.
    """
    config = json.loads(kubeconfig)
    for entry in config.get("clusters", []):
        cluster = entry["cluster"]
        cluster["tls-server-name"] = urlsplit(cluster["server"]).hostname
        cluster["server"] = f"https://127.0.0.1:{TUNNEL_PORT}"
    return json.dumps(config)
