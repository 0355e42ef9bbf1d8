"""Tokens of Slurm's users: objects for the operator, and no value of ours."""

import pulumi
import pulumi_kubernetes as k8s
import pytest
import yaml

from components.platform import SlurmTokens, SlurmTokensArgs
from components.platform.slurm_tokens import token_spec
from scripts.sandboxing.charts import SHARED
from tests.unit.slurm_examples import cluster

pytestmark = pytest.mark.unit

DEFINITION = SHARED.parent / "crds" / "slinky" / "slinky.slurm.net_tokens.yaml"


def built(build, spec):
    def run():
        on = pulumi.ResourceOptions(providers=[k8s.Provider("k8s", kubeconfig="{}")])
        SlurmTokens("slurm-tokens", SlurmTokensArgs(spec=spec, namespace="slurm"), opts=on)

    return build(run)


def test_a_token_is_signed_in_the_cluster_with_the_clusters_key(build):
    made = built(build, cluster(keys={"jwt": "our-jwt"}, tokens=[{"user": "pipeline", "lifetime": "2h"}]))
    token = made.only("kubernetes:slinky.slurm.net/v1beta1:Token").inputs
    assert token["metadata"] == {"name": "slurm-token-pipeline", "namespace": "slurm"}
    assert token["spec"] == {
        "username": "pipeline",
        "jwtKeyRef": {"name": "our-jwt", "key": "jwt.key"},
        "lifetime": "2h",
        "refresh": True,
        "secretRef": {"name": "slurm-token-pipeline", "key": "SLURM_JWT"},
    }


def test_pulumi_makes_no_secret(build):
    assert built(build, cluster()).of_type("kubernetes:core/v1:Secret") == []


def test_without_tokens_there_is_none(build):
    assert built(build, cluster(tokens=[])).of_type("kubernetes:slinky.slurm.net/v1beta1:Token") == []


def test_a_token_holds_an_hour_unless_said():
    assert token_spec(cluster(), cluster().tokens[0])["lifetime"] == "1h"


@pytest.mark.skipif(not DEFINITION.exists(), reason="the definitions are not at hand")
def test_every_field_is_one_of_the_definition():
    version = yaml.safe_load(DEFINITION.read_text())["spec"]["versions"][0]
    known = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    made = token_spec(cluster(), cluster().tokens[0])
    assert set(made) <= set(known)
    assert set(made["secretRef"]) <= set(known["secretRef"]["properties"])
