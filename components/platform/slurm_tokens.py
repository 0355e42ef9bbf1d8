"""JWTs for programs that use Slurm's REST API: objects from which the operator makes Secrets and renews them."""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.slurm import API_VERSION
from components.platform.slurm_values import JWT_KEY
from stacks.slurm import SlurmSpec
from stacks.slurm_tokens import TokenSpec, token_secret

SECRET_KEY = "SLURM_JWT"  # noqa: S105 - a key of a Secret, and the variable that Slurm's commands read
"""The operator's own default (v1.2.1, api/v1beta1/token_keys.go)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmTokensArgs:
    spec: SlurmSpec
    """Section `platform.slurm`. Its `name` and a token's `user` REPLACE the Token."""
    namespace: pulumi.Input[str]
    """Of Slurm; the Secret with the signing key is in it already."""


class SlurmTokens(pulumi.ComponentResource):
    """A Token for each entry. It comes after the operator, whose definitions it is of.

    No value passes through Pulumi: the operator signs with the key in the cluster and writes the Secret, which goes
    with the Token. It signs again when a fifth of the lifetime is left, and when the key was rotated.
    """

    def __init__(self, name: str, args: SlurmTokensArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlurmTokens", name, {}, opts)
        for token in args.spec.tokens:
            k8s.apiextensions.CustomResource(
                f"{name}-{token.user}",
                api_version=API_VERSION,
                kind="Token",
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    # Documented, for `kubectl get`.
                    name=token_secret(args.spec.name, token.user),
                    namespace=args.namespace,
                ),
                spec=token_spec(args.spec, token),
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


def token_spec(spec: SlurmSpec, token: TokenSpec) -> dict[str, Any]:
    """`spec` of the Token; the fields are those of CRD `tokens.slinky.slurm.net` of Slinky 1.2.1 (read 2026-11-29)."""
    return {
        "username": token.user,
        "jwtKeyRef": {"name": spec.keys.jwt, "key": JWT_KEY},
        "lifetime": token.lifetime,
        # Without it the Secret is immutable, and worthless once the token expires.
        "refresh": True,
        "secretRef": {"name": token_secret(spec.name, token.user), "key": SECRET_KEY},
    }
