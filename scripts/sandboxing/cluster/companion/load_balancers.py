"""Services of type LoadBalancer get an address that resolves nowhere (.invalid, RFC 6761), so that waits end."""

from __future__ import annotations

from scripts.sandboxing.cluster.companion.api import Object


def status_for(service: Object) -> Object | None:
    """The status patch that a service needs: an address when it has none, none when it is no load balancer any more."""
    wanted = service["spec"].get("type") == "LoadBalancer"
    has = bool(service.get("status", {}).get("loadBalancer", {}).get("ingress"))
    if wanted == has:
        return None
    metadata = service["metadata"]
    hostname = f"{metadata['name']}.{metadata['namespace']}.elb.sandbox.invalid"
    return {"status": {"loadBalancer": {"ingress": [{"hostname": hostname}] if wanted else None}}}
