"""A Slurm cluster: the release of its control plane, then its node sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import SLURM
from components.catalog.slurm import API_VERSION
from components.platform.merge import merged
from components.platform.slurm_conf import pools_of
from components.platform.slurm_node_sets import node_set_spec
from components.platform.slurm_values import SSSD_KEY, AccountingDatabase, SlurmSurroundings, slurm_values
from components.releases import ReleaseArgs, helm_release
from stacks.node_pools import NodePool
from stacks.slurm import SlurmSpec
from stacks.slurm_node_set_rules import node_set_name

# What the chart itself would write: users of the image, no directory, no secret.
SSSD_CONF = """\
[sssd]
services = nss,pam
domains = DEFAULT

[nss]
filter_groups = root,slurm
filter_users = root,slurm

[pam]

[domain/DEFAULT]
id_provider = proxy
proxy_lib_name = files
auth_provider = proxy
proxy_pam_target = sssd-shadowutils
"""
DELETE_TIMEOUT = "15m"


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmClusterArgs:
    spec: SlurmSpec
    """Section `platform.slurm`. Its `name` REPLACES the node sets and the controller."""
    pools: Sequence[NodePool]
    """The environment's accelerated pools."""
    namespace: pulumi.Input[str]
    """Of `PlatformNamespaces`; the Secrets with Slurm's keys are in it already."""
    claim_name: pulumi.Input[str]
    """Of `SlurmState`."""
    zone: str
    """Zone of the state volume: `systemNodes.home(zones)`."""
    database: AccountingDatabase | None
    """Where slurmdbd writes; None keeps no records. It must answer before the cluster starts."""
    rotation: str
    """`PlatformSecrets.rotation_of` its keys: with another one REST API, slurmdbd and login pods restart."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class SlurmCluster(pulumi.ComponentResource):
    """Controller, REST API, accounting and login as a Helm release; each node set as an object of its own.

    Node sets depend on the release, so they go first, while controller and REST API still answer. Helm alone would
    delete the controller before them: it removes kinds that it does not know in the order of the alphabet. Deleting a
    node set drains nothing; whoever wants its jobs to end well scales it to 0 first (docs/slurm.md).
    """

    def __init__(self, name: str, args: SlurmClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlurmCluster", name, {}, opts)
        self._name, self._args = name, args
        values = slurm_values(
            args.spec,
            args.pools,
            SlurmSurroundings(
                zone=args.zone,
                claim=args.claim_name,
                sssd_secret=self._sssd_secret(),
                database=args.database,
                rotation=args.rotation,
                images=args.images,
            ),
        )
        release = helm_release(
            f"{name}-release",
            ReleaseArgs(pin=SLURM, values=merged(values, args.spec.values), charts=args.charts),
            parent=self,
        )
        for node_set, pool in pools_of(args.spec, args.pools):
            k8s.apiextensions.CustomResource(
                f"{name}-{pool.name}",
                api_version=API_VERSION,
                kind="NodeSet",
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    # `kubectl scale` and KEDA name it.
                    name=node_set_name(args.spec.name, pool.name),
                    namespace=args.namespace,
                ),
                spec=node_set_spec(args.spec, node_set, pool, args.images),
                opts=pulumi.ResourceOptions(
                    parent=self,
                    depends_on=[release],
                    ignore_changes=["spec.replicas"] if node_set.replicas_owner == "outside" else None,
                    custom_timeouts=pulumi.CustomTimeouts(delete=DELETE_TIMEOUT),
                ),
            )
        self.register_outputs({})

    def _sssd_secret(self) -> pulumi.Input[str] | None:
        """The Secret that the environment names, or one of ours without any secret in it: login pods need one."""
        spec = self._args.spec
        if spec.login is None:
            return None
        if spec.login.sssd_secret is not None:
            return spec.login.sssd_secret
        secret = k8s.core.v1.Secret(
            f"{self._name}-sssd",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=f"{spec.name}-sssd", namespace=self._args.namespace),
            string_data={SSSD_KEY: SSSD_CONF},
            opts=pulumi.ResourceOptions(parent=self),
        )
        return secret.metadata.name
