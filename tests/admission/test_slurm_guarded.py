"""Slurm's network policies and tokens before the real API server: each field checked, bad ones refused.

The server stores policies and enforces none here; who gets through is judged in tests/unit.
The operator that would sign tokens has no pods here.
"""

from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.catalog.pins import SLURM_OPERATOR_CRDS
from components.platform import SlurmNetwork, SlurmNetworkArgs, SlurmTokens, SlurmTokensArgs
from scripts.sandboxing.charts import SHARED
from tests.admission.support import Sandbox, objects_of
from tests.unit.slurm_examples import cluster

pytestmark = [
    pytest.mark.admission,
    pytest.mark.skipif(not (SHARED / SLURM_OPERATOR_CRDS.name).exists(), reason="the charts are not at hand"),
]

NAMESPACE = "slurm-guarded"
SPEC = cluster(
    metrics={"serviceMonitor": True}, tokens=[{"user": "pipeline"}, {"user": "dashboard", "lifetime": "1h30m"}]
)


@pytest.fixture(scope="module")
def guarded(sandbox: Sandbox) -> Iterator[Sandbox]:
    """A namespace, and Slinky's definitions."""
    sandbox.store_definitions(sandbox.rendered(SLURM_OPERATOR_CRDS, {}))
    sandbox.kubectl("create", "namespace", NAMESPACE)
    yield sandbox
    sandbox.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def made(build: Any) -> list[dict[str, Any]]:
    def run() -> None:
        on = pulumi.ResourceOptions(providers=[k8s.Provider("k8s", kubeconfig="{}")])
        SlurmNetwork("slurm-network", SlurmNetworkArgs(spec=SPEC, namespace=NAMESPACE), opts=on)
        SlurmTokens("slurm-tokens", SlurmTokensArgs(spec=SPEC, namespace=NAMESPACE), opts=on)

    return [thing for thing in objects_of(build(run)) if "metadata" in thing]


def test_policies_and_tokens_are_accepted_as_they_are(guarded: Sandbox, build: Any, summary: list[str]) -> None:
    things = made(build)
    assert guarded.verdict(things) == ""
    listed = guarded.kubectl("get", "networkpolicies,tokens", "-n", NAMESPACE, "-o", "name").split()
    assert sorted(listed) == [
        *(
            f"networkpolicy.networking.k8s.io/{name}"
            for name in ("default-deny", "jobs", "login", "slurmctld", "slurmdbd", "slurmrestd")
        ),
        "token.slinky.slurm.net/slurm-token-dashboard",
        "token.slinky.slurm.net/slurm-token-pipeline",
    ]
    summary.append(f"slurm  {len(listed)} network policies and tokens accepted, every field checked")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"username": None}, "spec.username"),
        ({"jwtKeyRef": None}, "jwtKeyRef or jwtHs256KeyRef must be set"),
        ({"audience": "rest"}, ".spec.audience: field not declared"),
    ],
    ids=["nobody's", "unsigned", "a field that is none"],
)
def test_a_wrong_token_is_refused(guarded: Sandbox, build: Any, changes: dict[str, Any], message: str) -> None:
    token = next(thing for thing in made(build) if thing["kind"] == "Token")
    spec = {key: value for key, value in {**token["spec"], **changes}.items() if value is not None}
    name = {**token["metadata"], "name": "wrong"}
    assert message in guarded.verdict([{**token, "metadata": name, "spec": spec}])
