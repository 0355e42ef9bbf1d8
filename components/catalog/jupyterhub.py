"""What the JupyterHub chart does where its values say nothing.

Source: jupyterhub/zero-to-jupyterhub-k8s, jupyterhub/values.yaml (48ea50e3, 2026-07-24, as in tag 4.4.0).
"""

from collections.abc import Mapping
from types import MappingProxyType

DEFAULTS: Mapping[str, object] = MappingProxyType(
    {
        "hub.config.JupyterHub.authenticator_class": "dummy",
        "hub.networkPolicy.enabled": True,
        "proxy.service.type": "LoadBalancer",
        "singleuser.networkPolicy.enabled": True,
        "singleuser.storage.type": "dynamic",
        "cull.enabled": True,
        "cull.timeout": 3600,
        # No limit: an open tab keeps a server for ever.
        "cull.maxAge": 0,
    }
)
SAMPLE_IMAGE = "quay.io/jupyterhub/k8s-singleuser-sample"
"""Of servers whose profile names no image: Python and a shell, no CUDA and no Neuron SDK."""
